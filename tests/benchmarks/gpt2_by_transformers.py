"""The logits that lesson 13 compares with: the same parameters in Hugging Face's GPT2LMHeadModel.

    pip install torch transformers
    python tests/benchmarks/gpt2_by_transformers.py

Run with transformers 5.23.0 on PyTorch 2.13.0, in float64. It prints the logits of the last token, and the
largest difference from gpt_forward over all logits.
"""

import pathlib
import random
import sys

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

import torch  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel  # noqa: E402

from helpers import gpt_forward, init_gpt, tree_map  # noqa: E402
from helpers.course.state.network import TOKENS  # noqa: E402

CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_inner": 64}
DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}


def parameters():
    """Parameters in which no bias is 0 and no norm weight 1, drawn as in lesson 13."""
    rng = random.Random(7)
    return tree_map(lambda row: [w + rng.gauss(0, 0.3) for w in row], init_gpt(CONFIG, rng))


def theirs(p):
    """The logits of GPT2LMHeadModel; the matrices of its blocks are stored as [in][out]."""
    model = GPT2LMHeadModel(GPT2Config(**CONFIG, **DROPOUT)).double().eval()
    state = {}
    for name, value in p.items():
        tensor = torch.tensor(value, dtype=torch.float64)
        state[f"transformer.{name}"] = tensor.T if name.startswith("h.") and tensor.dim() == 2 else tensor
    state["lm_head.weight"] = state["transformer.wte.weight"]
    model.load_state_dict(state)
    with torch.no_grad():
        return model(torch.tensor([TOKENS])).logits[0].tolist()


if __name__ == "__main__":
    p = parameters()
    logits, ours = theirs(p), gpt_forward(CONFIG, p, TOKENS)["logits"]
    print([round(x, 6) for x in logits[-1]])
    print(max(abs(a - b) for rows in zip(logits, ours) for a, b in zip(*rows)))
