"""Lesson 17."""

WRONG_ANSWERS = {
    "17.a": {
        "counts forgotten": "def my_most_frequent_pair(words):\n    counts = Counter()\n"
        "    for word in words:\n        counts.update(zip(word, word[1:]))\n"
        "    return max(counts, key=counts.get)",
        "once a word": "def my_most_frequent_pair(words):\n    counts = Counter()\n"
        "    for word, count in words.items():\n        for pair in dict.fromkeys(zip(word, word[1:])):\n"
        "            counts[pair] += count\n    return max(counts, key=counts.get)",
        "the last of equals": "def my_most_frequent_pair(words):\n    counts = Counter()\n"
        "    for word, count in words.items():\n        for pair in zip(word, word[1:]):\n"
        "            counts[pair] += count\n    best = None\n    for pair in counts:\n"
        "        if best is None or counts[pair] >= counts[best]:\n            best = pair\n    return best",
        "joined": "def my_most_frequent_pair(words):\n    counts = Counter()\n"
        "    for word, count in words.items():\n        for a, b in zip(word, word[1:]):\n"
        "            counts[a + b] += count\n    return max(counts, key=counts.get)",
        "the count": "def my_most_frequent_pair(words):\n    counts = Counter()\n"
        "    for word, count in words.items():\n        for pair in zip(word, word[1:]):\n"
        "            counts[pair] += count\n    return max(counts.values())",
        "the greatest key": "def my_most_frequent_pair(words):\n    counts = Counter()\n"
        "    for word, count in words.items():\n        for pair in zip(word, word[1:]):\n"
        "            counts[pair] += count\n    return max(counts)",
        "pairs side by side": "def my_most_frequent_pair(words):\n    counts = Counter()\n"
        "    for word, count in words.items():\n        for pair in zip(word[::2], word[1::2]):\n"
        "            counts[pair] += count\n    return max(counts, key=counts.get)",
    },
    "17.b": {
        "used twice": "def my_merge_pair(word, pair):\n    merged = []\n    for i in range(len(word)):\n"
        "        if word[i : i + 2] == pair:\n            merged.append(word[i] + word[i + 1])\n"
        "        else:\n            merged.append(word[i])\n    return tuple(merged)",
        "once": "def my_merge_pair(word, pair):\n    for i in range(len(word) - 1):\n"
        "        if word[i : i + 2] == pair:\n"
        "            return word[:i] + (pair[0] + pair[1],) + word[i + 2 :]\n    return word",
        "the last lost": "def my_merge_pair(word, pair):\n    merged, i = [], 0\n"
        "    while i < len(word) - 1:\n        if word[i : i + 2] == pair:\n"
        "            merged.append(word[i] + word[i + 1])\n            i += 2\n        else:\n"
        "            merged.append(word[i])\n            i += 1\n    return tuple(merged)",
        "by letters": "def my_merge_pair(word, pair):\n    new = pair[0] + pair[1]\n"
        "    text = new[:0].join(word)\n    merged = []\n    while text:\n"
        "        length = len(new) if text.startswith(new) else 1\n        merged.append(text[:length])\n"
        "        text = text[length:]\n    return tuple(merged)",
        "nothing": "def my_merge_pair(word, pair):\n    return tuple(word)",
        "either order": "def my_merge_pair(word, pair):\n    merged, i = [], 0\n    while i < len(word):\n"
        "        if sorted(word[i : i + 2]) == sorted(pair):\n"
        "            merged.append(word[i] + word[i + 1])\n            i += 2\n        else:\n"
        "            merged.append(word[i])\n            i += 1\n    return tuple(merged)",
    },
    "17.c": {
        "the first count": "def my_train_byte_pairs(words, n):\n    counts = Counter()\n"
        "    for word, count in words.items():\n        for pair in zip(word, word[1:]):\n"
        "            counts[pair] += count\n    return [pair for pair, _ in counts.most_common(n)]",
        "never joined": "def my_train_byte_pairs(words, n):\n"
        "    return [most_frequent_pair(words) for _ in range(n)]",
        "counts lost": "def my_train_byte_pairs(words, n):\n    merges = []\n"
        "    words = {word: 1 for word in words}\n    for _ in range(n):\n"
        "        pair = most_frequent_pair(words)\n        merges.append(pair)\n"
        "        words = {merge_pair(word, pair): count for word, count in words.items()}\n    return merges",
        "joined tokens": "def my_train_byte_pairs(words, n):\n    merges = []\n    for _ in range(n):\n"
        "        pair = most_frequent_pair(words)\n        merges.append(pair[0] + pair[1])\n"
        "        words = {merge_pair(word, pair): count for word, count in words.items()}\n    return merges",
        "one too few": "def my_train_byte_pairs(words, n):\n    merges = []\n    for _ in range(1, n):\n"
        "        pair = most_frequent_pair(words)\n        merges.append(pair)\n"
        "        words = {merge_pair(word, pair): count for word, count in words.items()}\n    return merges",
    },
    "17.d": {
        "leftmost": "def my_apply_merges(word, ranks):\n"
        "    while known := [pair for pair in zip(word, word[1:]) if pair in ranks]:\n"
        "        word = merge_pair(word, known[0])\n    return word",
        "highest rank": "def my_apply_merges(word, ranks):\n"
        "    while known := [pair for pair in zip(word, word[1:]) if pair in ranks]:\n"
        "        word = merge_pair(word, max(known, key=ranks.get))\n    return word",
        "longest": "def my_apply_merges(word, ranks):\n"
        "    while known := [pair for pair in zip(word, word[1:]) if pair in ranks]:\n"
        "        word = merge_pair(word, max(known, key=lambda pair: len(pair[0] + pair[1])))\n"
        "    return word",
        "once": "def my_apply_merges(word, ranks):\n"
        "    known = [pair for pair in zip(word, word[1:]) if pair in ranks]\n"
        "    return merge_pair(word, min(known, key=ranks.get)) if known else word",
        "in alphabetical order": "def my_apply_merges(word, ranks):\n"
        "    while known := [pair for pair in zip(word, word[1:]) if pair in ranks]:\n"
        "        word = merge_pair(word, min(known))\n    return word",
    },
    "17.e": {
        "one by one": "def my_decode_tokens(tokens):\n"
        "    return ''.join(token.decode('utf-8', errors='replace') for token in tokens)",
        "dropped": "def my_decode_tokens(tokens):\n"
        "    return b''.join(tokens).decode('utf-8', errors='ignore')",
        "Latin-1": "def my_decode_tokens(tokens):\n    return b''.join(tokens).decode('latin-1')",
        "spaces": "def my_decode_tokens(tokens):\n"
        "    return b' '.join(tokens).decode('utf-8', errors='replace')",
        "bytes": "def my_decode_tokens(tokens):\n    return b''.join(tokens)",
    },
}
