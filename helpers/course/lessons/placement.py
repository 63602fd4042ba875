"""Ten questions that lead to a lesson: what does this cell print?"""

import html
from typing import NamedTuple

from ..state.registry import SIDE_LESSONS, lesson_names

TASK = (
    "What do these ten cells print? Their functions come from helpers. Answer each before you open it. "
    "Begin with the lesson of the first cell that you cannot answer."
)
ALL_RIGHT = "If you know all ten, begin with lesson 12, or with lesson 17 if you have trained a GPT before."
AFTER = "12"  # where to begin if all answers are right


class Question(NamedTuple):
    """A cell, what it prints, why, and the lesson that teaches it."""

    lesson: str
    cell: str
    answer: str
    why: str


QUESTIONS = (
    Question(
        "00",
        "print([2 * x for x in [1, 2, 3] if x > 1])",
        "[4, 6]",
        "The course needs Python's lists, functions and comprehensions.",
    ),
    Question(
        "01",
        "print(matmul([[1, 2]], [[3, 4], [5, 6]]))",
        "[[13.0, 16.0]]",
        "In a matrix product, each entry is the dot product of a row and a column: 1·3 + 2·5 and 1·4 + 2·6.",
    ),
    Question(
        "02",
        "X = [[1, 2]]\nW = [[1, 0], [0, 1], [1, 1]]\nprint(linear(X, W))",
        "[[1.0, 2.0, 3.0]]",
        "A linear layer computes the dot product of the vector with each row of W.",
    ),
    Question(
        "03",
        "Q = K = [[0, 0], [0, 0]]\nV = [[2], [4]]\nprint(attention(Q, K, V, causal_mask(2)))",
        "[[2.0], [3.0]]",
        "All scores are 0, so each position takes the mean of the values that it may attend to.",
    ),
    Question(
        "04",
        "print(split_heads([[1, 2, 3, 4]], 2))",
        "[[[1, 2]], [[3, 4]]]",
        "Each of the two heads gets its part of every row.",
    ),
    Question(
        "05",
        "print([round(gelu(x)) for x in [100, -100]])",
        "[100, 0]",
        "GELU leaves large positive numbers almost unchanged, and turns large negative ones into almost 0.",
    ),
    Question(
        "07",
        "gamma, beta = [1] * 4, [0] * 4\n"
        "print([round(x) for x in layer_norm([[3, 5, 3, 5]], gamma, beta)[0]])",
        "[-1, 1, -1, 1]",
        "Layer normalization gives each row the mean 0 and the variance 1.",
    ),
    Question(
        "08",
        "logits = [[7, 7, 7, 7]]\nloss = token_losses(logits, [2])[0]\nprint(round(math.exp(loss)))",
        "4",
        "Equal logits give four tokens the probability 1/4 each. The loss is ln 4, and the perplexity is 4.",
    ),
    Question(
        "09",
        "logits, target = [[0, 0]], [0]\nprint(token_losses_backward([1], logits, target))",
        "[[-0.5, 0.5]]",
        "The gradient of the logits is the probabilities minus 1 at the target.",
    ),
    Question(
        "11",
        'p, gradients = {"b": [1.0, 1.0]}, {"b": [7.0, 0.07]}\n'
        "p, _ = adamw_step(p, gradients, adamw_init(p), lr=0.5, weight_decay=0)\n"
        'print([round(b, 2) for b in p["b"]])',
        "[0.5, 0.5]",
        "In its first step, AdamW moves each parameter by the learning rate, however large its gradient is.",
    ),
)


class Questions:
    """All questions; in a notebook each answer is folded, in a terminal they come last."""

    def _repr_html_(self):
        parts = [f"<p>{TASK}</p>"]
        for number, (lesson, cell, answer, why) in enumerate(QUESTIONS, 1):
            name = f'<a href="{lesson_file(lesson)}">lesson {lesson}</a>'
            parts += [
                f"<p>{number}.</p><pre>{html.escape(cell, quote=False)}</pre>",
                f"<details><summary>The answer</summary><p><code>{answer}</code> {why} "
                f"If you did not know, begin with {name}.</p></details>",
            ]
        return "\n".join([*parts, f"<p>{ALL_RIGHT}</p>"])

    def __repr__(self):
        cells = [f"{i}.\n{indented(question.cell)}" for i, question in enumerate(QUESTIONS, 1)]
        answers = [f"{i}. {q.answer}  (lesson {q.lesson})" for i, q in enumerate(QUESTIONS, 1)]
        return "\n".join([TASK, *cells, "The answers:", *answers, ALL_RIGHT])


def lesson_file(number):
    return next(f"{n}.ipynb" for n in [*lesson_names(), *SIDE_LESSONS] if n.startswith(f"{number}_"))


def indented(cell):
    return "\n".join(f"    {line}" for line in cell.splitlines())
