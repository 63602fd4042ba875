"""Lesson 12."""

WRONG_ANSWERS = {
    "12.1": {
        "overwritten": "def forward_mode(order, made_of, start):\n"
        "    slopes = [0.0] * len(made_of)\n"
        "    slopes[start] = 1.0\n"
        "    for number in reversed(order):\n"
        "        for source, slope in made_of[number]:\n"
        "            slopes[number] = slope * slopes[source]\n"
        "    return slopes",
        "the start's 1 lost": "def forward_mode(order, made_of, start):\n"
        "    slopes = [0.0] * len(made_of)\n"
        "    slopes[start] = 1.0\n"
        "    for number in reversed(order):\n"
        "        slopes[number] = sum(slope * slopes[source] for source, slope in made_of[number])\n"
        "    return slopes",
        "the start's 1 lost where it has sources": "def forward_mode(order, made_of, start):\n"
        "    slopes = [0.0] * len(made_of)\n"
        "    slopes[start] = 1.0\n"
        "    for number in reversed(order):\n"
        "        if made_of[number]:\n"
        "            slopes[number] = sum(slope * slopes[source] for source, slope in made_of[number])\n"
        "    return slopes",
        "the order of the way back": "def forward_mode(order, made_of, start):\n"
        "    slopes = [0.0] * len(made_of)\n"
        "    slopes[start] = 1.0\n"
        "    for number in order:\n"
        "        for source, slope in made_of[number]:\n"
        "            slopes[number] += slope * slopes[source]\n"
        "    return slopes",
        "gradients once more": "def forward_mode(order, made_of, start):\n"
        "    slopes = [0.0] * len(made_of)\n"
        "    slopes[order[0]] = 1.0\n"
        "    for number in order:\n"
        "        for source, slope in made_of[number]:\n"
        "            slopes[source] += slope * slopes[number]\n"
        "    return slopes",
    }
}
