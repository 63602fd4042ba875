"""What lesson 13b tells of starts that it does not train: their second block, too, listens to the wrong
letters that are left.

    python tests/benchmarks/told_in_lesson_13b.py

Runs the lesson's own cells as far as the shares, trains six other starts, a minute in all, and stops
where it is not so.
"""

import json
import os
import pathlib
import sys
import tempfile

HOME = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME))
os.chdir(HOME)
STATE = tempfile.TemporaryDirectory()  # gone when the program ends
os.environ["SIXTEEN_STATE"] = STATE.name
CELLS = json.loads((HOME / "notebooks" / "13b_two_blocks.ipynb").read_text(encoding="utf-8"))["cells"]
assert any(
    "Other starts of this training listen in the same way" in "".join(cell["source"]) for cell in CELLS
)

lesson = {}
for cell in CELLS:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), lesson)
        if "shares" in lesson:
            break

for seed in range(1, 7):
    two = lesson["trained"](2, seed)
    lesson["reads"] = [lesson["gpt_forward"](*two, sentence[:-1]) for sentence in lesson["fresh"]]
    for place, t in (("first", 5), ("second", 6), ("third", 7)):
        answer, wrong, _ = lesson["shares"](t)
        print(
            f"start {seed}, {place}: {wrong:.2f} to wrong letters that are left, {answer:.2f} to the answer"
        )
        assert wrong > 2 * answer, "the lesson says something else"
