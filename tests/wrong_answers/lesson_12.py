"""Lesson 12."""

CLASS = (
    "class MyValue:\n"
    "    def __init__(self, data, *inputs):\n"
    "        self.data, self.inputs, self.gradient = data, inputs, 0.0\n"
    "    def __add__(self, other):\n"
    "        return MyValue(self.data + other.data, {sum})\n"
    "    def __mul__(self, other):\n"
    "        return MyValue(self.data * other.data, {product})"
)
SUM, PRODUCT = "(self, 1.0), (other, 1.0)", "(self, other.data), (other, self.data)"
SEARCH = (
    "def my_order(last):\n"
    "    order, seen = [], {seen}\n"
    "    def visit(value):\n"
    "        if value not in seen:\n"
    "            {note}\n"
    "            {before}\n"
    "            for x, _ in value.inputs:\n"
    "                visit(x)\n"
    "            {after}\n"
    "    visit(last)\n"
    "    return {result}"
)
WALK = (
    "def my_walk(order):\n"
    "    order[0].gradient = 1.0\n"
    "    for value in order:\n"
    "        for x, derivative in value.inputs:\n"
    "            {step}\n"
    "    return [value.gradient for value in order]"
)
FORWARD = (
    "def my_forward_mode(order, start):\n"
    "    derivatives = {value: 0.0 for value in order}\n"
    "    derivatives[start] = 1.0\n"
    "    for value in LOOP:\n"
    "        STEP\n"
    "    return [derivatives[value] for value in order]"
)


def search(seen="set()", note="seen.add(value)", before="pass", after="pass", result="order[::-1]"):
    return SEARCH.format(seen=seen, note=note, before=before, after=after, result=result)


def forward(loop, step):
    return FORWARD.replace("LOOP", loop).replace("STEP", step)


WRONG_ANSWERS = {
    "12.a": {
        "each factor's own data": CLASS.format(sum=SUM, product="(self, self.data), (other, other.data)"),
        "the product's derivatives are 1": CLASS.format(sum=SUM, product=SUM),
        "no inputs": CLASS.format(sum="*()", product=PRODUCT),
        "one input": CLASS.format(sum=SUM, product="(self, other.data)"),
    },
    "12.b": {
        "overwritten": WALK.format(step="x.gradient = derivative * value.gradient"),
        "without local derivatives": WALK.format(step="x.gradient += value.gradient"),
        "direction swapped": WALK.format(step="value.gradient += derivative * x.gradient"),
    },
    "12.c": {
        "inputs first": search(after="order.append(value)", result="order"),
        "depth-first": search(before="order.append(value)", result="order"),
        "depth-first, reversed": search(before="order.append(value)"),
        "depth-first, with a list": search(
            seen="[]", note="seen.append(value)", before="order.append(value)", result="order"
        ),
        "breadth-first": "def my_order(last):\n"
        "    order = [last]\n"
        "    for value in order:\n"
        "        order += [x for x, _ in value.inputs if x not in order]\n"
        "    return list(dict.fromkeys(order))",
        "every path": "def my_order(last):\n"
        "    order = []\n"
        "    def visit(value):\n"
        "        for x, _ in value.inputs:\n"
        "            visit(x)\n"
        "        order.append(value)\n"
        "    visit(last)\n"
        "    return order[::-1]",
        "a list for the values that were seen": search(
            seen="[]", note="seen.append(value)", after="order.append(value)"
        ),
    },
    "12.d": {
        "overwritten": forward(
            "reversed(order)",
            "for x, derivative in value.inputs: derivatives[value] = derivative * derivatives[x]",
        ),
        "start replaced": forward(
            "reversed(order)",
            "derivatives[value] = sum(derivative * derivatives[x] for x, derivative in value.inputs)",
        ),
        "start replaced where it has inputs": forward(
            "reversed(order)",
            "derivatives[value] = sum(d * derivatives[x] for x, d in value.inputs) "
            "if value.inputs else derivatives[value]",
        ),
        "from the result": forward(
            "order", "for x, derivative in value.inputs: derivatives[value] += derivative * derivatives[x]"
        ),
        "reversed results": forward(
            "reversed(order)",
            "for x, derivative in value.inputs: derivatives[value] += derivative * derivatives[x]",
        ).replace("for value in order]", "for value in reversed(order)]"),
        "start ignored": forward(
            "reversed(order)",
            "for x, derivative in value.inputs: derivatives[value] += derivative * derivatives[x]",
        ).replace("derivatives[start]", "derivatives[order[-1]]"),
        "gradients": "def my_forward_mode(order, start):\n"
        "    order[0].gradient = 1.0\n"
        "    for value in order:\n"
        "        for x, derivative in value.inputs:\n"
        "            x.gradient += derivative * value.gradient\n"
        "    return [value.gradient for value in order]",
    },
}
