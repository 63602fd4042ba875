"""Lesson 22."""

_POLICY = """def my_policy_loss(losses, advantages):
    total = 0.0
    for some, a in zip(losses, advantages):
        total += a * sum(some)
    return total / len(losses)"""
_DPO = """def my_dpo_loss(new_liked, old_liked, new_disliked, old_disliked, beta):
    margin = beta * ((new_liked - old_liked) - (new_disliked - old_disliked))
    return math.log(1 + math.exp(-margin))"""
_MASKED = """def my_masked_loss(losses, mask):
    return sum(loss * m for loss, m in zip(losses, mask)) / sum(mask)"""

WRONG_ANSWERS = {
    "22.a": {
        "the sign": _POLICY.replace("total += a", "total -= a"),
        "means": _POLICY.replace("sum(some)", "sum(some) / len(some)"),
        "no mean": _POLICY.replace(" / len(losses)", ""),
        "by tokens": _POLICY.replace("len(losses)", "sum(len(some) for some in losses)"),
        "no advantage": _POLICY.replace("a * sum", "sum"),
        "absolute": _POLICY.replace("a * sum", "abs(a) * sum"),
        "the good ones": _POLICY.replace("a * sum", "max(a, 0) * sum"),
        "by advantages": _POLICY.replace("len(losses)", "(sum(advantages) or 1)"),
        "the last token": _POLICY.replace("sum(some)", "some[-1]"),
        "the first token": _POLICY.replace("sum(some)", "some[0]"),
        "the largest": _POLICY.replace("sum(some)", "max(some)"),
        "probabilities": _POLICY.replace("sum(some)", "math.exp(-sum(some))"),
        "a token too few": _POLICY.replace("sum(some)", "sum(some[:-1])"),
        "centred again": "def my_policy_loss(losses, advantages):\n"
        "    mean = sum(advantages) / len(advantages)\n"
        "    return sum((a - mean) * sum(some) for some, a in zip(losses, advantages)) / len(losses)",
        "squared": _POLICY.replace("a * sum", "a * a * sum"),
    },
    "22.b": {
        "exchanged": _DPO.replace("exp(-margin)", "exp(margin)"),
        "old for new": _DPO.replace(
            "(new_liked - old_liked) - (new_disliked - old_disliked)",
            "(old_liked - new_liked) - (old_disliked - new_disliked)",
        ),
        "no first model": _DPO.replace(
            "((new_liked - old_liked) - (new_disliked - old_disliked))", "(new_liked - new_disliked)"
        ),
        "no beta": _DPO.replace("beta * (", "("),
        "by beta": _DPO.replace("beta * (", "1 / beta * ("),
        "beta once": _DPO.replace("beta * ((new_liked - old_liked)", "(beta * (new_liked - old_liked)"),
        "added": _DPO.replace(") - (new_dis", ") + (new_dis"),
        "no disliked": _DPO.replace(" - (new_disliked - old_disliked)", ""),
        "no liked": _DPO.replace("(new_liked - old_liked) - ", "-"),
        "the margin": _DPO.replace("math.log(1 + math.exp(-margin))", "margin"),
        "minus the margin": _DPO.replace("math.log(1 + math.exp(-margin))", "-margin"),
        "the sigmoid": _DPO.replace("math.log(1 + math.exp(-margin))", "1 / (1 + math.exp(-margin))"),
        "negative": _DPO.replace("return math.log", "return -math.log"),
        "one minus": _DPO.replace("math.log(1 + math.exp(-margin))", "1 - 1 / (1 + math.exp(-margin))"),
        "bits": _DPO.replace("math.log(", "math.log2("),
        "a hinge": _DPO.replace("math.log(1 + math.exp(-margin))", "max(0, 1 - margin)"),
    },
    "22.c": {
        "by all": _MASKED.replace("sum(mask)", "len(mask)"),
        "a sum": _MASKED.replace(" / sum(mask)", ""),
        "the question": _MASKED.replace("loss * m for", "loss * (1 - m) for").replace(
            "sum(mask)", "max(1, len(mask) - sum(mask))"
        ),
        "no mask": "def my_masked_loss(losses, mask):\n    return sum(losses) / len(losses)",
        "moved": _MASKED.replace("zip(losses, mask)", "zip(losses, mask[1:] + mask[:1])"),
        "moved back": _MASKED.replace("zip(losses, mask)", "zip(losses, mask[-1:] + mask[:-1])"),
        "cut": _MASKED.replace("zip(losses, mask)", "zip(losses, mask[1:])"),
        "the last": "def my_masked_loss(losses, mask):\n    return losses[-1]",
        "the first": "def my_masked_loss(losses, mask):\n    return losses[mask.index(1)]",
        "a list": "def my_masked_loss(losses, mask):\n"
        "    return [loss for loss, m in zip(losses, mask) if m]",
        "products": "def my_masked_loss(losses, mask):\n    return [x * m for x, m in zip(losses, mask)]",
        "wrongly summed": "def my_masked_loss(losses, mask):\n    return sum(losses) / sum(mask)",
        "from the first on": "def my_masked_loss(losses, mask):\n    rest = losses[mask.index(1):]\n"
        "    return sum(rest) / len(rest)",
        "the median": "def my_masked_loss(losses, mask):\n"
        "    kept = sorted(loss for loss, m in zip(losses, mask) if m)\n"
        "    return (kept[(len(kept) - 1) // 2] + kept[len(kept) // 2]) / 2",
        "without the last": _MASKED.replace("zip(losses, mask)", "zip(losses[:-1], mask)"),
    },
}
