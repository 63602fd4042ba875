"""What lesson 20 tells about SmolLM2, measured: sizes, processor seconds a token, GiB, and a longer text
without RoPE; and what lesson 21b tells about the logit lens.

The file must be there: python3 -m helpers fetch smollm2.
"""

import platform
import sys
import time

from helpers import LLAMA_BLOCK_SHAPES, softmax
from helpers.course.lessons.lesson_20_answer import first_and_text
from helpers.course.lessons.lesson_20_llama_bugs import LLAMA_BUGS
from helpers.course.models import smollm2

TEXT = "The capital of France is"
CITIES = "Paris is a city. London is a city. Rome is a city in Italy, and Berlin is a city in Germany. "
MAX_SECONDS, MAX_MEMORY = 2.0, 0.8  # a token, and GiB
SIZES = {"n_embd": 576, "n_layer": 30, "n_head": 9, "n_kv_head": 3, "n_inner": 1536, "vocab_size": 49152}


def seconds_of(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def lens(model, text):
    """The most likely token after each block, read at the last token of a text."""
    *before, last = model.encode(text)
    cache, found = None, []
    for token in before:
        _, cache = model.read(token, cache)
    f, p = smollm2.fast_names(), model.parameters
    X = f["embedding"]([last], p["token_embd.weight"])
    for i in range(model.config["n_layer"]):
        block = {name: p[f"blk.{i}.{name}"] for name in LLAMA_BLOCK_SHAPES}
        X, *_ = f["llama_block"](model.config, block, X, cache[f"blk.{i}.K"], cache[f"blk.{i}.V"])
        logits = model.logits(f["rms_norm"](X, p["output_norm.weight"], model.config["eps"])[0])
        found.append(model.decode([logits.index(max(logits))]))
    return found


def main():
    assert smollm2.smollm2_stored(), f"the file is missing: {smollm2.FETCH}"
    opening, model = seconds_of(smollm2.read_smollm2)
    assert SIZES.items() <= model.config.items()
    assert model.metadata["llama.context_length"] == 8192
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
    words = lens(model, smollm2.one_question("What is the capital of France?") + TEXT)
    print("the logit lens where the answer goes on with Paris:", words[-3:])
    assert words[-2:] == [" City", " Paris"] and " Paris" not in words[:-1]
    (paris,) = model.encode(" Paris")
    for bug, due in {"none": 0.935, "no RoPE": 0.006}.items():
        first, _ = first_and_text(model.copy_with(**LLAMA_BUGS[bug]), CITIES + TEXT, 1)
        print(f"{bug}: ' Paris' after the longer text has the probability {softmax(first)[paris]:.4f}")
        assert abs(softmax(first)[paris] - due) < 0.0005
    assert len(model.encode(CITIES + TEXT)) == 30
    try:
        import resource
    except ImportError:  # Windows
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
    print(f"memory at most {peak:.2f} GiB")
    assert peak < MAX_MEMORY
