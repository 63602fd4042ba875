"""Lesson 21."""

_SCORE = """def my_induction_score(weights, n):
    T = len(weights)
    return sum(weights[t][t - n + 1] for t in range(n, T)) / (T - n)"""
_ABLATE = """def my_ablation(head, name, rows):
    if name == head:
        return [[0.0] * len(row) for row in rows]
    return rows"""
_PATCH = """def my_patch(saved, target, position, name, rows):
    if name != target:
        return rows
    return [*rows[:position], saved[target][position], *rows[position + 1:]]"""

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
        "everywhere": "def my_ablation(head, name, rows):\n    return [[0.0] * len(row) for row in rows]",
        "the others": _ABLATE.replace("name == head", "name != head"),
        "nothing": "def my_ablation(head, name, rows):\n    return rows",
        "the block": _ABLATE.replace("name == head", "name[0] == head[0]"),
        "how it begins": _ABLATE.replace("name == head", "head.startswith(name)"),
        "a longer name": _ABLATE.replace("name == head", "name.startswith(head)"),
        "the number": _ABLATE.replace("name == head", "name[-1] == head[-1]"),
        "ones": _ABLATE.replace("0.0", "1.0"),
        "the first row": _ABLATE.replace(
            "[[0.0] * len(row) for row in rows]", "[[0.0] * len(rows[0])] + rows[1:]"
        ),
        "the last row": _ABLATE.replace(
            "[[0.0] * len(row) for row in rows]", "rows[:-1] + [[0.0] * len(rows[-1])]"
        ),
    },
    "21.c": {
        "all rows": _PATCH.replace(
            "[*rows[:position], saved[target][position], *rows[position + 1:]]", "saved[target]"
        ),
        "everywhere": "def my_patch(saved, target, position, name, rows):\n"
        "    if name not in saved:\n        return rows\n"
        "    return [*rows[:position], saved[name][position], *rows[position + 1:]]",
        "always": "def my_patch(saved, target, position, name, rows):\n"
        "    return [*rows[:position], saved[target][position], *rows[position + 1:]]",
        "in place": "def my_patch(saved, target, position, name, rows):\n"
        "    if name == target:\n        rows[position] = saved[target][position]\n    return rows",
        "one before": _PATCH.replace("position + 1", "position").replace(
            "rows[:position], saved[target][position]", "rows[:position - 1], saved[target][position - 1]"
        ),
        "nothing": "def my_patch(saved, target, position, name, rows):\n    return rows",
        "up to": _PATCH.replace("*rows[:position], saved[target][position]", "*saved[target][:position + 1]"),
        "from there": _PATCH.replace(
            "saved[target][position], *rows[position + 1:]", "*saved[target][position:]"
        ),
        "the others": _PATCH.replace(
            "*rows[:position], saved[target][position], *rows[position + 1:]",
            "*saved[target][:position], rows[position], *saved[target][position + 1:]",
        ),
        "the sum": _PATCH.replace(
            "saved[target][position]", "[a + b for a, b in zip(rows[position], saved[target][position])]"
        ),
        "zeros": _PATCH.replace("saved[target][position]", "[0.0] * len(rows[position])"),
        "the first row": _PATCH.replace("saved[target][position]", "saved[target][0]"),
        "the last row": _PATCH.replace("saved[target][position]", "saved[target][-1]"),
        "inserted": _PATCH.replace("rows[position + 1:]", "rows[position:]"),
        "only the row": _PATCH.replace(
            "[*rows[:position], saved[target][position], *rows[position + 1:]]", "[saved[target][position]]"
        ),
        "removed": _PATCH.replace("saved[target][position], ", ""),
        "mean": _PATCH.replace(
            "saved[target][position]",
            "[(a + b) / 2 for a, b in zip(rows[position], saved[target][position])]",
        ),
    },
}
