"""The figure of RoPE: the pairs of a row as arrows that turn from position to position."""

import math

from .svg import ACCENT, FAINT, Figure, arrow, heading, label

RADIUS = 62  # of a circle


def rotated_pairs(rows, title=""):
    """Draw the pairs of neighbours of the rows at positions 0, 1, … as arrows, with a circle for each pair.

    All arrows are drawn with the same length, because a rotation keeps the length.
    """
    panel, top = 2 * RADIUS + 56, 56
    parts, angles = [heading(title, 14)], []
    for j in range(len(rows[0]) // 2):
        x, y = 12 + panel * j + panel / 2, top + RADIUS + 16
        parts.append(f'<circle cx="{round(x, 1)}" cy="{y}" r="{RADIUS}" fill="none" stroke="{FAINT}"/>')
        parts.append(label(x, top - 10, f"numbers {2 * j} and {2 * j + 1}", 12, weight="bold"))
        turns = [math.atan2(row[2 * j + 1], row[2 * j]) for row in rows]
        for position, turn in enumerate(turns):
            across, down = math.cos(turn), -math.sin(turn)
            stroke = FAINT if position else ACCENT
            parts.append(arrow(x, y, x + RADIUS * across, y + RADIUS * down, stroke, 2))
            at = RADIUS + 12
            if position in (0, len(rows) - 1):  # between them there may be no room
                parts.append(label(x + at * across, y + at * down + 4, str(position), 11, fill=stroke))
        step = (turns[1] - turns[0]) % (2 * math.pi)
        angles.append(f"{math.degrees(step):.1f}°")
        parts.append(label(x, y + RADIUS + 38, f"{angles[-1]} for each position", 11))
    words = [f"numbers {2 * j} and {2 * j + 1}: {angle} for each position" for j, angle in enumerate(angles)]
    lines = [title, *words]
    alt = f"{title}. A circle for each pair of numbers, with an arrow for each position. {'; '.join(words)}."
    width = max(24 + panel * len(angles), 24 + 9 * len(title))
    return Figure(width, top + 2 * RADIUS + 66, "".join(parts), alt, "\n".join(lines))
