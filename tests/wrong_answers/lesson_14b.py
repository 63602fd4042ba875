"""Lesson 14b, where text comes from."""

WRONG_ANSWERS = {
    "14.2": {
        "the sum of both": "def likeness(one, other, n):\n"
        "    A, B = shingles(one, n), shingles(other, n)\n"
        "    return len(A & B) / (len(A) + len(B))",
        "the smaller one": "def likeness(one, other, n):\n"
        "    A, B = shingles(one, n), shingles(other, n)\n"
        "    return len(A & B) / min(len(A), len(B))",
        "of the first": "def likeness(one, other, n):\n"
        "    A, B = shingles(one, n), shingles(other, n)\n"
        "    return len(A & B) / len(A)",
        "words": "def likeness(one, other, n):\n"
        "    A, B = set(plain_words(one).split()), set(plain_words(other).split())\n"
        "    return len(A & B) / len(A | B)",
    },
}
