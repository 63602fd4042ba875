"""Lesson 21b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from .exercise import Exercise


def my_joint_patch(saved, targets, name, rows):
    return [saved[name][t] if (name, t) in targets else row for t, row in enumerate(rows)]


NEW_ROW, IS_TARGET = "saved[name][t]", "(name, t) in targets"
NEW_ROWS = f"[{NEW_ROW} if {IS_TARGET} else row for t, row in enumerate(rows)]"
PATCH_MISTAKES = {
    "all rows of an activation are replaced; replace those at the positions of the targets": (
        (IS_TARGET, "name in [n for n, _ in targets]"),
    ),
    "the position alone decides; the name counts, too": (IS_TARGET, "t in [p for _, p in targets]"),
    "only the first target is patched": (IS_TARGET, "(name, t) == targets[0]"),
    "only the last target is patched": (IS_TARGET, "(name, t) == targets[-1]"),
    "the rows are copied anew for each target, so only the last target of an activation is patched": (
        (IS_TARGET, "[(name, t)] == [target for target in targets if target[0] == name][-1:]"),
    ),
    "saved[name] is read before the test; saved may lack a name that is no target": (
        ("return [", "other = saved[name]\n    return ["),
        (NEW_ROW, "other[t]"),
    ),
    "the new row is added; it takes the place of the old one": (
        (NEW_ROW, "[a + b for a, b in zip(row, saved[name][t])]"),
    ),
    "the mean of both rows is taken; take the row of saved": (
        (NEW_ROW, "[(a + b) / 2 for a, b in zip(row, saved[name][t])]"),
    ),
    "nothing changes; a target gets its row from saved": (NEW_ROWS, "rows"),
    "all other rows are replaced, and the targets stay": (IS_TARGET, "(name, t) not in targets"),
    "the targets become 0, as in an ablation; take the rows of saved": (NEW_ROW, "[0.0] * len(row)"),
    "the first row of saved is taken; take the one at the same position": (NEW_ROW, "saved[name][0]"),
    "the last row of saved is taken; take the one at the same position": (NEW_ROW, "saved[name][-1]"),
    "every target takes its row from the first name; take it from the activation of the same name": (
        (NEW_ROW, "saved[targets[0][0]][t]"),
    ),
    "the row before a position is replaced; positions count from 0": (
        (IS_TARGET, "(name, t + 1) in targets"),
    ),
    "the row after a position is replaced; positions count from 0": (
        (IS_TARGET, "(name, t - 1) in targets"),
    ),
    "None is returned for an activation without a target; return its rows": (
        (f"return {NEW_ROWS}", f"if name in [n for n, _ in targets]:\n        return {NEW_ROWS}"),
    ),
    "the name of a target is compared by its beginning; it must be the same": (
        (IS_TARGET, "any(name.startswith(n) and t == p for n, p in targets)"),
        (NEW_ROW, "saved.get(name, saved[targets[0][0]])[t]"),
    ),
    "the other rows become 0; they stay as they are": (("else row for", "else [0.0] * len(row) for"),),
    "the given list is changed": ((f"return {NEW_ROWS}", f"rows[:] = {NEW_ROWS}\n    return rows"),),
    "only the new rows are returned; return all rows": (
        (NEW_ROWS, f"[{NEW_ROW} for t in range(len(rows)) if {IS_TARGET}]"),
    ),
    "the targets are removed; the rows of saved take their place": (
        (NEW_ROWS, f"[row for t, row in enumerate(rows) if not ({IS_TARGET})]"),
    ),
}

A = {"0": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "0.1": [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]]}
B = [[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]]

EXERCISES = {
    "21.e": Exercise(
        my_joint_patch,
        [
            [{"0.1": [[0.5, 1.5], [2.5, 3.5]]}, [("0.1", 1)], "0.1", [[-1.0, -2.0], [-3.0, -4.0]]],
            [A, [("0", 2), ("0", 0)], "0", B],
            [A, [("0.1", 0), ("0", 2)], "0", B],
            [A, [("0.1", 0), ("0", 2)], "0.1", B],
            [A, [("0.1", 0), ("0", 2)], "1.0", B],
            [A, [("0.1", 0), ("0.1", 1), ("0", 1)], "0.1", B],
            [{"1": [[1.0, 2.0], [3.0, 4.0]]}, [("1", 1)], "1", [[0.0, 0.0], [0.0, 0.0]]],  # equal rows
        ],
        PATCH_MISTAKES,
    )
}
