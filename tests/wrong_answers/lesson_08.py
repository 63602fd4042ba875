"""Lesson 08."""

FORWARD = """def my_forward(p, tokens, targets):
    X = {X}
    attention_output = multi_head_attention(X, p["W_Q"], p["W_K"], p["W_V"], p["W_O"], {mask})
    residual = {residual}
    normed = layer_norm(residual, p["gamma"], p["beta"])
    logits = linear({last}, p["W_lm"])
    return {loss}"""
STEPS = {
    "X": 'add(embedding(tokens, p["E_token"]), embedding(list(range(len(tokens))), p["E_pos"]))',
    "mask": "causal_mask(len(tokens))",
    "residual": (
        'add(attention_output, feed_forward(attention_output, p["W_1"], p["b_1"], p["W_2"], p["b_2"]))'
    ),
    "last": "normed",
    "loss": "cross_entropy(logits[:len(targets)], targets)",
}


def forward(**other):
    return FORWARD.format(**{**STEPS, **other})


STEP = """def my_descent_step(f, x, learning_rate):
    h, new = 1e-5, []
    for i in range(len(x)):
        up, down = list(x), list(x)
        up[i] += h
        down[i] -= h
        new.append({entry})
    return new"""

WRONG_ANSWERS = {
    "08.a": {
        "the mean for the largest": "def my_token_loss(row, target):\n"
        "    mean = sum(row) / len(row)\n"
        "    return math.log(sum(math.exp(y - mean) for y in row)) - (row[target] - mean)",
        "the first for the largest": "def my_token_loss(row, target):\n"
        "    first = row[0]\n"
        "    return math.log(sum(math.exp(y - first) for y in row)) - (row[target] - first)",
        "nothing subtracted": "def my_token_loss(row, target):\n"
        "    return math.log(sum(math.exp(y) for y in row)) - row[target]",
        "the target's logit left out": "def my_token_loss(row, target):\n"
        "    largest = max(row)\n"
        "    return math.log(sum(math.exp(y - largest) for y in row))",
        "softmax first": "def my_token_loss(row, target):\n    return -math.log(softmax(row)[target])",
        "softmax with a floor": "def my_token_loss(row, target):\n"
        "    return -math.log(max(softmax(row)[target], 1e-12))",
        "in bits": "def my_token_loss(row, target):\n"
        "    largest = max(row)\n"
        "    return math.log2(sum(math.exp(y - largest) for y in row)) - "
        "(row[target] - largest) / math.log(2)",
    },
    "08.b": {
        "feed-forward reads X": forward(
            residual='add(attention_output, feed_forward(X, p["W_1"], p["b_1"], p["W_2"], p["b_2"]))'
        ),
        "residual adds X": forward(
            residual='add(X, feed_forward(attention_output, p["W_1"], p["b_1"], p["W_2"], p["b_2"]))'
        ),
        "no residual connection": forward(
            residual='feed_forward(attention_output, p["W_1"], p["b_1"], p["W_2"], p["b_2"])'
        ),
        "no layer norm": forward(last="residual"),
        "no mask": forward(mask="None"),
        "softmax twice": forward(
            loss="cross_entropy([softmax(row) for row in logits[:len(targets)]], targets)"
        ),
        "all positions": forward(loss="cross_entropy(logits, targets)"),
    },
    "08.c": {
        "uphill": STEP.format(entry="x[i] + learning_rate * (f(up) - f(down)) / (2 * h)"),
        "one-sided": STEP.format(entry="x[i] - learning_rate * (f(up) - f(x)) / h"),
        "divided by h": STEP.format(entry="x[i] - learning_rate * (f(up) - f(down)) / h"),
        "a bracket forgotten": STEP.format(entry="x[i] - learning_rate * (f(up) - f(down)) / 2 * h"),
        "only the gradient": STEP.format(entry="(f(up) - f(down)) / (2 * h)"),
    },
}
