"""Lesson 01."""

WRONG_ANSWERS = {
    "01.1": {
        "replace": "def merge(pieces, left, right):\n"
        "    return ' '.join(pieces).replace(left + ' ' + right, left + right).split()",
        "overlapping": "def merge(pieces, left, right):\n"
        "    merged = []\n"
        "    for i, piece in enumerate(pieces):\n"
        "        merged.append(left + right if pieces[i : i + 2] == [left, right] else piece)\n"
        "    return merged",
        "first match only": "def merge(pieces, left, right):\n"
        "    for i in range(len(pieces)):\n"
        "        if pieces[i : i + 2] == [left, right]:\n"
        "            return pieces[:i] + [left + right] + pieces[i + 2 :]\n"
        "    return pieces",
        "changes its input": "def merge(pieces, left, right):\n"
        "    i = 0\n"
        "    while i < len(pieces):\n"
        "        if pieces[i : i + 2] == [left, right]:\n"
        "            pieces[i : i + 2] = [left + right]\n"
        "        i += 1\n"
        "    return pieces",
    }
}
