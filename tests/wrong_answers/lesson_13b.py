"""Lesson 13b."""

WRONG_ANSWERS = {
    "13.e": {
        "the one before": "def my_next(tokens):\n    return tokens[tokens.index(tokens[-1]) - 1]",
        "an open circle": "def my_next(tokens):\n    return tokens[tokens.index(tokens[-1]) + 1]",
        "the alphabet": "def my_next(tokens):\n    return (tokens[-1] + 1) % 5",
        "the place": "def my_next(tokens):\n    return (tokens.index(tokens[-1]) + 1) % 5",
        "itself": "def my_next(tokens):\n    return tokens[-1]",
    }
}
