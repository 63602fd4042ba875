"""Lesson 10b, the bug hunt."""

WRONG_ANSWERS = {
    "10.i": {
        "the whole direction": "def my_directional_derivative(function, A, direction, h):\n"
        "    return (function(add(A, direction)) - function(add(A, scale(direction, -1)))) / (2 * h)",
        "one-sided": "def my_directional_derivative(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, h))) - function(A)) / h",
        "divided by h": "def my_directional_derivative(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, h))) - function(add(A, scale(direction, -h)))) / h",
        "direction of length 1": "def my_directional_derivative(function, A, direction, h):\n"
        "    length = sum(d * d for row in direction for d in row) ** 0.5\n"
        "    return (function(add(A, scale(direction, h / length)))\n"
        "            - function(add(A, scale(direction, -h / length)))) / (2 * h)",
        "sign reversed": "def my_directional_derivative(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, -h))) - function(add(A, scale(direction, h)))) / "
        "(2 * h)",
    }
}
