"""Lesson 15c: solution, inputs and known mistakes of its exercise. Reading on gives answers away."""

from .exercise import Exercise


def my_memorized(names, train, held_out):
    different = set(names)
    found, by_chance = (len(different & set(part)) for part in (train, held_out))
    return found, by_chance * len(train) / len(held_out)


FOUND, EXPECTED = "found, by_chance = (", "by_chance * len(train) / len(held_out)"
MEMORIZED_MISTAKES = {
    "a name that is generated twice is counted twice": (
        ("set(names)", "names"),
        ("len(different & set(part))", "sum(name in part for name in different)"),
    ),
    "a held-out name that is generated twice is counted twice": (
        (FOUND, "found, _ = ("),
        (EXPECTED, "sum(name in held_out for name in names) * len(train) / len(held_out)"),
    ),
    "a name of the training set that is generated twice is counted twice": (
        "return found",
        "return sum(name in train for name in names)",
    ),
    "the first number is the excess over the expected one: return the hits themselves": (
        f"found, {EXPECTED}",
        f"found - {EXPECTED}, {EXPECTED}",
    ),
    "the hits in the training set are scaled: scale those in the held-out set": (
        f"found, {EXPECTED}",
        "found * len(held_out) / len(train), by_chance",
    ),
    "the generated names that are in neither set count, too": (
        EXPECTED,
        "(len(different) - found) * len(train) / len(held_out)",
    ),
    "the number of different names is returned, and not how many of them are in the training set": (
        "return found",
        "return len(different)",
    ),
    "the two sizes are exchanged: the larger set is hit more often": (
        EXPECTED,
        "by_chance * len(held_out) / len(train)",
    ),
    "the hits in the held-out set are returned as they are, but the two sets differ in size": (
        EXPECTED,
        "by_chance",
    ),
    "// rounds the quotient down: divide with /": ("(train) /", "(train) //"),
    "the two sets are exchanged": ("(train, held_out))", "(held_out, train))"),
    "the hits in the training set are used for the expected number, too; they may be memorized": (
        EXPECTED,
        "(found + by_chance) * len(train) / (len(train) + len(held_out))",
    ),
    "the number is divided by both sizes together, and not by that of the held-out set": (
        "/ len(held_out)",
        "/ (len(train) + len(held_out))",
    ),
    "the expected number is a share of the generated names; use the hits in the held-out set": (
        EXPECTED,
        "len(different) * len(train) / (len(train) + len(held_out))",
    ),
    "the expected number is a share of all generated names; use the hits in the held-out set": (
        EXPECTED,
        "len(names) * len(train) / (len(train) + len(held_out))",
    ),
    "the expected number is rounded": (EXPECTED, f"round({EXPECTED})"),
    "the hits are divided by the size of each set": (
        f"return found, {EXPECTED}",
        "return found / len(train), by_chance / len(held_out)",
    ),
    "the ratio of the two sizes is returned without the hits": ("by_chance * len", "len"),
    "the two numbers are in the other order": (f"found, {EXPECTED}", f"{EXPECTED}, found"),
    "the difference of the two numbers is returned": (f"found, {EXPECTED}", f"found - {EXPECTED}"),
    "only the hits in the training set are returned": (f"found, {EXPECTED}", "found"),
    "only the expected number is returned": (f"found, {EXPECTED}", EXPECTED),
    "the names themselves are returned, and not how many they are": (
        "return found",
        "return sorted(different & set(train))",
    ),
}

TRAIN, HELD_OUT = ["ana", "lu", "tom", "eve", "ida", "kai"], ["mia", "bob"]

EXERCISES = {
    "15.i": Exercise(
        my_memorized,
        [
            [["ana", "mia", "ana", "lu", "tom", "xo", "kai"], TRAIN, HELD_OUT],
            [["mia", "bob", "mia", "ana"], TRAIN, HELD_OUT],
            [["xo", "ida"], TRAIN, ["mia", "bob", "leo"]],
            [["xo", "leo", "leo"], TRAIN[:5], ["mia", "bob", "leo"]],
            [["tom", "tom", "mia", "eve", "lu"], TRAIN, ["mia", "bob", "leo", "una"]],
        ],
        MEMORIZED_MISTAKES,
    )
}
