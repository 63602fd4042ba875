"""Lesson 01."""

WRONG_ANSWERS = {
    "01.1": {
        "the token seen last": "def next_token_pairs(tokens):\n"
        "    return [[tokens[: t + 1], tokens[t]] for t in range(len(tokens) - 1)]",
        "one task too many": "def next_token_pairs(tokens):\n"
        "    return [[tokens[: t + 1], tokens[(t + 1) % len(tokens)]] for t in range(len(tokens))]",
        "only the token before": "def next_token_pairs(tokens):\n"
        "    return [[[tokens[t]], tokens[t + 1]] for t in range(len(tokens) - 1)]",
    },
    "01.2": {
        "position by id": "def embed_sentence(words, vocabulary, E_token, E_pos):\n"
        "    ids = [vocabulary.index(word) for word in words]\n"
        "    return add(embedding(ids, E_token), embedding([min(i, len(E_pos) - 1) for i in ids], E_pos))",
        "no positions": "def embed_sentence(words, vocabulary, E_token, E_pos):\n"
        "    return embedding([vocabulary.index(word) for word in words], E_token)",
        "all positions": "def embed_sentence(words, vocabulary, E_token, E_pos):\n"
        "    return add(embedding([vocabulary.index(word) for word in words], E_token), E_pos)",
        "our sentence only": "def embed_sentence(words, vocabulary, E_token, E_pos):\n    return X",
    },
    "01.3": {
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
    },
    "01.4": {
        "product": "def embedding_parameters(V, P, D):\n    return V * P * D",
        "tokens only": "def embedding_parameters(V, P, D):\n    return V * D",
    },
}
