"""What lesson 20 tells about the three ways to multiply, measured: processor seconds a token, and memory.

    python3 tests/benchmarks/told_in_lesson_20.py

One matrix is multiplied in each way, and the time is scaled to the 134.5 million parameters. Then the
packed way reads a whole question, if the file of SmolLM2 is here.
"""

import math
import pathlib
import sys
import time
from array import array
from operator import mul

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from gguf_writer import q4_1  # noqa: E402

from helpers.course.lessons import smollm2  # noqa: E402
from helpers.course.lessons.packed import PackedMatrix  # noqa: E402

PARAMETERS = 134_515_008
M, N = 1536, 576


def seconds(function, times=5):
    start = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - start) / times * PARAMETERS / (M * N)


def main():
    import random

    rng = random.Random(1)
    W = PackedMatrix("Q4_1", [M, N], memoryview(q4_1(rng, M, N)))
    x = [rng.gauss(0, 1) for _ in range(N)]
    arrays = [array("f", row) for row in W]
    tuples, point = [tuple(row) for row in W], tuple(x)
    W.times(x)  # packs
    ways = {
        "rows": lambda: [sum(map(mul, x, row)) for row in arrays],
        "distances": lambda: [math.dist(point, row) for row in tuples],
        "packed": lambda: W.times(x),
    }
    if hasattr(math, "sumprod"):
        ways["rows, math.sumprod"] = lambda: [math.sumprod(x, row) for row in arrays]
    found = {name: seconds(way) for name, way in ways.items()}
    for name, took in found.items():
        print(f"{name}: {took:.2f} s of processor a token")
    assert found["rows"] > 2 * found["packed"] and found["rows"] > 2 * found["distances"]
    if smollm2.smollm2_stored() is None:
        return
    model, cache, start = smollm2.read_smollm2(), None, time.process_time()
    tokens = model.encode("The capital of France is")
    for token in tokens:
        vector, cache = model.read(token, cache)
    model.logits(vector)
    packing = time.process_time() - start
    start = time.process_time()
    for token in tokens:
        vector, cache = model.read(token, cache)
    print(f"whole model, packed: {(time.process_time() - start) / len(tokens):.2f} s a token", end="")
    print(f"; the first {len(tokens)} with packing {packing:.1f} s")
    try:
        import resource
    except ImportError:  # Windows
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"memory at most {peak:.2f} GiB")
    assert peak < 0.85


if __name__ == "__main__":
    main()
