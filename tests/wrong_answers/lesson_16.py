"""Lesson 16."""

_ENTROPY = """def my_entropy(rule):
    nats = tokens = 0
    for plot in rule["plots"]:
        nats += math.log(len(rule["plots"]))
        for kind, slots in slots_of(plot).items():
            nats += math.log(math.perm(len(rule[kind]), len(slots)))
        tokens += len(plot.split()) + 1
    return nats / tokens"""
_VOCAB = """def my_vocab(stories):
    words = {word for story in stories for word in story.split()}
    return ["<PAD>", "<BOS>", "<EOS>", *sorted(words)]"""
_RIGHT = """def my_right(logits, targets, kinds, kind):
    chosen = [(row, target) for row, target, k in zip(logits, targets, kinds) if k == kind]
    return sum(row.index(max(row)) == target for row, target in chosen) / len(chosen)"""
_ABLATE = """def my_ablate(W, k, head):
    mine = range(head * k, (head + 1) * k)
    return [[0.0 if i in mine else w for i, w in enumerate(row)] for row in W]"""

WRONG_ANSWERS = {
    "16.a": {
        "no plot": _ENTROPY.replace('        nats += math.log(len(rule["plots"]))\n', ""),
        "the plot once": _ENTROPY.replace('        nats += math.log(len(rule["plots"]))\n', "").replace(
            "nats = tokens = 0", 'nats, tokens = math.log(len(rule["plots"])), 0'
        ),
        "no <EOS>": _ENTROPY.replace("len(plot.split()) + 1", "len(plot.split())"),
        "a story": _ENTROPY.replace("nats / tokens", 'nats / len(rule["plots"])'),
        "the sum": _ENTROPY.replace("nats / tokens", "nats"),
        "combinations": _ENTROPY.replace("math.perm", "math.comb"),
        "with repetition": _ENTROPY.replace(
            "math.perm(len(rule[kind]), len(slots))", "len(rule[kind]) ** len(slots)"
        ),
        "one slot": _ENTROPY.replace("math.perm(len(rule[kind]), len(slots))", "len(rule[kind])"),
        "bits": _ENTROPY.replace("math.log(", "math.log2("),
        "mean of means": "def my_entropy(rule):\n"
        "    n, each = len(rule['plots']), []\n"
        "    for plot in rule['plots']:\n"
        "        ways = [math.perm(len(rule[k]), len(s)) for k, s in slots_of(plot).items()]\n"
        "        each.append(math.log(n * math.prod(ways)) / (len(plot.split()) + 1))\n"
        "    return sum(each) / n",
        "rounded": _ENTROPY.replace("nats / tokens", "round(nats / tokens, 4)"),
    },
    "16.b": {
        "characters": _VOCAB.replace("for word in story.split()", "for word in story"),
        "several times": _VOCAB.replace("{word for", "[word for").replace("split()}", "split()]"),
        "unsorted": _VOCAB.replace("{word for", "dict.fromkeys(word for")
        .replace("split()}", "split())")
        .replace("sorted(words)", "words"),
        "no special tokens": _VOCAB.replace('"<PAD>", "<BOS>", "<EOS>", ', ""),
        "special tokens last": _VOCAB.replace(
            '["<PAD>", "<BOS>", "<EOS>", *sorted(words)]', '[*sorted(words), "<PAD>", "<BOS>", "<EOS>"]'
        ),
        "all sorted": _VOCAB.replace(
            '["<PAD>", "<BOS>", "<EOS>", *sorted(words)]', 'sorted({"<PAD>", "<BOS>", "<EOS>"} | words)'
        ),
        "no full stop": _VOCAB.replace("sorted(words)", 'sorted(words - {"."})'),
        "one story": _VOCAB.replace("in stories for", "in stories[:1] for"),
    },
    "16.c": {
        "all kinds": _RIGHT.replace(" if k == kind", ""),
        "divided by all": _RIGHT.replace("len(chosen)", "len(targets)"),
        "a number": _RIGHT.replace(" / len(chosen)", ""),
        "the smallest": _RIGHT.replace("max(row)", "min(row)"),
        "the wrong words": _RIGHT.replace(") == target", ") != target"),
        "the next target": _RIGHT.replace("zip(logits, targets,", "zip(logits, targets[1:] + targets[-1:],"),
        "a probability": "def my_right(logits, targets, kinds, kind):\n"
        "    chosen = [softmax(row)[t] for row, t, k in zip(logits, targets, kinds) if k == kind]\n"
        "    return sum(chosen) / len(chosen)",
        "percent": _RIGHT.replace("return sum", "return 100 * sum"),
    },
    "16.d": {
        "rows": _ABLATE.replace(
            "[[0.0 if i in mine else w for i, w in enumerate(row)] for row in W]",
            "[[0.0] * len(row) if i in mine else row for i, row in enumerate(W)]",
        ),
        "the others": _ABLATE.replace("if i in mine", "if i not in mine"),
        "from head": _ABLATE.replace("range(head * k, (head + 1) * k)", "range(head, head + k)"),
        "one too many": _ABLATE.replace("(head + 1) * k)", "(head + 1) * k + 1)"),
        "one column": _ABLATE.replace("range(head * k, (head + 1) * k)", "[head * k]"),
        "unchanged": "def my_ablate(W, k, head):\n    return W",
    },
}
