"""Lesson 10b, the bug hunt."""

WRONG_ANSWERS = {
    "10.2": {
        "upwards only": "def directional_derivative(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, h))) - function(A)) / h",
        "divided by one nudge": "def directional_derivative(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, h))) - function(add(A, scale(direction, -h)))) / h",
        "direction made as long as 1": "def directional_derivative(function, A, direction, h):\n"
        "    length = sum(d * d for row in direction for d in row) ** 0.5\n"
        "    return (function(add(A, scale(direction, h / length)))\n"
        "            - function(add(A, scale(direction, -h / length)))) / (2 * h)",
        "downwards first": "def directional_derivative(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, -h))) - function(add(A, scale(direction, h)))) / "
        "(2 * h)",
    }
}
