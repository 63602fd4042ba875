"""Lesson 14b."""

WRONG_ANSWERS = {
    "14.2": {
        "no leaks sought": "def fair_split(lines, names):\n"
        "    return [t for name, t in lines if name not in names], [t for name, t in lines if name in names]",
        "names in one text": "def fair_split(lines, names):\n    joined = ''.join(names)\n"
        "    held_out = [t for name, t in lines if name in joined]\n"
        "    known = {comparison_key(t) or t for t in held_out}\n"
        "    return [t for name, t in lines if name not in joined and (comparison_key(t) or t) not in "
        "known], held_out",
        "through dicts": "def fair_split(lines, names):\n"
        "    held_out = [t for name, t in lines if name in names]\n"
        "    known = {comparison_key(t) or t for t in held_out}\n"
        "    training = [t for name, t in lines if name not in names and (comparison_key(t) or t) not "
        "in known]\n"
        "    return list(dict.fromkeys(training)), list(dict.fromkeys(held_out))",
        "what leaks is not tested": "def fair_split(lines, names):\n"
        "    training = [t for name, t in lines if name not in names]\n"
        "    known = {comparison_key(t) or t for t in training}\n"
        "    return training, [t for name, t in lines if name in names and (comparison_key(t) or t) not "
        "in known]",
    }
}
