"""Lesson 13b."""

WRONG_ANSWERS = {
    "13.1": {
        "the latest": "def longest_match(tokens):\n"
        "    return max((j, tokens[j + 1]) for j in range(len(tokens) - 1) if tokens[j] == tokens[-1])[1]",
        "the first": "def longest_match(tokens):\n    return tokens[tokens.index(tokens[-1]) + 1]",
        "the first of the longest": "def longest_match(tokens):\n"
        "    best, answer, end = 0, None, len(tokens) - 1\n"
        "    for j in range(end):\n"
        "        agree = 0\n"
        "        while agree <= j and tokens[j - agree] == tokens[end - agree]:\n"
        "            agree += 1\n"
        "        if agree > best:\n"
        "            best, answer = agree, tokens[j + 1]\n"
        "    return answer",
        "around the start": "def longest_match(tokens):\n"
        "    best, answer, n = 0, None, len(tokens)\n"
        "    for j in range(n - 1):\n"
        "        k = 0\n"
        "        while k < n and tokens[j - k] == tokens[n - 1 - k]:\n"
        "            k += 1\n"
        "        if k and k >= best:\n"
        "            best, answer = k, tokens[j + 1]\n"
        "    return answer",
        "across gaps": "def longest_match(tokens):\n"
        "    best, answer, n = -1, None, len(tokens)\n"
        "    for j in range(n - 1):\n"
        "        if tokens[j] == tokens[-1]:\n"
        "            k = sum(a == b for a, b in zip(tokens[:j][::-1], tokens[:-1][::-1]))\n"
        "            if k >= best:\n"
        "                best, answer = k, tokens[j + 1]\n"
        "    return answer",
        "the token itself": "def longest_match(tokens):\n    return tokens[-1]",
    },
    "13.e": {
        "the one before": "def my_next(tokens):\n    return tokens[tokens.index(tokens[-1]) - 1]",
        "an open circle": "def my_next(tokens):\n    return tokens[tokens.index(tokens[-1]) + 1]",
        "the alphabet": "def my_next(tokens):\n    return (tokens[-1] + 1) % 5",
        "the place": "def my_next(tokens):\n    return (tokens.index(tokens[-1]) + 1) % 5",
        "itself": "def my_next(tokens):\n    return tokens[-1]",
    },
}
