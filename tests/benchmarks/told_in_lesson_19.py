"""What lesson 19 tells about rounding the names model, measured with more digits than the lesson shows.

python3 tests/benchmarks/told_in_lesson_19.py          half a minute
python3 tests/benchmarks/told_in_lesson_19.py --half   the short trainings with seeds 42 to 46, ten minutes
"""

import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from helpers import (  # noqa: E402
    HalfPrecision,
    encode,
    fast_loss,
    read_lines,
    round_matrix,
    round_symmetric,
    start_run,
    train_val_test_split,
    training_step,
)
from helpers.course.lessons.training_loop import train_course_model  # noqa: E402


def main():
    gpt = train_course_model()
    config, parameters, vocab = gpt["config"], gpt["parameters"], gpt["vocab"]
    documents = [encode(line, vocab) for line in read_lines("names.txt")]
    ninth = len(documents) // 9
    train_set, _, test_set = train_val_test_split(documents, ninth, ninth, random.Random(1))
    if "--half" in sys.argv:
        return short_trainings(config, vocab, train_set, test_set)
    trained = fast_loss(config, parameters, test_set)

    def loss(bits, only=None):
        rounded = {
            name: round_matrix(W, round_symmetric, bits, 10**6)
            if isinstance(W[0], list) and only in (None, name)
            else W
            for name, W in parameters.items()
        }
        return fast_loss(config, rounded, test_set) - trained

    by_bits = {bits: loss(bits) for bits in (8, 4, 3, 2)}
    print({bits: f"{more:+.4f}" for bits, more in by_bits.items()})
    assert abs(by_bits[8]) < 0.001 and abs(by_bits[4]) < 0.01 and by_bits[3] < 0.1 < by_bits[2]
    alone = {name: loss(2, name) for name, W in parameters.items() if isinstance(W[0], list)}
    print({name: f"{more:+.4f}" for name, more in alone.items()})
    assert max(alone, key=alone.get) == "wte.weight"
    assert all(abs(more) <= 0.02 for name, more in alone.items() if name != "wte.weight")


def short_trainings(config, vocab, train_set, test_set, steps=150):
    for seed in range(42, 47):
        losses = {}
        for name, half, scale in (
            ("64", None, 1),
            ("fp16", "fp16", 1),
            ("fp16 small", "fp16", 1e-6),
            ("bf16 small", "bf16", 1e-6),
        ):
            run = start_run(train_set, config, vocab, {"steps": steps, "seed": seed})
            gradients = [HalfPrecision(half, scale).gradients] if half else []
            for _ in range(steps):
                run = training_step(run, train_set, *gradients)
            losses[name] = fast_loss(config, run["parameters"], test_set)
        print(seed, {name: f"{loss:.3f}" for name, loss in losses.items()}, flush=True)
        assert abs(losses["fp16"] - losses["64"]) < 0.01 and abs(losses["bf16 small"] - losses["64"]) < 0.01
        assert losses["fp16 small"] > losses["64"] + 0.5


if __name__ == "__main__":
    main()
