"""What `export` writes, opened by Hugging Face's own programs: the same numbers, ids, logits and texts.

    pip install torch transformers
    python tests/benchmarks/exported_by_transformers.py [NAME …]

NAMEs are models made by `train`; without any, it takes the stories, and three models with random parameters:
of a list, of a running text, and of a running text of two blocks with capital letters. For each it compares

- the tensors in model.safetensors, read by the library safetensors, with the parameters, in 32-bit floats;
- the ids of prompts, by the library tokenizers, with those of `say`;
- the logits of GPT2LMHeadModel in float32 with those of gpt_forward in float64: at most 1e-5 apart;
- the text that both write when they always take the most probable token;
- and the folder that save_pretrained writes, imported, with the parameters.

Run with transformers 5.23.0, tokenizers 0.23.3 and PyTorch 2.13.0. Without transformers it says so and ends.
"""

import importlib.util
import pathlib
import random
import sys
import tempfile
from array import array

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

from helpers import build_vocab, gpt_forward, init_gpt, tree_map  # noqa: E402
from helpers.course.commands.export import model_to_export  # noqa: E402
from helpers.course.training.hugging_face import read_folder, turn_blocks, write_folder  # noqa: E402
from helpers.course.training.own_writing import draw_text, prompt_tokens, sampling_rule, spelled  # noqa: E402

MISSING = [name for name in ("torch", "transformers", "safetensors") if not importlib.util.find_spec(name)]
NEAR = 1e-5
WRITTEN = 30  # tokens, fewer than there are positions


def drawn_model(name, kind, texts, layers, seed):
    """A model in which no bias is 0 and no norm weight 1."""
    vocab, rng = build_vocab(texts), random.Random(seed)
    config = {"vocab_size": len(vocab), "n_positions": 64, "n_embd": 24, "n_layer": layers, "n_head": 4}
    config["n_inner"] = 96
    parameters = tree_map(lambda row: [w + rng.gauss(0, 0.2) for w in row], init_gpt(config, rng))
    said = {"trained_on": {"name": "nothing"}, "steps": 0, "when": "never", "counted": 1}
    return {"name": name, "kind": kind, "unit": "letters", "vocab": vocab, "config": config, **said} | {
        "parameters": parameters
    }


def models(names):
    if names:
        return [{"name": name, **model_to_export(name)} for name in names]
    greek = "\u03b1\u03b2\u03b3\u03ac\u03c2\u03c3"
    return [
        {"name": "stories", **model_to_export("stories")},
        drawn_model("a list", "list", ["abcdefghijklmnopqrstuvwxyz"], 1, 1),
        drawn_model("a running text", "running", ["abc\ndef", " .,!", "\U0001f600", greek], 1, 2),
        drawn_model("two blocks", "running", ["ABCabcxyz <#>\n\"'\\"], 2, 3),
    ]


def prompts(model, rng):
    """An empty prompt, some of random tokens, and one in capital letters."""
    vocab, words = model["vocab"], model["unit"] == "words"
    known = [token for token in vocab[3:] if not words or token.isalpha()]
    drawn = [rng.choices(known, k=n) for n in (1, 3, 8)]
    texts = [(" " if words else "").join(tokens) for tokens in drawn]
    capitals = texts[-1].upper()
    return ["", *texts, *([f"{texts[-1]}, {texts[1]}."] if words else []), capitals]


def compare(model, folder):
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    write_folder(model, folder)
    theirs = {name: tensor.tolist() for name, tensor in load_file(folder / "model.safetensors").items()}
    rounded = tree_map(lambda row: array("f", row).tolist(), model["parameters"])
    assert theirs == turn_blocks(rounded), "the tensors differ"
    tokenizer, gpt = (
        AutoTokenizer.from_pretrained(folder),
        AutoModelForCausalLM.from_pretrained(folder).eval(),
    )
    farthest, texts = 0.0, []
    for prompt in prompts(model, random.Random(5)):
        try:
            ids = prompt_tokens(prompt, model)
        except ValueError:  # a capital letter without a small one, which tokenizers refuse as well
            continue
        assert tokenizer(prompt)["input_ids"] == ids, f"the ids of {prompt!r} differ"
        with torch.no_grad():
            logits = gpt(torch.tensor([ids])).logits[0].tolist()
            written = gpt.generate(
                torch.tensor([ids]),
                attention_mask=torch.ones(1, len(ids)),
                do_sample=False,
                max_new_tokens=WRITTEN,
            )[0].tolist()
        ours = gpt_forward(model["config"], model["parameters"], ids)["logits"]
        farthest = max(farthest, *(abs(a - b) for row in zip(ours, logits) for a, b in zip(*row)))
        text = draw_text(model, prompt, sampling_rule(None, most_likely=True), WRITTEN)
        decoded = tokenizer.decode(written[1:], skip_special_tokens=True)  # without <BOS>, or the new line
        expected = spelled(ids[1:], model) + text[len(prompt) :]  # our text begins as it was typed
        assert decoded == expected, f"{decoded!r} is not {expected!r}"
        texts.append(text)
    assert farthest <= NEAR, f"the logits are {farthest} apart"
    again = folder.with_name("again")
    gpt.save_pretrained(again)
    tokenizer.save_pretrained(again)
    back = read_folder(again, "again")
    assert back["parameters"] == rounded and back["vocab"] == model["vocab"], "the way back differs"
    assert (back["kind"], back["unit"]) == (model["kind"], model["unit"]), "the way back differs"
    return farthest, texts


def main(names):
    if MISSING:
        return print(f"Skipped: {', '.join(MISSING)} cannot be imported here.")
    from transformers.utils import logging

    logging.disable_progress_bar()
    for model in models(names):
        with tempfile.TemporaryDirectory() as place:
            farthest, texts = compare(model, pathlib.Path(place) / "model")
        print(
            f"{model['name']}: {len(texts)} prompts, logits at most {farthest:.1e} apart, as {texts[1]!r:.70}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
