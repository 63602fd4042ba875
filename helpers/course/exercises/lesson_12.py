"""Lesson 12, hidden side. Reading on gives answers away."""

from .exercise import Exercise

# --- 12.a: a class with two methods


class Operations:
    """The reader's class, as a function of two numbers: what a + b, a * b and a * a are.

    Each is a list: the data, then the derivative with respect to a and to b, as the inputs give them.
    """

    def __init__(self, written):
        self.written, self.__name__ = written, written.__name__

    def __call__(self, x, y):
        a, b = self.written(x), self.written(y)
        return [self.described(text, a, b) for text in ("a + b", "a * b", "a * a")]

    def described(self, text, a, b):
        method = "__add__" if "+" in text else "__mul__"
        try:
            result = eval(text, {"a": a, "b": b})
        except Exception as error:
            raise type(error)(f"{error} (in {method}, for {text})") from None
        if result is None:
            raise TypeError(f"{method} returned None for {text}: its return is missing")
        if not isinstance(result, self.written):
            raise TypeError(
                f"{method} gave a {type(result).__name__} for {text}; it must return a {self.__name__}"
            )
        if result is a or result is b:
            raise TypeError(f"{method} changed and returned one of its arguments; make a new {self.__name__}")
        pairs = result.inputs
        if any(
            isinstance(pair, list) or isinstance(pair, tuple) and {*map(type, pair)} == {tuple}
            for pair in pairs
        ):
            raise TypeError(
                f"the pairs of {text} are in a list or a tuple; give each pair as an argument of its own: "
                f"{self.__name__}(data, pair, pair)"
            )
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise TypeError(f"each input of {text} must be a pair: (input, derivative)")
        if any(isinstance(d, self.written) and not isinstance(each, self.written) for each, d in pairs):
            raise TypeError(f"the two entries of a pair of {text} are swapped: the input comes first")
        if not all(each is a or each is b for each, _ in pairs):
            raise TypeError(
                f"the first entry of a pair of {text} must be self or other, the object and not its data"
            )
        if not all(isinstance(d, (int, float)) for _, d in pairs):
            raise TypeError(f"the second entry of a pair of {text} must be a number, such as other.data")
        return [result.data, *(sum(d for each, d in pairs if each is one) for one in (a, b))]


def operations_text(name, x, y):
    return f"a, b = {name}({x!r}), {name}({y!r}); a + b; a * b; a * a"


class MyValue:
    def __init__(self, data, *inputs):
        self.data, self.inputs, self.gradient = data, inputs, 0.0

    def __add__(self, other):
        return MyValue(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return MyValue(self.data * other.data, (self, other.data), (other, self.data))


SUM, PRODUCT = "(self, 1.0), (other, 1.0)", "(self, other.data), (other, self.data)"
CLASS_MISTAKES = {
    "each factor gets its own data as its derivative": (PRODUCT, "(self, self.data), (other, other.data)"),
    "the derivatives of the product are those of a sum": (PRODUCT, SUM),
    "the derivatives of the sum are those of a product": (SUM, PRODUCT),
    "each term gets its own data as its derivative": (SUM, "(self, self.data), (other, other.data)"),
    "the product has only one input, self": (PRODUCT, "(self, other.data)"),
    "the product has only one input, other": (PRODUCT, "(other, self.data)"),
    "the sum has only one input, self": (SUM, "(self, 1.0)"),
    "the sum has no inputs, or their derivatives are 0": (f", {SUM}", ""),
    "the product has no inputs, or their derivatives are 0": (f", {PRODUCT}", ""),
    "neither the sum nor the product has inputs: give each of them two pairs": (
        (f", {SUM}", ""),
        (f", {PRODUCT}", ""),
    ),
    "__mul__ adds": (f"self.data * other.data, {PRODUCT}", f"self.data + other.data, {SUM}"),
    "both derivatives of the product are its value": (
        (PRODUCT, "(self, self.data * other.data), (other, self.data * other.data)"),
    ),
}


# --- 12.b, 12.c, and 12.d of lesson 12c: graphs of values


class UseASet(Exception):
    """The reader looks up values in a list, which takes too long in a large graph."""


class TooManyVisits(Exception):
    """The reader visits values again and again."""


class ChangedValue(Exception):
    """The reader changes a value that is to stay as it is."""


class Pair(tuple):
    """An input of a value, and the local derivative."""

    def __getattr__(self, name):
        raise AttributeError(f"each entry of inputs is a pair (value, derivative); a pair has no {name}")


class Value:
    """A value of the grader's graphs. Two values are equal if they have the same name.

    A graph counts how often its values are compared, because `value in a_list` compares with each entry, and
    how often the inputs of a value are read.
    """

    def __init__(self, name, data, inputs, program, counts):
        self.name, self.data, self.pairs, self.program, self.counts = name, data, inputs, program, counts
        self.gradient = 0.0

    def __setattr__(self, name, new):
        if name in self.__dict__ and name in self.counts["fixed"]:
            raise ChangedValue(
                f"it changes the {name} of {self.name}; keep the derivatives in a dict of your own"
            )
        super().__setattr__(name, new)

    @property
    def inputs(self):
        self.counts["reads"] += 1
        if self.counts["reads"] > 40 * len(self.program) + 2000:
            raise TooManyVisits(
                f"with {len(self.program)} values it has read the inputs of a value more than "
                f"{self.counts['reads'] - 1:,} times; test whether a value was visited before you read its "
                "inputs, and do not search all values for users"
            )
        return self.pairs

    def __repr__(self):
        return self.name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        if not isinstance(other, Value):
            return NotImplemented
        self.counts["comparisons"] += 1
        if self.counts["comparisons"] > 40 * len(self.program) + 2000:
            raise UseASet(
                f"with {len(self.program)} values it has compared two values more than "
                f"{self.counts['comparisons'] - 1:,} times; `value in order` on a list looks at one entry "
                "after the other, so keep the values that were visited in a set"
            )
        return self.name == other.name

    def __deepcopy__(self, memo):
        """All values of a graph are copied together."""
        if id(self.program) not in memo:
            memo[id(self.program)] = run(self.program, self.counts["fixed"])
        return memo[id(self.program)][self.name]


def run(program, fixed=()):
    """{name: value} of a program such as {"a": 2.0, "b": "a * a"}; sums and products store their inputs.

    fixed names the attributes that nobody may change.
    """
    values, counts = {}, {"comparisons": 0, "reads": 0, "fixed": fixed}
    for name, step in program.items():
        if isinstance(step, str):
            first, sign, second = step.split()
            x, y = values[first], values[second]
            rates = (1.0, 1.0) if sign == "+" else (y.data, x.data)
            data = x.data + y.data if sign == "+" else x.data * y.data
            pairs = tuple(map(Pair, zip((x, y), rates)))
            values[name] = Value(name, data, pairs, program, counts)
        else:
            values[name] = Value(name, step, (), program, counts)
    return values


def program_text(program):
    """A program as lines of Python that a reader can paste below the class Value."""
    if len(program) > 20:
        return f"x = y = Value(1.0)\n    for _ in range({len(program) - 1}): x, y = y, x + y"
    return "; ".join(
        f"{name} = {step}" if isinstance(step, str) else f"{name} = Value({step})"
        for name, step in program.items()
    )


SQUARE = {"a": 2.0, "b": "a * a", "c": "b + a", "d": "b * c"}
LATE = {"a": 0.5, "b": "a + a", "c": "a * b", "d": "c * c", "e": "d + a", "f": "e * c", "g": "b * f"}
EARLY = {"a": 1.5, "b": "a + a", "c": "b * a", "d": "b + c", "e": "c * d", "f": "e * a"}
TWICE = {"a": -1.25, "b": "a * a", "c": "b * a", "d": "c + c", "e": "d * b"}
ALONE = {"a": 3.0}
USES = {"a": 0.5, "b": "a * a", "c": "a + a", "d": "c + c", "e": "d + d", "f": "e + b"}  # many right orders
CHAIN = {"y0": 1.0, "y1": "y0 + y0"} | {f"y{i}": f"y{i - 2} + y{i - 1}" for i in range(2, 300)}


def last_of(program):
    return list(run(program).values())[-1]


def my_walk(order):
    order[0].gradient = 1.0
    for value in order:
        for x, derivative in value.inputs:
            x.gradient += derivative * value.gradient
    return [value.gradient for value in order]


def each_visit_passes_on(order):
    def visit(value, part):
        value.gradient += part
        for x, derivative in value.inputs:
            visit(x, derivative * value.gradient)

    visit(order[0], 1.0)
    return [value.gradient for value in order]


def appended_for_each_input(order, of_input=False):
    order[0].gradient = 1.0
    gradients = []
    for value in order:
        for x, derivative in value.inputs:
            x.gradient += derivative * value.gradient
            gradients.append(x.gradient if of_input else value.gradient)
    return gradients


def products_in_a_list(order, adding=False):
    order[0].gradient = 1.0
    products = []
    for value in order:
        for x, derivative in value.inputs:
            products.append(derivative * value.gradient)
            x.gradient += adding * products[-1]
    return products


WALK_MISTAKES = {
    "each visit passes on all that a value has so far: follow the order, and pass on once for each value": (
        each_visit_passes_on
    ),
    "= is used where += is needed": ("+=", "="),
    "the gradients of the inputs are set to 0 for each value, so what other users have added is lost": (
        "        for x, derivative",
        "        for x, _ in value.inputs:\n            x.gradient = 0.0\n        for x, derivative",
    ),
    "the local derivatives are not multiplied by the gradient of the user": (" * value.gradient", ""),
    "the gradient is passed on without the local derivative": ("derivative * value.", "value."),
    "the local derivative is multiplied by the data of the user": ("* value.gradient", "* value.data"),
    "the local derivative is multiplied by the data of the input": ("* value.gradient", "* x.data"),
    "the gradient of the first value of the order was never set to 1": ("    order[0].gradient = 1.0\n", ""),
    "the gradient of the first value is its data, and not 1": ("= 1.0", "= order[0].data"),
    "gradient = 1 stands inside the loop, so it replaces what each value has received": (
        ("    order[0].gradient = 1.0\n", ""),
        ("in order:\n", "in order:\n        value.gradient = 1.0\n"),
    ),
    "append stands inside the inner loop: the list gets an entry for each input, and not for each value": (
        appended_for_each_input
    ),
    "append stands inside the inner loop, and appends the gradient of the input so far": (
        lambda order: appended_for_each_input(order, of_input=True)
    ),
    "each product is an entry of its own, and is not added to the gradient of its input": products_in_a_list,
    "the products are returned, and not the gradients": lambda order: products_in_a_list(order, adding=True),
    "every gradient begins with 1, and not only that of the first value": (
        ("    order[0].gradient = 1.0\n", "    for value in order:\n        value.gradient = 1.0\n"),
    ),
    (
        "no gradient reaches an input: a value collects from its inputs and not its inputs from it, "
        "or *= is used where += is needed, or the first value of the order is skipped"
    ): ("x.gradient += derivative * value.gradient", "value.gradient += derivative * x.gradient"),
    "the local derivative and the gradient are added, and not multiplied": ("derivative *", "derivative +"),
    "the data of the input is used where the local derivative is needed": ("derivative *", "x.data *"),
    "the last value of the order begins with 1, and not the first": ("order[0]", "order[-1]"),
    "the gradients are returned in the reverse order": ("in order]", "in reversed(order)]"),
    "the data of the input is a third factor": ("derivative * value", "derivative * x.data * value"),
    "the gradients are subtracted, and not added": ("+=", "-="),
    (
        "the loop ends after its first value (return stands inside it), "
        "or runs through the order from its end"
    ): ("in order:", "in reversed(order):"),
    "an input that an operation reads twice is counted once": ("in value.inputs", "in set(value.inputs)"),
}


def my_order(result):
    order, seen = [], set()

    def visit(value):
        if value not in seen:
            seen.add(value)
            for x, _ in value.inputs:
                visit(x)
            order.append(value)

    visit(result)
    return order[::-1]


WITH_A_LIST = " (also, keep the visited values in a set: a list is searched entry by entry)"
AFTER = "\n            order.append(value)\n"
BEFORE = (("seen.add(value)", "seen.add(value); order.append(value)"), (AFTER, "\n"))
FORWARD = (("return order[::-1]", "return order"),)
FROM_A_STACK = """stack = [result]
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            order.append(value)
            stack += [x for x, _ in value.inputs]"""
AS_FOUND = """order.append(result)
    seen.add(result)
    for value in order:
        for x, _ in value.inputs:
            if x not in seen:
                seen.add(x)
                order.append(x)"""
PLACES = {
    "the order begins with the inputs, as in the forward pass, and ends with the result": FORWARD,
    "a value is appended before its inputs are visited, and not after all of them (depth-first order)": (
        BEFORE + FORWARD
    ),
    "a value is appended before its inputs are visited, and the list is then reversed": BEFORE,
    "order.append is inside the loop over the inputs": ((AFTER, "\n    " + AFTER[1:]),),
    "order.append is outside the if: a value that was visited before is appended again": (
        (AFTER, "\n        order.append(value)\n"),
    ),
    "a value is taken from a stack as soon as it is found, before all of its users": (
        ("visit(result)", FROM_A_STACK),
        *FORWARD,
    ),
    "a value comes as soon as it is found (breadth-first order), before all of its users": (
        ("visit(result)", AS_FOUND),
        *FORWARD,
    ),
}


def in_a_list(edit):
    """An edit of my_order for readers who look the values up in a list, and not in a set."""
    renamed = [[text.replace("seen.add", "seen.append") for text in pair] for pair in edit]
    return ("set()", "[]"), ("seen.add", "seen.append"), *renamed


def each_visit(result):
    order = []

    def visit(value):
        for x, _ in value.inputs:
            visit(x)
        order.append(value)

    visit(result)
    return order[::-1]


def each_use(result):
    order = [result]
    for value in order:
        order += [x for x, _ in value.inputs]
    return order


def each_path(result):
    return [result, *(each for x, _ in result.inputs for each in each_path(x))]


def users_counted_once(result, last=0):
    values, users = my_order(result), {}
    for value in values:
        for x in {x for x, _ in value.inputs}:
            users[x] = users.get(x, 0) + 1
    order, ready = [], [result]
    while ready:
        value = ready.pop(last)
        order.append(value)
        for x, _ in value.inputs:
            users[x] -= 1
            if users[x] == 0:
                ready.append(x)
    return order


def users_counted_once_from_a_stack(result):
    return users_counted_once(result, last=-1)


def with_earlier_calls(result):
    """The order from a list and a set that keep the values of earlier calls."""
    earlier = my_order(last_of(LATE))
    return earlier if result in {*earlier} else my_order(result) + earlier


def without_earlier_calls(result):
    """The same with a new list for each call."""
    return [] if result in {*my_order(last_of(LATE))} else my_order(result)


def as_expected(order, due):
    """The expected order in place of any other in which each value comes once, after all of its users."""
    if not isinstance(order, list) or [*map(type, order)] != [*map(type, due)] or {*order} != {*due}:
        return order
    place = {value: i for i, value in enumerate(order)}
    return due if all(place[x] > place[value] for value in due for x, _ in value.pairs) else order


COUNTED = "each user is counted once, but the count is lowered for each use (a * a uses a twice)"
ORDER_MISTAKES = {
    "only the first input of each value is visited": ("in value.inputs:", "in value.inputs[:1]:"),
    **PLACES,
    **{cause + WITH_A_LIST: in_a_list(edit) for cause, edit in PLACES.items()},
    "a value is visited and appended again for each of its users": each_visit,
    "a value comes again for each of its users": each_use,
    "the result itself is missing": ("[::-1]", "[-2::-1]"),
    "the data of the values are kept in seen, and not the values: two values may have equal data": (
        ("value not in seen", "value.data not in seen"),
        ("seen.add(value)", "seen.add(value.data)"),
    ),
    "the lists of the inputs are joined: a value comes again for each path that leads to it": each_path,
    "no value is appended: order.append is never reached": ("            order.append(value)\n", ""),
    "the list and the set are not made anew in each call (a default argument is made once)": (
        with_earlier_calls
    ),
    "the set is not made anew in each call (a default argument is made once)": without_earlier_calls,
    "the return is missing, or order.reverse() is returned, which changes the list and gives None": (
        "return order[::-1]",
        "return order.reverse()",
    ),
    "values that come again are removed after the reversal: the first place is kept, and not the last": (
        ("if value not in seen:", "if True:"),
        ("order[::-1]", "list(dict.fromkeys(order[::-1]))"),
    ),
    COUNTED: users_counted_once,
    f"{COUNTED}, and the values are taken from a stack": users_counted_once_from_a_stack,
    "values without inputs are left out": ("order[::-1]", "[x for x in order[::-1] if x.inputs]"),
}


def order_text(name, last):
    return f"{program_text(last.program)}\n    {name}({last if len(last.program) <= 20 else 'y'})"


def walk_text(name, order, *start):
    given = "".join(f", {value}" for value in start)
    return f"{program_text(order[0].program)}\n    {name}([{', '.join(map(repr, order))}]{given})"


def ordered(program, *start):
    order = my_order(list(run(program, ("data", "gradient") if start else ()).values())[-1])
    return [order, *(next(value for value in order if value.name == name) for name in start)]


EXERCISES = {
    "12.a": Exercise(
        MyValue,
        [[2.0, 3.0], [-1.25, 0.5], [0.25, -4.0]],
        CLASS_MISTAKES,
        parts=("a + b", "a * b", "a * a"),
        example=False,
        of_class=Operations,
        call_text=operations_text,
    ),
    "12.b": Exercise(
        my_walk,
        [ordered(program) for program in (SQUARE, LATE, EARLY, TWICE, ALONE)],
        WALK_MISTAKES,
        call_text=walk_text,
    ),
    "12.c": Exercise(
        my_order,
        [[last_of(program)] for program in (SQUARE, LATE, EARLY, TWICE, ALONE, USES, CHAIN)],
        ORDER_MISTAKES,
        also_right=as_expected,
        call_text=order_text,
    ),
}
