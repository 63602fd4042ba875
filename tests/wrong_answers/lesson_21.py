"""Lesson 21."""

_SCORE = """def my_induction_score(weights, n):
    T = len(weights)
    return sum(weights[t][t - n + 1] for t in range(n, T)) / (T - n)"""
_ABLATE = """def my_ablation(head, place, rows):
    if place == head:
        return [[0.0] * len(row) for row in rows]
    return rows"""
_RANK = """def my_rank(logits, token):
    return sum(logit > logits[token] for logit in logits) + 1"""
_PATCH = """def my_patch(saved, name, position, place, rows):
    if place != name:
        return rows
    return [*rows[:position], saved[name][position], *rows[position + 1:]]"""

WRONG_ANSWERS = {
    "21.a": {
        "the copy itself": _SCORE.replace("t - n + 1", "t - n"),
        "one before it": _SCORE.replace("t - n + 1", "t - n - 1"),
        "two after it": _SCORE.replace("t - n + 1", "t - n + 2"),
        "turned": _SCORE.replace("weights[t][t - n + 1]", "weights[t - n + 1][t]"),
        "the sum": _SCORE.replace(" / (T - n)", ""),
        "divided by T": _SCORE.replace("(T - n)", "T"),
        "divided by n": _SCORE.replace("(T - n)", "n"),
        "one more in the divisor": _SCORE.replace("(T - n)", "(T - n + 1)"),
        "from n + 1": _SCORE.replace("range(n, T)) / (T - n)", "range(n + 1, T)) / (T - n - 1)"),
        "from n - 1": _SCORE.replace("range(n, T)) / (T - n)", "range(n - 1, T)) / (T - n + 1)"),
        "not the last": _SCORE.replace("range(n, T)) / (T - n)", "range(n, T - 1)) / (T - n - 1)"),
        "the token before": _SCORE.replace("t - n + 1", "t - 1"),
        "every token before": _SCORE.replace("t - n + 1", "t - 1").replace(
            "range(n, T)) / (T - n)", "range(1, T)) / (T - 1)"
        ),
        "the maximum": _SCORE.replace("sum(", "max(").replace(" / (T - n)", ""),
        "counted from 1": _SCORE.replace("t - n + 1", "t - (n + 1)"),
        "rounded": _SCORE.replace("return ", "return round(").replace("(T - n)", "(T - n), 2)"),
        "in percent": _SCORE.replace("return ", "return 100 * "),
        "how often the largest": _SCORE.replace(
            "sum(weights[t][t - n + 1]", "sum(weights[t][t - n + 1] == max(weights[t])"
        ),
    },
    "21.b": {
        "everywhere": "def my_ablation(head, place, rows):\n    return [[0.0] * len(row) for row in rows]",
        "the others": _ABLATE.replace("place == head", "place != head"),
        "nothing": "def my_ablation(head, place, rows):\n    return rows",
        "the block": _ABLATE.replace("place == head", "place[0] == head[0]"),
        "the number": _ABLATE.replace("place == head", "place[-1] == head[-1]"),
        "ones": _ABLATE.replace("0.0", "1.0"),
        "the first row": _ABLATE.replace(
            "[[0.0] * len(row) for row in rows]", "[[0.0] * len(rows[0])] + rows[1:]"
        ),
        "the last row": _ABLATE.replace(
            "[[0.0] * len(row) for row in rows]", "rows[:-1] + [[0.0] * len(rows[-1])]"
        ),
    },
    "21.c": {
        "from 0": _RANK.replace(" + 1", ""),
        "the smaller ones": _RANK.replace(">", "<"),
        "with itself and more": _RANK.replace(">", ">="),
        "ties": _RANK.replace("> logits[token]", ">= logits[token]").replace(" + 1", ""),
        "sorted upwards": "def my_rank(logits, token):\n    return sorted(logits).index(logits[token]) + 1",
        "sorted, from 0": "def my_rank(logits, token):\n    return sorted(logits, reverse=True).index(logits[token])",
        "the token at this rank": "def my_rank(logits, token):\n"
        "    return sorted(range(len(logits)), key=lambda i: -logits[i])[token]",
        "order of tokens": "def my_rank(logits, token):\n"
        "    return sorted(range(len(logits)), key=lambda i: -logits[i]).index(token) + 1",
        "the best": "def my_rank(logits, token):\n    return logits.index(max(logits))",
        "above the token's number": _RANK.replace("> logits[token]", "> token"),
    },
    "21.d": {
        "all rows": _PATCH.replace(
            "[*rows[:position], saved[name][position], *rows[position + 1:]]", "saved[name]"
        ),
        "everywhere": "def my_patch(saved, name, position, place, rows):\n"
        "    if place not in saved:\n        return rows\n"
        "    return [*rows[:position], saved[place][position], *rows[position + 1:]]",
        "nothing": "def my_patch(saved, name, position, place, rows):\n    return rows",
        "up to": _PATCH.replace("*rows[:position], saved[name][position]", "*saved[name][:position + 1]"),
        "from there": _PATCH.replace(
            "saved[name][position], *rows[position + 1:]", "*saved[name][position:]"
        ),
        "the others": _PATCH.replace(
            "*rows[:position], saved[name][position], *rows[position + 1:]",
            "*saved[name][:position], rows[position], *saved[name][position + 1:]",
        ),
        "the sum": _PATCH.replace(
            "saved[name][position]", "[a + b for a, b in zip(rows[position], saved[name][position])]"
        ),
        "zeros": _PATCH.replace("saved[name][position]", "[0.0] * len(rows[position])"),
        "the first row": _PATCH.replace("saved[name][position]", "saved[name][0]"),
        "the last row": _PATCH.replace("saved[name][position]", "saved[name][-1]"),
        "inserted": _PATCH.replace("rows[position + 1:]", "rows[position:]"),
        "only the row": _PATCH.replace(
            "[*rows[:position], saved[name][position], *rows[position + 1:]]", "[saved[name][position]]"
        ),
        "removed": _PATCH.replace("saved[name][position], ", ""),
        "mean": _PATCH.replace(
            "saved[name][position]", "[(a + b) / 2 for a, b in zip(rows[position], saved[name][position])]"
        ),
    },
}
