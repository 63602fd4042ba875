"""Lesson 14b."""

WRONG_ANSWERS = {
    "14.d": {
        "a mark anywhere": "def my_decode(data):\n    for mark, encoding in BOMS.items():\n"
        "        if mark in data:\n            return data.decode(encoding, 'replace'), encoding\n"
        "    try:\n        return data.decode('utf-8'), 'utf-8'\n"
        "    except UnicodeDecodeError:\n        return data.decode('cp1252'), 'cp1252'",
        "the other order": "def my_decode(data):\n    for mark, encoding in BOMS.items():\n"
        "        if data.startswith(mark):\n            return encoding, data.decode(encoding)\n"
        "    try:\n        return 'utf-8', data.decode('utf-8')\n"
        "    except UnicodeDecodeError:\n        return 'cp1252', data.decode('cp1252')",
    },
    "14.e": {"as they are": "def my_deduplicate(texts):\n    return list(dict.fromkeys(texts))"},
    "14.1": {
        "no leaks sought": "def fair_split(lines, names):\n"
        "    return [t for name, t in lines if name not in names], [t for name, t in lines if name in names]",
        "names in one text": "def fair_split(lines, names):\n    joined = ''.join(names)\n"
        "    test_set = [t for name, t in lines if name in joined]\n"
        "    known = {comparison_key(t) or t for t in test_set}\n"
        "    return [t for name, t in lines if name not in joined and (comparison_key(t) or t) not in "
        "known], test_set",
        "through dicts": "def fair_split(lines, names):\n"
        "    test_set = [t for name, t in lines if name in names]\n"
        "    known = {comparison_key(t) or t for t in test_set}\n"
        "    train_set = [t for name, t in lines if name not in names and (comparison_key(t) or t) not "
        "in known]\n"
        "    return list(dict.fromkeys(train_set)), list(dict.fromkeys(test_set))",
        "what leaks is not tested": "def fair_split(lines, names):\n"
        "    train_set = [t for name, t in lines if name not in names]\n"
        "    known = {comparison_key(t) or t for t in train_set}\n"
        "    return train_set, [t for name, t in lines if name in names and (comparison_key(t) or t) not "
        "in known]",
    },
}
