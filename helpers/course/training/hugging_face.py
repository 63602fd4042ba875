"""A model as a folder in Hugging Face's GPT-2 layout: written for other programs, and read back.

config.json holds the sizes, tokenizer.json the vocabulary and how a text is split, model.safetensors the
parameters. Nothing in a folder is trusted: the sizes are checked before anything else is read, and the shapes
in the header of model.safetensors before a number is.
"""

import functools
import json
import math
import os
import shutil
import sys
import unicodedata
from datetime import datetime

from ...gpt import GPT_CONFIG, gpt_param_sizes
from ..models.safetensors import read_entries, read_tensor, without_duplicates, write_safetensors
from ..state.files import Refused, read_file, reason, replace
from .loop import SETTINGS, numbers_in
from .own_model import LOSSES, MAX_PARAMETERS, MAX_SAID, MAX_STEPS, check_model, check_sizes, parameters_in
from .own_text import LIST, RARE, RUNNING
from .own_writing import NO_SPACE_BEFORE

CONFIG, TOKENIZER, TENSORS = "config.json", "tokenizer.json", "model.safetensors"
SPECIALS = ["<PAD>", "<BOS>", "<EOS>"]
NOT_CHANGED = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
# How a running text is cut into pieces, as split_pieces does it.
PIECES = r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
TURNED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
PREFIX = "transformer."  # before each name, where GPT2LMHeadModel has written the file
# What our GPT computes; the first is what Hugging Face assumes where a config does not say it.
COMPUTED = {
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (1e-5,),
    "tie_word_embeddings": (True,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
}
OURS = "sixteen"  # the key in config.json for what Hugging Face does not ask for
MAX_JSON = 999_999  # bytes
MAX_HEADER = 100_000  # bytes
MAX_FLOAT = 3.4028234e38


# --- matrices turned


def turn_blocks(parameters):
    """The same parameters with the four matrices of each block transposed, ours to theirs or theirs to ours.

    We store W[out][in], and Hugging Face's Conv1D W[in][out].

    >>> turn_blocks({"wte.weight": [[1, 2]], "h.0.mlp.c_fc.weight": [[1, 2], [3, 4], [5, 6]]})
    {'wte.weight': [[1, 2]], 'h.0.mlp.c_fc.weight': [[1, 3, 5], [2, 4, 6]]}
    """
    return {
        name: list(map(list, zip(*entry, strict=True))) if name.endswith(TURNED) else entry
        for name, entry in parameters.items()
    }


# --- the tokenizer


def tokenizer_of(model):
    """tokenizer.json for a model: it gives the same ids as our own tokenizer, with the first token before."""
    vocab, words = model["vocab"], model["unit"] == "words"
    whole = PIECES if model["unit"] == "pieces" else r"[\s\S]"
    first = "\n" if model["kind"] != LIST and "\n" in vocab else "<BOS>"
    marks = "".join(sorted(NO_SPACE_BEFORE))
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": i, "content": token, **NOT_CHANGED, "special": True} for i, token in enumerate(SPECIALS)
        ],
        "normalizer": normalizer_of(vocab, words),
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": rf"[{marks}][^\s{marks}]*|[^\s{marks}]+" if words else whole},
            "behavior": "Removed" if words else "Isolated",
            "invert": words,  # words are the matches; letters stand between cuts
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": first, "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {first: {"id": first, "ids": [vocab.index(first)], "tokens": [first]}},
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "WordPiece", "prefix": " ", "cleanup": False},  # a space before all but the first
                {"type": "Replace", "pattern": {"Regex": f"^ (?=[{marks}]$)"}, "content": ""},
                {"type": "Fuse"},
            ],
        }
        if words
        else {"type": "Fuse"},
        "model": {
            **({"type": "BPE", "merges": model["merges"]} if model.get("merges") else {"type": "WordLevel"}),
            "vocab": {token: i for i, token in enumerate(vocab)},
            "unk_token": RARE,  # where the vocabulary has none, a character it does not know is an error
        },
    }


def normalizer_of(vocab, words):
    """Capital letters become small ones where only the small one is in the vocabulary."""
    if words:
        return {"type": "Lowercase"} if all(token == token.lower() for token in vocab[3:]) else None
    ids = set(vocab)
    needed = [(c, small) for c, small in small_letters().items() if small in ids and c not in ids]
    steps = [{"type": "Replace", "pattern": {"String": c}, "content": small} for c, small in needed]
    return {"type": "Sequence", "normalizers": steps} if steps else None


@functools.cache
def small_letters():
    """{capital letter: small letter} of all Unicode: to look for them takes half a second."""
    return {c: c.lower() for c in map(chr, range(sys.maxunicode + 1)) if c.lower() != c}


# --- writing


def write_folder(model, folder):
    """Write a model as a folder that is not there yet, or is empty; the names of its files and their bytes.

    All files are written beside the folder first, so it appears whole or not at all. ValueError for a model
    that 32-bit floats cannot hold, and OSError where the disk refuses.
    """
    for name, entry in model["parameters"].items():
        if not all(abs(x) <= MAX_FLOAT for x in numbers_in(entry)):
            raise ValueError(f"parameters {name} holds a number that a 32-bit float cannot hold")
    beside = folder.with_name(f"{folder.name}.{os.urandom(4).hex()}.tmp")
    beside.mkdir()
    try:
        for name, content in (
            (CONFIG, hugging_config(model)),
            (TOKENIZER, tokenizer_of(model)),
            ("tokenizer_config.json", about_tokenizer(model)),
        ):
            text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
            (beside / name).write_bytes(text.encode("utf-8"))
        write_safetensors(beside / TENSORS, turn_blocks(model["parameters"]), {"format": "pt"})
        written = {path.name: path.stat().st_size for path in sorted(beside.iterdir())}
        if folder.is_dir():
            folder.rmdir()  # an empty one; Windows does not replace it
        replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return written


def hugging_config(model):
    """config.json: the sizes, what our GPT computes, and what is said about the model."""
    losses = {name: finite_or_none(model["losses"][name]) for name in LOSSES} if "losses" in model else {}
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        **{name: model["config"][name] for name in GPT_CONFIG},
        **{name: values[0] for name, values in COMPUTED.items()},
        **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),  # dropout
        **{f"{name}_token_id": i for i, name in enumerate(("pad", "bos", "eos"))},
        "torch_dtype": "float32",
        OURS: {
            "kind": model["kind"],
            "trained_on": "".join(c if c.isprintable() else "?" for c in model["trained_on"]["name"]),
            "steps": model["steps"],
            "when": model["when"],
            "counted": model["counted"],
            "losses": losses,
        },
    }


def finite_or_none(loss):
    """JSON has no number for a loss that is not known."""
    return loss if math.isfinite(loss) else None


def about_tokenizer(model):
    """tokenizer_config.json: without it, Hugging Face expects the pieces of words that GPT-2 has."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<PAD>",
        "bos_token": "<BOS>",
        "eos_token": "<EOS>",
        "model_max_length": model["config"]["n_positions"],
        "clean_up_tokenization_spaces": False,
    }


# --- reading


def read_folder(folder, name):
    """The model in a folder, under a new name; ValueError, saying what is wrong, for any other folder."""
    about = read_json(folder / CONFIG)
    config = read_config(about)
    tokenizer = read_json(folder / TOKENIZER)
    vocab, unit, merges = read_tokenizer(tokenizer, config)
    said = read_said(about.get(OURS))
    parameters = read_parameters(folder / TENSORS, config)
    kind = said.get("kind") or kind_by_first_token(tokenizer, vocab, unit)
    model = {
        "name": name,
        "kind": kind,
        "unit": unit,
        "vocab": vocab,
        "merges": merges,
        "config": config,
        "parameters": parameters,
        "trained_on": {
            "name": said.get("trained_on") or f"a text that {CONFIG} does not name",
            "paths": [],
            "digest": "",
            "fingerprint": "",
        },
        "asked": {},
        "settings": dict(SETTINGS),
        "steps": said.get("steps", 0),
        "when": said.get("when") or f"imported {datetime.now():%Y-%m-%d %H:%M}",
        "losses": {loss: said.get("losses", {}).get(loss, math.nan) for loss in LOSSES},
        "counted": said.get("counted", 1),
        "run": None,
        "best": None,
    }
    try:
        return check_model(model)
    except Refused as refused:
        raise ValueError(refused.args[0]) from None


def read_bytes(path, most):
    """The bytes of a file of at most so many; ValueError for a missing, larger or other one."""
    try:
        if path.is_file() and path.stat().st_size > most:
            raise ValueError(
                f"{path.name} has {path.stat().st_size:,} bytes, and at most {most:,} belong here"
            )
        data = read_file(path, most)
    except Refused as refused:
        raise ValueError(f"{path.name} cannot be used: {refused.args[0]}") from None
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read ({reason(error)})") from None
    if data is None:
        raise ValueError(f"{path.name} is missing")
    return data


def read_json(path):
    """The dict in a JSON file; a name that occurs twice, NaN and numbers of many digits are refused."""
    data = read_bytes(path, MAX_JSON)
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=without_duplicates,
            parse_int=short_number,
            parse_constant=no_number,
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.name} is no JSON ({error!s:.60})") from None
    if type(value) is not dict:
        raise ValueError(f"{path.name} holds a {type(value).__name__}, not a dict")
    return value


def short_number(digits):
    if len(digits) > 18:
        raise ValueError("a number has more than 18 digits")
    return int(digits)


def no_number(name):
    raise ValueError(f"{name} is no number")


def read_config(about):
    """Our config, if it is of a GPT-2 that we compute in the same way and in reasonable time."""
    if about.get("model_type") != "gpt2":
        raise ValueError(
            f"{CONFIG} is of a model of the type {about.get('model_type')!a:.40}; only gpt2 can be imported"
        )
    for name, allowed in COMPUTED.items():
        value = about.get(name, allowed[0])
        if value not in allowed:
            raise ValueError(f"{CONFIG} has {name} {value!a:.40}, and our GPT has {allowed[0]!a}")
    config = {name: about.get(name) for name in GPT_CONFIG}
    if config["n_inner"] is None and type(config["n_embd"]) is int:
        config["n_inner"] = 4 * config["n_embd"]
    for name, value in config.items():
        if type(value) is not int or value < 1:
            raise ValueError(f"{CONFIG} has {name} {value!a:.40}, and a whole number of at least 1 is needed")
    if config["n_embd"] % config["n_head"]:
        raise ValueError(
            f"{CONFIG} has n_embd {config['n_embd']} and n_head {config['n_head']}; each head takes an equal "
            "share of the width"
        )
    one, two = (parameters_in({**config, "n_layer": layers}) for layers in (1, 2))
    number = one + (config["n_layer"] - 1) * (two - one)
    if number > MAX_PARAMETERS:
        raise ValueError(
            f"{CONFIG} is of a model of {number:,} parameters, and pure Python takes at most "
            f"{MAX_PARAMETERS:,}"
        )
    try:
        check_sizes(config)
    except Refused as refused:
        raise ValueError(f"{CONFIG} cannot be used: {refused.args[0]}") from None
    return config


def read_tokenizer(data, config):
    """(vocab, unit, merges) of a tokenizer.json of letters, of byte pairs or of words, as we write it."""
    kind, ids, merges = None, None, []
    if type(data.get("model")) is dict:
        kind, ids = data["model"].get("type"), data["model"].get("vocab")
        merges = data["model"].get("merges", [])
    if kind not in ("WordLevel", "BPE") or type(ids) is not dict:
        raise ValueError(
            f"{TOKENIZER} is of the type {kind!a:.40}; only WordLevel, of letters or of words, and BPE "
            "can be imported"
        )
    V = config["vocab_size"]
    if any(type(i) is not int for i in ids.values()) or sorted(ids.values()) != list(range(V)):
        raise ValueError(
            f"{TOKENIZER} has {len(ids)} tokens, and {CONFIG} needs one for each id from 0 to {V - 1}"
        )
    vocab = sorted(ids, key=ids.get)
    if vocab[:3] != SPECIALS:
        raise ValueError(f"{TOKENIZER} does not begin with the tokens {', '.join(SPECIALS)}")
    for token in vocab[3:]:
        if not token or any(is_control(c) for c in token):
            raise ValueError(f"{TOKENIZER} has the token {token!a:.40}, which cannot be printed")
    for unit in ("letters", "words") if kind == "WordLevel" else ("pieces",):
        ours = tokenizer_of({"vocab": vocab, "unit": unit, "kind": LIST})
        if data.get("pre_tokenizer") == ours["pre_tokenizer"]:
            if unit == "letters" and any(len(token) != 1 for token in vocab[3:]):
                raise ValueError(f"{TOKENIZER} splits texts into letters, but has tokens of several letters")
            return vocab, unit, merges
    raise ValueError(
        f"{TOKENIZER} splits texts in another way than this course: letters, byte pairs or words"
    )


def is_control(character):
    """Whether it could steer a terminal; texts are cleaned of these, so no vocabulary of ours holds one."""
    return character != "\n" and unicodedata.category(character) in ("Cc", "Cf", "Cs")


def kind_by_first_token(tokenizer, vocab, unit):
    """What the first token says about the kind of text."""
    running = tokenizer_of({"vocab": vocab, "unit": unit, "kind": RUNNING})["post_processor"]
    is_running = "\n" in vocab and tokenizer.get("post_processor") == running
    return RUNNING if is_running else LIST


def read_said(said):
    """What config.json says about the training, if it says it in our way; other folders say nothing."""
    if said is None:
        return {}
    problem = ValueError(f"{CONFIG} says something about the training that was never exported")
    if type(said) is not dict or said.get("kind") not in (LIST, RUNNING):
        raise problem
    if any(
        type(said.get(name)) is not int or not 0 <= said[name] <= MAX_STEPS for name in ("steps", "counted")
    ):
        raise problem
    for name in ("trained_on", "when"):
        text = said.get(name)
        if type(text) is not str or len(text) > MAX_SAID or not text.isprintable():
            raise problem
    losses = said.get("losses")
    if type(losses) is not dict or any(map(is_no_loss, losses.values())):
        raise problem
    return {
        **said,
        "losses": {name: math.nan if losses.get(name) is None else losses[name] for name in LOSSES},
    }


def is_no_loss(loss):
    return loss is not None and (type(loss) is not float or not math.isfinite(loss))


def read_parameters(path, config):
    """The parameters of our GPT, turned; the shapes are compared before a number is read."""
    sizes = {
        name: size[::-1] if name.endswith(TURNED) else size for name, size in gpt_param_sizes(config).items()
    }
    tied = sizes["wte.weight"]
    numbers = sum(map(math.prod, [*sizes.values(), tied]))
    data = read_bytes(path, 4 * numbers + MAX_HEADER)
    try:
        entries, _, start = read_entries(data)
    except ValueError as error:
        raise ValueError(f"{path.name} cannot be used: {error}") from None
    named = {name.removeprefix(PREFIX): entry for name, entry in entries.items()}
    if len(named) < len(entries):
        raise ValueError(f"{path.name} holds a tensor twice, with and without {PREFIX}")
    for name, size in sizes.items():
        if name not in named:
            raise ValueError(f"{path.name} does not hold {name}, which {CONFIG} needs")
        if named[name]["shape"] != size:
            raise ValueError(f"{path.name} has {name} {named[name]['shape']}, and {CONFIG} needs {size}")
    head = named.pop("lm_head.weight", None)  # some programs write the tied matrix twice
    for name in named:
        if name not in sizes:
            raise ValueError(f"{path.name} holds {name!a:.40}, which {CONFIG} does not need")
    parameters = {name: read_tensor(named[name], data, start) for name in sizes}
    if head and (head["shape"] != tied or read_tensor(head, data, start) != parameters["wte.weight"]):
        raise ValueError(f"{path.name} has an lm_head.weight of its own, and our GPT uses wte.weight there")
    return turn_blocks(parameters)
