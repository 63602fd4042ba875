"""Lesson 11."""


def _adamw(p="p_i - lr * m_hat / (math.sqrt(v_hat) + eps) - lr * weight_decay * p_i", result="p, m, v"):
    """my_adamw_step with another line for p or another result."""
    return (
        "def my_adamw_step(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay):\n"
        "    m = [beta_1 * m_i + (1 - beta_1) * g_i for m_i, g_i in zip(m, g)]\n"
        "    v = [beta_2 * v_i + (1 - beta_2) * g_i**2 for v_i, g_i in zip(v, g)]\n"
        "    m_hats = [m_i / (1 - beta_1**step) for m_i in m]\n"
        "    v_hats = [v_i / (1 - beta_2**step) for v_i in v]\n"
        f"    p = [{p} for p_i, m_hat, v_hat in zip(p, m_hats, v_hats)]\n"
        f"    return {result}"
    )


WRONG_ANSWERS = {
    "11.a": {
        "m, v, p": _adamw(result="m, v, p"),
        "p, v, m": _adamw(result="p, v, m"),
        "the corrected moments": _adamw(result="p, m_hats, v_hats"),
        "eps under the root": _adamw("p_i - lr * m_hat / math.sqrt(v_hat + eps) - lr * weight_decay * p_i"),
        "decay without lr": _adamw("p_i - lr * m_hat / (math.sqrt(v_hat) + eps) - weight_decay * p_i"),
    },
    "11.b": {
        "the first optimizer": "def my_train(p, optimizer, gradient_of, update, steps):\n"
        "    for _ in range(steps):\n"
        "        p, _new = update(p, gradient_of(p), optimizer)\n"
        "    return p",
        "update called twice": "def my_train(p, optimizer, gradient_of, update, steps):\n"
        "    for _ in range(steps):\n"
        "        p = update(p, gradient_of(p), optimizer)[0]\n"
        "        optimizer = update(p, gradient_of(p), optimizer)[1]\n"
        "    return p",
        "one gradient": "def my_train(p, optimizer, gradient_of, update, steps):\n"
        "    g = gradient_of(p)\n"
        "    for _ in range(steps):\n"
        "        p, optimizer = update(p, g, optimizer)\n"
        "    return p",
    },
}
