"""Numbers in the text that no cell computes, and where they come from."""

PUBLISHED = {
    "50,257": "GPT-2: tokens in the vocabulary. Radford et al. 2019, section 2.2",
    "50,000": "GPT-2: merges, 50,257 less 256 bytes and one end mark. Radford et al. 2019, section 2.2",
    "256": "the values of a byte",
    "1,024": "GPT-2: positions. Radford et al. 2019, section 2.3",
    "768": "GPT-2 small: width. Radford et al. 2019, table 2",
    "12": "GPT-2 small: blocks. Radford et al. 2019, table 2",
    "96": "GPT-3: blocks. Brown et al. 2020, table 2.1",
    "124 million": "GPT-2 small: parameters, as the released weights count (the paper's 117 is an error of its own)",
    "0.1": "ours: the standard deviation that random_matrix draws with, compared in tests/test_prose.py",
    "0.01": "GPT-2: the same for positions, in the released code",
    "0.02": "GPT-2: standard deviation of the initial weights, in the released code",
    "64-bit": "Python's float is an IEEE 754 double",
    "32 or 16 bits": "floats that language models are trained with",
    "39,383,808": "GPT-2 small: (50,257 + 1,024) · 768, computed in tests/test_prose.py",
    "12,288": "GPT-3: width. Brown et al. 2020, table 2.1",
    "150 million": "GPT-3: a published, wrong count of a layer's attention parameters; lesson 04 computes the right one",
}
