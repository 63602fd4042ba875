"""A falling loss between the losses of simpler models, with stories that the model wrote at some steps."""

import math
import textwrap

from .svg import ACCENT, FAINT, INK, PAPER, Figure, heading, label, rule

LEFT, TOP, WIDE, HIGH = 64, 48, 600, 300
BELOW, LETTERS = TOP + HIGH + 68, 105  # where the stories begin, and how many letters fit into a line


def loss_with_stories(curve, baselines, stories, title=""):
    """Draw a loss over its steps, on a logarithmic scale, with a horizontal line for each baseline.

    curve is [(step, loss), ...], baselines {name: loss}, stories {step: text}; each story belongs to a step
    of the curve and stands below it with the number of its point.
    """
    losses = [*dict(curve).values(), *baselines.values()]
    if not curve or any(not (math.isfinite(y) and y > 0) for y in losses):
        raise ValueError("loss_with_stories: give at least one point, and losses above 0")
    unknown = [step for step in stories if step not in dict(curve)]
    if unknown:
        raise ValueError(
            f"loss_with_stories: the story of step {unknown[0]} belongs to no point of the curve"
        )
    low, high = math.log(min(losses) * 0.85), math.log(max(losses) * 1.15)
    last = max(step for step, _ in curve) or 1

    def place(step, loss):
        return LEFT + WIDE * step / last, TOP + HIGH * (high - math.log(loss)) / (high - low)

    parts = [heading(title), label(LEFT + 30, TOP - 8, "loss, logarithmic", 12, fill=FAINT)]
    parts.append(label(LEFT + WIDE / 2, TOP + HIGH + 36, "step", 12, fill=FAINT))
    for step in (0, last // 2, last):
        parts.append(label(place(step, 1)[0], TOP + HIGH + 18, f"{step:,}", 11))
    for name, loss in baselines.items():
        y = place(0, loss)[1]
        parts.append(rule(LEFT, y, LEFT + WIDE, y))
        parts.append(label(LEFT + WIDE + 14, y + 4, f"{name} {loss:.2f}", 11, "start", FAINT))
        parts.append(label(LEFT - 8, y + 4, f"{loss:.2f}", 11, "end"))
    joined = " ".join(f"{round(x, 1)},{round(y, 1)}" for x, y in (place(*point) for point in curve))
    parts.append(f'<polyline points="{joined}" fill="none" stroke="#1f66ac" stroke-width="2.5"/>')
    y = BELOW
    for number, (step, story) in enumerate(sorted(stories.items()), 1):
        across, down = place(step, dict(curve)[step])
        parts += [disc(across, down, number), disc(LEFT, y, number)]
        parts.append(
            label(LEFT + 18, y + 4, f"step {step:,}, loss {dict(curve)[step]:.2f}", 11, "start", FAINT)
        )
        for line in textwrap.wrap(story, LETTERS):
            y += 17
            parts.append(label(LEFT + 18, y + 4, line, 12, "start"))
        y += 28
    alt = f"{title}. The loss falls from {curve[0][1]:.2f} to {curve[-1][1]:.2f} in {last:,} steps. "
    alt += "Lines: " + ", ".join(f"{name} {loss:.2f}" for name, loss in baselines.items()) + ". "
    alt += " ".join(
        f"Step {step:,}, loss {dict(curve)[step]:.2f}: {story}" for step, story in sorted(stories.items())
    )
    text = [title, *(f"step {step:,}: {dict(curve)[step]:.2f}  {s}" for step, s in sorted(stories.items()))]
    width = LEFT + 18 + round(7.1 * LETTERS)
    return Figure(width, y if stories else BELOW, "".join(parts), alt, "\n".join(text))


def disc(x, y, number):
    """A number in a circle."""
    look = f'fill="{PAPER}" stroke="{ACCENT}" stroke-width="2"'
    circle = f'<circle cx="{round(x, 1)}" cy="{round(y, 1)}" r="9" {look}/>'
    return circle + label(x, y + 4, str(number), 11, fill=INK, weight="bold")
