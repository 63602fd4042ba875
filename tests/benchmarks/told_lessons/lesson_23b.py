"""What lesson 23b says about five seeds: the repairs of positions, a larger base, and norms at a high
learning rate.

Trains twenty small models, three minutes on a free core, and stops with an AssertionError where the lesson
says something else.
"""

from helpers import rope
from helpers.course.exercises.lesson_23b import my_angles
from helpers.course.lessons.lesson_23_long_texts import (
    DIGIT,
    LETTER,
    largest_score,
    right_answers,
    train_passkey,
)

from . import told

SEEDS = 42, 1, 2, 3, 4
LENGTHS = 16, 32, 64, 128


def last(run):
    *_, (_, _, parameters) = run
    return parameters


def turned_by(angles):
    """RoPE with these angles in place of those of the base."""

    def rotate(X, positions, base):
        pairs = [
            rope([row[2 * j : 2 * j + 2] for row in X], [t * angle for t in positions], base)
            for j, angle in enumerate(angles)
        ]
        return [[x for part in parts for x in part] for parts in zip(*pairs)]

    return rotate


REPAIRS = {
    "as trained": lambda T: rope,
    "interpolation": lambda T: turned_by([100.0 ** (-2 * j / 8) * 16 / T for j in range(4)]),
    "slow pairs only": lambda T: turned_by(my_angles(8, 100.0, 16, T / 16)),
    "larger base": lambda T: lambda X, positions, base: rope(X, positions, base * (T / 16) ** (8 / 6)),
}


def share(found):
    low, high = min(found), max(found)
    return f"{low:.2f} to {high:.2f}" if low < high else f"{low:.2f}"


def positions():
    models = [last(train_passkey(seed)) for seed in SEEDS]
    for name, question in (("digit", DIGIT), ("before", LETTER)):
        for repair, rope_for in REPAIRS.items():
            found = [
                share([right_answers(model, T, question, 50, rope=rope_for(T)) for model in models])
                for T in LENGTHS
            ]
            told(f"{name}, {repair} | " + " | ".join(found))


def base():
    models = [last(train_passkey(seed, base=10_000.0)) for seed in SEEDS]
    found = [share([right_answers(model, T, DIGIT, 50, base=10_000.0) for model in models]) for T in LENGTHS]
    told("digit, trained with base 10,000 | " + " | ".join(found))


def norms():
    for normed in (False, True):
        models = [last(train_passkey(seed, 80, 0.3, questions=[DIGIT], normed=normed)) for seed in SEEDS]
        scores = [largest_score(model, normed=normed) for model in models]
        answers = [right_answers(model, 16, n=50, normed=normed) for model in models]
        name = "with norms" if normed else "without"
        told(f"largest score, {name} | " + " | ".join(f"{x:,.0f}" for x in scores))
        told(f"right answers, {name} | " + " | ".join(f"{x:.2f}" for x in answers))


PARTS = {"positions": positions, "base": base, "norms": norms}
