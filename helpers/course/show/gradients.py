"""The gradient report: every gradient next to its central difference, one line per tensor."""

import math

from ..argument_checks import shape
from .compare import leaves
from .display import html_table, rounded

TITLES = ["tensor", "shape", "agree", "largest", "all agree"]
GREEN, RED = "#d8f0dc", "#f9d9d3"  # the words next to them say the same


class GradientReport:
    """One line per tensor, green where all its numbers agree; `red` names the others, `agreeing` and
    `numbers` count."""

    def __init__(self, lines):
        self.lines = lines
        self.red = [name for name, _, agreeing, numbers, _ in lines if agreeing < numbers]
        self.agreeing, self.numbers = sum(line[2] for line in lines), sum(line[3] for line in lines)

    def rows(self):
        verdicts = [("no" if agreeing < numbers else "yes") for _, _, agreeing, numbers, _ in self.lines]
        rows = [
            [name, size, f"{agreeing} of {numbers}", rounded(float(largest), 6) if largest else "0", verdict]
            for (name, size, agreeing, numbers, largest), verdict in zip(self.lines, verdicts, strict=True)
        ]
        return [*rows, ["all", "", f"{self.agreeing} of {self.numbers}", "", "no" if self.red else "yes"]]

    def __repr__(self):
        rows = [TITLES, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def _repr_html_(self):
        rows = self.rows()
        colours = [GREEN if row[-1] == "yes" else RED for row in rows]
        return html_table(TITLES, rows, [title == "largest" for title in TITLES], colours)


def gradient_report(gradients, differences, absolute=1e-9, relative=1e-5):
    """Compare gradients with central differences, tensor by tensor, each head by itself.

    A number agrees when it is within absolute + relative times the largest difference of its tensor. Both
    are dicts by name; those named in gradients are compared. ValueError for no name at all, a name
    without differences, another shape.
    """
    if not gradients:
        raise ValueError("gradients is empty; give at least one tensor, by its name")
    for name, got in gradients.items():
        if name not in differences:
            raise ValueError(
                f"{name} is not among the differences, which hold {', '.join(differences) or 'nothing'}"
            )
        sizes = shape(got, name), shape(differences[name], f"the differences of {name}")
        if sizes[0] != sizes[1]:
            raise ValueError(
                f"{name}: the gradient has shape {sizes[0]}, the differences {sizes[1]}; make them equal"
            )
    lines, differing = [], dict(tensors({name: differences[name] for name in gradients}))
    for name, got in tensors(gradients):
        pairs = list(zip(leaves(got), leaves(differing[name]), strict=True))
        largest = max(abs(d) for _, d in pairs)
        # an infinite difference would let everything pass
        agreeing = sum(abs(g - d) <= absolute + relative * largest < math.inf for g, d in pairs)
        size = "".join(f"[{n}]" for n in shape(got))
        lines.append((name, size, agreeing, len(pairs), max(abs(g) for g, _ in pairs)))
    return GradientReport(lines)


def tensors(gradients):
    """The named vectors and matrices of a dict, in which a list of matrices stands for several heads."""
    for name, entry in gradients.items():
        if len(shape(entry, name)) == 3:
            yield from ((f"{name}[{h}]", matrix) for h, matrix in enumerate(entry))
        else:
            yield name, entry
