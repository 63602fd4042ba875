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
        if any(isinstance(pair, list) for pair in pairs):
            raise TypeError(
                f"the pairs of {text} are in a list; give each pair as an argument of its own: "
                f"{self.__name__}(data, pair, pair)"
            )
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise TypeError(f"each input of {text} must be a pair: (input, derivative)")
        if not all(each is a or each is b for each, _ in pairs):
            raise TypeError(
                f"the first entry of a pair of {text} must be self or other, the object and not its data"
            )
        if not all(isinstance(d, (int, float)) for _, d in pairs):
            raise TypeError(f"the second entry of a pair of {text} must be a number, such as other.data")
        return [result.data, *(sum(d for each, d in pairs if each is one) for one in (a, b))]


def operations_text(name, x, y):
    return f"a, b = {name}({x!r}), {name}({y!r}); a + b; a * b; a * a"


def my_class(x, y):
    return [[x + y, 1.0, 1.0], [x * y, y, x], [x * x, 2 * x, 0]]


def _operations(add=lambda x, y: [x + y, 1.0, 1.0], mul=lambda x, y: [x * y, y, x], square=None):
    """my_class with other rules for addition or multiplication; by default the square follows from them."""

    def operations(x, y):
        twice = mul(x, x)
        return [add(x, y), mul(x, y), square(x) if square else [twice[0], twice[1] + twice[2], 0]]

    return operations


# --- 12.b to 12.d: graphs of values


class UseASet(Exception):
    """The reader looks up values in a list, which takes too long in a large graph."""


class TooManyVisits(Exception):
    """The reader visits values again and again."""


class Value:
    """A value of the grader's graphs. Two values are equal if they have the same name.

    A graph counts how often its values are compared, because `value in a_list` compares with each entry, and
    how often the inputs of a value are read.
    """

    def __init__(self, name, data, inputs, program, counts):
        self.name, self.data, self.pairs, self.program, self.counts = name, data, inputs, program, counts
        self.gradient = 0.0

    @property
    def inputs(self):
        self.counts["reads"] += 1
        if self.counts["reads"] > 40 * len(self.program) + 2000:
            raise TooManyVisits(
                f"with {len(self.program)} values it has read the inputs of a value more than "
                f"{self.counts['reads'] - 1:,} times; store which values were visited, "
                "and visit each one once"
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
            memo[id(self.program)] = run(self.program)
        return memo[id(self.program)][self.name]


def run(program):
    """{name: value} of a program such as {"a": 2.0, "b": "a * a"}; sums and products store their inputs."""
    values, counts = {}, {"comparisons": 0, "reads": 0}
    for name, step in program.items():
        if isinstance(step, str):
            first, sign, second = step.split()
            x, y = values[first], values[second]
            rates = (1.0, 1.0) if sign == "+" else (y.data, x.data)
            data = x.data + y.data if sign == "+" else x.data * y.data
            values[name] = Value(name, data, ((x, rates[0]), (y, rates[1])), program, counts)
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
CHAIN = {"y0": 1.0, "y1": "y0 + y0"} | {f"y{i}": f"y{i - 2} + y{i - 1}" for i in range(2, 300)}


def last_of(program):
    return list(run(program).values())[-1]


def my_order(last):
    order, seen = [], set()

    def visit(value):
        if value.name not in seen:
            seen.add(value.name)
            for each, _ in value.inputs:
                visit(each)
            order.append(value)

    visit(last)
    return order[::-1]


def _search(last, kind=set, before=False, inside=False, outside=False, turned=True):
    """my_order with a slip; kind=list looks values up in a list."""
    order, seen = [], kind()

    def visit(value):
        if value not in seen:
            seen.add(value) if kind is set else seen.append(value)
            if before:
                order.append(value)
            for each, _ in value.inputs:
                visit(each)
                if inside:
                    order.append(value)
            if not (before or inside or outside):
                order.append(value)
        if outside:
            order.append(value)

    visit(last)
    return order[::-1] if turned else order


def _from_a_stack(last, kind=set):
    order, seen, stack = [], kind(), [last]
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value) if kind is set else seen.append(value)
            order.append(value)
            stack += [each for each, _ in value.inputs]
    return order


def _as_found(last, kind=set):
    order, seen = [last], kind([last])
    for value in order:
        for each, _ in value.inputs:
            if each not in seen:
                seen.add(each) if kind is set else seen.append(each)
                order.append(each)
    return order


def _with(function, **named):
    return lambda last: function(last, **named)


def _order_slips():
    """The same slips twice, for readers who look values up in a set and in a list."""
    slips = {
        "the order begins with the inputs, as in the forward pass, and ends with the result": (
            _search,
            {"turned": False},
        ),
        "a value is appended before its inputs are visited, and not after all of them (depth-first order)": (
            _search,
            {"before": True, "turned": False},
        ),
        "a value is appended before its inputs are visited, and the list is then reversed": (
            _search,
            {"before": True},
        ),
        "order.append is inside the loop over the inputs": (_search, {"inside": True}),
        "order.append is outside the if: a value that was visited before is appended again": (
            _search,
            {"outside": True},
        ),
        "a value is taken from a stack as soon as it is found, before all of its users": (_from_a_stack, {}),
        "a value comes as soon as it is found (breadth-first order), before all of its users": (
            _as_found,
            {},
        ),
    }
    return {
        text
        + (
            " (also, keep the visited values in a set: a list is searched entry by entry)"
            if kind is list
            else ""
        ): _with(function, kind=kind, **named)
        for text, (function, named) in slips.items()
        for kind in (set, list)
    }


def _every_visit(last):
    order = []

    def visit(value):
        for each, _ in value.inputs:
            visit(each)
        order.append(value)

    visit(last)
    return order[::-1]


def _every_visit_forward(last):
    order = [last]
    for value in order:
        order += [each for each, _ in value.inputs]
    return order


def _without_last(last):
    return my_order(last)[1:]


def _only_values_with_inputs(last):
    return [value for value in my_order(last) if value.inputs]


def my_walk(order):
    return _walk(order)


def _walk(order, meet=lambda old, new: old + new, start=1.0, rate=lambda d, value, each: d * value.gradient):
    order[0].gradient = start
    for value in order:
        for each, derivative in value.inputs:
            each.gradient = meet(each.gradient, rate(derivative, value, each))
    return [value.gradient for value in order]


def _swapped(order):
    """The direction swapped: each value collects from its inputs."""
    order[0].gradient = 1.0
    for value in order:
        for each, derivative in value.inputs:
            value.gradient += derivative * each.gradient
    return [value.gradient for value in order]


def _reversed_walk(order):
    order[0].gradient = 1.0
    for value in reversed(order):
        for each, derivative in value.inputs:
            each.gradient += derivative * value.gradient
    return [value.gradient for value in order]


def _each_input_once(order):
    order[0].gradient = 1.0
    for value in order:
        for each, derivative in {each.name: (each, d) for each, d in value.inputs}.values():
            each.gradient += derivative * value.gradient
    return [value.gradient for value in order]


def _all_start_at_one(order):
    for value in order:
        value.gradient = 1.0
    return _walk(order)


def my_forward_mode(order, start):
    derivatives = {value.name: 0.0 for value in order}
    derivatives[start.name] = 1.0
    for value in reversed(order):
        for each, derivative in value.inputs:
            derivatives[value.name] += derivative * derivatives[each.name]
    return [derivatives[value.name] for value in order]


def _forward(order, start, meet=lambda old, new: old + new, direction=reversed, first=None):
    derivatives = {value.name: 0.0 for value in order}
    derivatives[(first or start).name] = 1.0
    for value in direction(order):
        for each, derivative in value.inputs:
            derivatives[value.name] = meet(derivatives[value.name], derivative * derivatives[each.name])
    return [derivatives[value.name] for value in order]


def _start_replaced(order, start):
    """my_forward_mode in which each value that has inputs gets a new sum, start as well."""
    derivatives = {value.name: 0.0 for value in order}
    derivatives[start.name] = 1.0
    for value in reversed(order):
        if value.inputs:
            derivatives[value.name] = sum(d * derivatives[each.name] for each, d in value.inputs)
    return [derivatives[value.name] for value in order]


def _reverse_mode(order, start):
    return _walk(order)


def _without_rate(order, start):
    derivatives = {value.name: 0.0 for value in order}
    derivatives[start.name] = 1.0
    for value in reversed(order):
        for each, _ in value.inputs:
            derivatives[value.name] += derivatives[each.name]
    return [derivatives[value.name] for value in order]


def _pushed_to_inputs(order, start):
    derivatives = {value.name: 0.0 for value in order}
    derivatives[start.name] = 1.0
    for value in reversed(order):
        for each, derivative in value.inputs:
            derivatives[each.name] += derivative * derivatives[value.name]
    return [derivatives[value.name] for value in order]


def order_text(name, last):
    return f"{program_text(last.program)}\n    {name}({last if len(last.program) <= 20 else 'y'})"


def walk_text(name, order, *start):
    given = "".join(f", {value}" for value in start)
    return f"{program_text(order[0].program)}\n    {name}([{', '.join(map(repr, order))}]{given})"


def _ordered(program, *start):
    order = my_order(last_of(program))
    return [order, *(next(value for value in order if value.name == name) for name in start)]


EXERCISES = {
    "12.a": Exercise(
        my_class,
        [[2.0, 3.0], [-1.25, 0.5], [0.25, -4.0]],
        parts=("a + b", "a * b", "a * a"),
        of_class=Operations,
        call_text=operations_text,
        slips={
            "in a product, each factor gets its own data as its derivative, and not the other's": (
                _operations(mul=lambda x, y: [x * y, x, y])
            ),
            "the derivatives of the product are those of a sum": _operations(
                mul=lambda x, y: [x * y, 1.0, 1.0]
            ),
            "the derivatives of the sum are those of a product": _operations(add=lambda x, y: [x + y, y, x]),
            "in a sum, each term gets its own data as its derivative": _operations(
                add=lambda x, y: [x + y, x, y]
            ),
            "the product has only one input, self": _operations(mul=lambda x, y: [x * y, y, 0]),
            "the product has only one input, other": _operations(
                mul=lambda x, y: [x * y, 0, x], square=lambda x: [x * x, x, 0]
            ),
            "the sum has only one input, self": _operations(add=lambda x, y: [x + y, 1.0, 0]),
            "the sum has no inputs, or their derivatives are 0": _operations(add=lambda x, y: [x + y, 0, 0]),
            "the product has no inputs, or their derivatives are 0": _operations(
                mul=lambda x, y: [x * y, 0, 0]
            ),
            "__mul__ adds": _operations(mul=lambda x, y: [x + y, 1.0, 1.0]),
            "both derivatives of the product are its value": _operations(
                mul=lambda x, y: [x * y, x * y, x * y]
            ),
        },
    ),
    "12.b": Exercise(
        my_walk,
        [_ordered(program) for program in (SQUARE, LATE, EARLY, TWICE, ALONE)],
        call_text=walk_text,
        slips={
            "= is used where += is needed": lambda order: _walk(order, lambda old, new: new),
            "the local derivatives are added without being multiplied by the gradient of the user": (
                lambda order: _walk(order, rate=lambda d, value, each: d)
            ),
            "the gradient is passed on without the local derivative": lambda order: _walk(
                order, rate=lambda d, value, each: value.gradient
            ),
            "the local derivative is multiplied by the data of the user, and not by its gradient": (
                lambda order: _walk(order, rate=lambda d, value, each: d * value.data)
            ),
            "the local derivative is multiplied by the data of the input": lambda order: _walk(
                order, rate=lambda d, value, each: d * each.data
            ),
            "the gradient of the first value of the order was never set to 1": lambda order: _walk(
                order, start=0.0
            ),
            "the gradient of the first value is its data, and not 1": lambda order: _walk(
                order, start=order[0].data
            ),
            "every gradient begins with 1, and not only that of the first value": _all_start_at_one,
            (
                "no gradient reaches an input: a value collects from its inputs and not its inputs from it, "
                "or *= is used where += is needed, or the first value of the order is skipped"
            ): _swapped,
            "the local derivative and the gradient are added, and not multiplied": lambda order: _walk(
                order, rate=lambda d, value, each: d + value.gradient
            ),
            "the data of the input is used where the local derivative is needed": lambda order: _walk(
                order, rate=lambda d, value, each: each.data * value.gradient
            ),
            "the last value of the order begins with 1, and not the first": lambda order: (
                [0.0 for _ in order[1:]] + [1.0]
            ),
            "the gradients are returned in the reverse order": lambda order: _walk(order)[::-1],
            "the gradients are subtracted, and not added": lambda order: _walk(
                order, lambda old, new: old - new
            ),
            (
                "the loop ends after its first value (return stands inside it), or runs through the order "
                "from its end"
            ): _reversed_walk,
            "an input that an operation reads twice is counted once": _each_input_once,
        },
    ),
    "12.c": Exercise(
        my_order,
        [[last_of(program)] for program in (SQUARE, LATE, EARLY, TWICE, ALONE, CHAIN)],
        call_text=order_text,
        slips={
            **_order_slips(),
            "a value is visited and appended again for each of its users": _every_visit,
            "a value comes again for each of its users": _every_visit_forward,
            "the result itself is missing": _without_last,
            "values without inputs are left out": _only_values_with_inputs,
        },
    ),
    "12.d": Exercise(
        my_forward_mode,
        [
            _ordered(SQUARE, "a"),
            _ordered(LATE, "a"),
            _ordered(LATE, "c"),
            _ordered(EARLY, "b"),
            _ordered(TWICE, "a"),
            _ordered(TWICE, "e"),
        ],
        call_text=walk_text,
        slips={
            "= is used where += is needed": lambda order, start: _forward(order, start, lambda old, new: new),
            "the loop goes from the last value to the inputs": lambda order, start: _forward(
                order, start, direction=list
            ),
            "it computes gradients, as the backward pass does": _reverse_mode,
            "the derivatives are returned in the order of reversed(order), and not in that of order": (
                lambda order, start: my_forward_mode(order, start)[::-1]
            ),
            "start is ignored: the value without inputs has the derivative 1": lambda order, start: _forward(
                order, start, first=order[-1]
            ),
            "the first value of the order, and not start, has the derivative 1": lambda order, start: (
                _forward(order, start, first=order[0])
            ),
            "the 1 of start is replaced by the sum over its inputs, which is 0": lambda order, start: (
                [0.0] * len(order)
            ),
            "each value adds to its inputs, and does not collect from them": _pushed_to_inputs,
            "start gets the sum over its inputs in place of its 1": _start_replaced,
            "the derivatives of the inputs are added without the local derivatives": _without_rate,
        },
    ),
}
