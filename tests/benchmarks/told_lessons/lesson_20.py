"""What lesson 20 tells about time and memory, measured: processor seconds a token, and GiB, for SmolLM2.

The file must be there: python3 -m helpers fetch smollm2.
"""

import platform
import sys
import time

from helpers.course.models import smollm2

TEXT = "The capital of France is"
MAX_SECONDS, MAX_MEMORY = 2.0, 0.8  # a token, and GiB


def seconds_of(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def main():
    assert smollm2.smollm2_stored(), f"the file is missing: {smollm2.FETCH}"
    opening, model = seconds_of(smollm2.read_smollm2)
    tokens = model.encode(TEXT)

    def read():
        cache = None
        model.beginning.clear()  # or nothing would be read the second time
        for token in tokens:
            x, cache = model.read(token, cache)
        return x

    first, x = seconds_of(read)
    again, x = seconds_of(read)
    model.logits(x)
    logits, _ = seconds_of(lambda: model.logits(x))
    each = again / len(tokens)
    print(f"Python {platform.python_version()}: {opening:.1f} s to open the file")
    print(
        f"{first - again:.1f} s to pack the codes, {each:.2f} s to read a token, "
        f"{logits:.2f} s for its logits"
    )
    assert each + logits < MAX_SECONDS
    try:
        import resource
    except ImportError:  # Windows
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
    print(f"memory at most {peak:.2f} GiB")
    assert peak < MAX_MEMORY
