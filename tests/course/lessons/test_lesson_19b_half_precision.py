"""Training in 16 bits: which shares of the gradients are 0 and subnormal."""

import random

from helpers import init_gpt
from helpers.course.lessons.lesson_19_half_precision import HalfPrecision

CONFIG = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 3}


def test_the_positions_that_no_document_reaches_have_gradients_of_0():
    """Of 4 positions, a document of 3 tokens uses 2. Shrunk by 1e-30, every gradient in fp16 is 0."""
    parameters = init_gpt(CONFIG, random.Random(1))
    zero, subnormal = HalfPrecision("64 bits").zero_and_subnormal(CONFIG, parameters, [[1, 3, 2]])
    count = sum(len(row) if isinstance(row, list) else 1 for entry in parameters.values() for row in entry)
    assert 4 / count <= zero < 0.5 and subnormal == 0
    assert HalfPrecision("fp16", shrink=1e-30).zero_and_subnormal(CONFIG, parameters, [[1, 3, 2]]) == (1, 0)
