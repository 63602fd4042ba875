"""Models as folders: their files compared with what Hugging Face's GPT-2 expects, the way back, and hostile
folders. The same with Hugging Face's own programs: benchmarks/exported_by_transformers.py."""

import json
import math
import random
import struct

import pytest

from helpers import init_gpt, transpose
from helpers.course import commands
from helpers.course.models import smollm2
from helpers.course.models.safetensors import write_safetensors
from helpers.course.training import hugging_face, own_model
from helpers.course.training.hugging_face import tokenizer_of, turn_blocks
from helpers.course.training.own_model import load_model, model_path, save_model

VOCAB = ["<PAD>", "<BOS>", "<EOS>", "\n", "a", "b", "\u03c3"]
CONFIG = {"vocab_size": 7, "n_positions": 5, "n_embd": 4, "n_layer": 2, "n_head": 2, "n_inner": 6}
FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]


def named(name="mine", **changes):
    losses = dict.fromkeys(("uniform", "bigrams", "counts", "training", "validation", "test"), 1.25)
    texts = {"name": "ab.txt", "paths": ["/home/someone/ab.txt"], "digest": "d", "fingerprint": "f"}
    model = {"name": name, "kind": "running", "unit": "letters", "vocab": VOCAB, "config": CONFIG}
    model |= {"parameters": init_gpt(CONFIG, random.Random(3)), "trained_on": texts, "asked": {"steps": 9}}
    model |= {"settings": dict(own_model.SETTINGS), "steps": 9, "when": "today", "losses": losses}
    return {**model, "counted": 2, "run": None, "best": None, **changes}


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))
    save_model(named())


def test_without_a_folder_the_model_is_written_where_git_does_not_look(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert commands.main(["export", "mine"]) == 0
    place = smollm2.models_folder() / "mine"  # notebooks/models is git-ignored
    assert sorted(path.name for path in place.iterdir()) == FILES
    command = capsys.readouterr().out.strip().splitlines()[-1].partition("helpers ")[2]
    assert commands.main(command.split()) == 0  # the line that reads it back
    assert load_model("another")["config"] == CONFIG
    assert commands.main(["export", "mine"]) == 2 and "is there already" in capsys.readouterr().err


@pytest.fixture
def folder(tmp_path, capsys):
    assert commands.main(["export", "mine", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    return tmp_path / "out"


def float32(tree):
    if isinstance(tree, list):
        return [float32(entry) for entry in tree]
    return struct.unpack("<f", struct.pack("<f", tree))[0]


# --- the files


BLOCK = {
    "ln_1.weight": [4],
    "ln_1.bias": [4],
    "attn.c_attn.weight": [4, 12],
    "attn.c_attn.bias": [12],
    "attn.c_proj.weight": [4, 4],
    "attn.c_proj.bias": [4],
    "ln_2.weight": [4],
    "ln_2.bias": [4],
    "mlp.c_fc.weight": [4, 6],
    "mlp.c_fc.bias": [6],
    "mlp.c_proj.weight": [6, 4],
    "mlp.c_proj.bias": [4],
}


def test_the_tensors_as_hugging_face_s_file_has_them(folder):
    """Read here byte by byte: the names of gpt2's own file, W[in][out] in the blocks, 32-bit floats."""
    data = (folder / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    assert header.pop("__metadata__") == {"format": "pt"}
    shapes = {name: entry["shape"] for name, entry in header.items()}
    assert shapes["wte.weight"] == [7, 4] and shapes["wpe.weight"] == [5, 4]
    assert {name[4:]: shape for name, shape in shapes.items() if name.startswith("h.1.")} == BLOCK
    parameters = named()["parameters"]
    for name in ("h.0.attn.c_proj.weight", "h.1.mlp.c_fc.weight", "wpe.weight"):
        entry, W = header[name], parameters[name]
        rows, columns = entry["shape"]
        first = 8 + size + entry["data_offsets"][0]
        found = struct.unpack(f"<{rows * columns}f", data[first : first + 4 * rows * columns])
        turned = W if name == "wpe.weight" else transpose(W)
        assert list(found) == sum(float32(turned), [])


def test_the_config_and_the_tokenizer(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["model_type"] == "gpt2" and config["architectures"] == ["GPT2LMHeadModel"]
    assert {name: config[name] for name in CONFIG} == CONFIG and config["activation_function"] == "gelu_new"
    dropout = [config[f"{part}_pdrop"] for part in ("resid", "embd", "attn")]
    assert dropout == [0, 0, 0]  # Hugging Face's own default is 0.1, for a training that goes on elsewhere
    assert config["layer_norm_epsilon"] == 1e-5 and config["tie_word_embeddings"] is True
    assert "someone" not in json.dumps(config)  # no path of this machine goes out
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    assert tokenizer["model"]["vocab"] == {token: i for i, token in enumerate(VOCAB)}
    replaced = {step["pattern"]["String"]: step["content"] for step in tokenizer["normalizer"]["normalizers"]}
    assert replaced == {"A": "a", "B": "b", "\u03a3": "\u03c3"}
    assert tokenizer["post_processor"]["special_tokens"]["\n"]["ids"] == [3]


def test_a_list_begins_with_bos_and_words_are_split():
    words = {"kind": "list", "unit": "words", "vocab": [*VOCAB[:3], ".", "a"]}
    tokenizer = tokenizer_of(words)
    special = {"id": "<BOS>", "ids": [1], "tokens": ["<BOS>"]}
    assert tokenizer["post_processor"]["special_tokens"] == {"<BOS>": special}
    assert tokenizer["normalizer"] == {"type": "Lowercase"} and tokenizer["pre_tokenizer"]["invert"]
    assert tokenizer_of({**words, "vocab": [*VOCAB[:3], "A"]})["normalizer"] is None


# --- the way back


def test_there_and_back_is_equal_in_32_bits(folder, capsys):
    assert commands.main(["import", str(folder), "--name", "again"]) == 0
    assert "again: trained on ab.txt" in capsys.readouterr().out
    model, again = named(), load_model("again")
    assert again["parameters"] == {name: float32(entry) for name, entry in model["parameters"].items()}
    same = ("kind", "unit", "vocab", "config", "steps", "when", "losses", "counted")
    assert {name: again[name] for name in same} == {name: model[name] for name in same}
    assert again["trained_on"] == {"name": "ab.txt", "paths": [], "digest": "", "fingerprint": ""}
    assert commands.main(["export", "again", str(folder.parent / "twice")]) == 0
    for name in FILES:
        assert (folder.parent / "twice" / name).read_bytes() == (folder / name).read_bytes()


def test_the_model_that_the_course_ships(tmp_path, capsys):
    assert commands.main(["export", "stories", str(tmp_path / "tales")]) == 0
    assert commands.main(["import", str(tmp_path / "tales")]) == 0
    assert "its losses are not known" in capsys.readouterr().out
    texts = []
    for name in ("stories", "tales"):
        assert commands.main(["say", "--model", name, "--prompt", "mia has", "--greedy"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] and load_model("tales")["unit"] == "words"


def test_a_folder_of_gpt2lmheadmodel(folder, capsys):
    """With its prefix, the tied matrix twice, no word about the training, and without n_inner."""
    config = {**CONFIG, "n_inner": 16}
    parameters = float32_tree(init_gpt(config, random.Random(4)))
    named_so = {f"transformer.{name}": entry for name, entry in turn_blocks(parameters).items()}
    write_safetensors(folder / "model.safetensors", {**named_so, "lm_head.weight": parameters["wte.weight"]})
    change_json(folder / "config.json", n_inner=None, sixteen=...)
    assert commands.main(["import", str(folder)]) == 0
    model = load_model("out")
    assert model["parameters"] == parameters and model["kind"] == "running"
    assert math.isnan(model["losses"]["test"]) and "not known" in capsys.readouterr().out


def float32_tree(parameters):
    return {name: float32(entry) for name, entry in parameters.items()}


def change_json(path, **changes):
    """Change entries of a JSON file; ... takes one away."""
    about = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    about = {name: value for name, value in about.items() if value is not ...}
    path.write_text(json.dumps(about), encoding="utf-8")


# --- hostile folders: one sentence, and nothing is kept


def refused(folder, capsys):
    assert commands.main(["import", str(folder), "--name", "bad"]) in (1, 2)
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.endswith(".\n") and len(err) < 400, err
    assert not model_path("bad").exists()
    return err


@pytest.mark.parametrize("name", FILES[:3])
def test_a_missing_file_and_a_folder_in_its_place(folder, name, capsys):
    (folder / name).unlink()
    assert f"{name} is missing" in refused(folder, capsys)
    (folder / name).mkdir()
    assert name in refused(folder, capsys)


GPT_2 = {"n_embd": 768, "n_layer": 12, "vocab_size": 50257, "n_positions": 1024}
CONFIGS = [
    ({"model_type": "llama"}, "'llama'; only gpt2"),
    ({"model_type": ...}, "None; only gpt2"),
    ({"activation_function": "relu"}, "activation_function 'relu'"),
    ({"activation_function": ["gelu_new"]}, "activation_function"),
    ({"layer_norm_epsilon": 0.1}, "layer_norm_epsilon"),
    ({"tie_word_embeddings": False}, "tie_word_embeddings"),
    ({"scale_attn_by_inverse_layer_idx": True}, "inverse"),
    ({"n_embd": "4"}, "n_embd '4'"),
    ({"n_embd": None, "n_inner": None}, "n_embd None"),
    ({"n_head": 3}, "n_head 3"),
    ({"n_head": 0}, "n_head 0"),
    ({"n_layer": True}, "n_layer True"),
    ({"n_layer": 10**17}, "parameters, and pure Python takes at most 500,000"),
    ({**GPT_2, "n_inner": None}, "124,439,808"),
    ({"n_positions": 4097, "n_embd": 2, "n_inner": 2}, "n_positions is not a whole number from 1 to 4096"),
    ({"n_positions": 6}, "wpe.weight [5, 4], and config.json needs [6, 4]"),
    ({"n_layer": 1}, "'h.1.ln_1.weight', which config.json does not need"),
    ({"n_layer": 3}, "does not hold h.2.ln_1.weight"),
    ({"n_inner": 4}, "h.0.mlp.c_fc.weight [4, 6], and config.json needs [4, 4]"),
    ({"vocab_size": 8}, "7 tokens"),
    ({"sixteen": []}, "never exported"),
    ({"sixteen": {"kind": "list"}}, "never exported"),
]


@pytest.mark.parametrize("changes, words", CONFIGS, ids=str)
def test_a_config_that_lies(folder, changes, words, capsys, monkeypatch):
    """No number of a tensor is read before the config and the header fit each other."""
    monkeypatch.setattr(hugging_face, "read_tensor", lambda *_: pytest.fail("a tensor was read"))
    change_json(folder / "config.json", **changes)
    assert words in refused(folder, capsys)


def test_what_config_json_says_is_not_printed_unseen(folder, capsys):
    said = json.loads((folder / "config.json").read_text(encoding="utf-8"))["sixteen"]
    for bad in ({"trained_on": "\x1b[2J"}, {"when": "x" * 99}, {"steps": -1}, {"losses": {"test": "1"}}):
        change_json(folder / "config.json", sixteen={**said, **bad})
        assert "never exported" in refused(folder, capsys)


NO_JSON = [
    (b"", "no JSON"),
    (b"\xff\xfe{", "no JSON"),
    (b"[]", "holds a list"),
    (b"[" * 200_000, "no JSON"),
    (b'{"a": 1, "a": 2}', "twice"),
    (b'{"a": NaN}', "NaN is no number"),
    (b'{"n_embd": ' + b"9" * 900_000 + b"}", "18 digits"),
    (b" " * 1_000_000, "bytes"),
]


@pytest.mark.parametrize("data, words", NO_JSON, ids=range(len(NO_JSON)))
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_file_that_is_no_json(folder, name, data, words, capsys):
    (folder / name).write_bytes(data)
    err = refused(folder, capsys)
    assert name in err and words in err


def vocabulary(**changes):
    return word_level({**{token: i for i, token in enumerate(VOCAB)}, **changes})


def last_token(token):
    return word_level({token: i for i, token in enumerate([*VOCAB[:6], token])})


def word_level(ids):
    return {"model": {"type": "WordLevel", "vocab": ids}}


TOKENIZERS = [
    ({"model": {"type": "Unigram", "vocab": {}}}, "'Unigram'; only WordLevel"),
    ({"model": ...}, "None; only WordLevel"),
    (vocabulary(a=99), "one for each id from 0 to 6"),
    (vocabulary(a=True), "one for each id"),
    (vocabulary(a=5), "one for each id"),
    (vocabulary(a=0, **{"<PAD>": 4}), "<PAD>, <BOS>, <EOS>"),
    ({"pre_tokenizer": None}, "another way"),
    (last_token("ab"), "several"),
    (last_token("\x1b"), "x1b"),
    (last_token(""), "''"),
]


@pytest.mark.parametrize("changes, words", TOKENIZERS, ids=range(len(TOKENIZERS)))
def test_a_tokenizer_of_another_kind(folder, changes, words, capsys):
    change_json(folder / "tokenizer.json", **changes)
    assert words in refused(folder, capsys)


TENSORS = [
    ({"h.0.attn.c_attn.weight": [[0.0] * 4] * 12}, "h.0.attn.c_attn.weight [12, 4]"),  # not turned
    ({"ln_f.bias": [0.0] * 3}, "ln_f.bias [3]"),
    ({"ln_f.bias": ...}, "does not hold ln_f.bias"),
    ({"more": [1.0]}, "'more'"),
    ({"transformer.ln_f.bias": [0.0] * 4}, "twice"),
    ({"lm_head.weight": [[0.5] * 4] * 7}, "lm_head.weight of its own"),
    ({"lm_head.weight": [[0.5] * 4] * 6}, "lm_head.weight of its own"),
    ({"ln_f.bias": [0.0, math.inf, 0.0, 0.0]}, "ln_f.bias holds a number that is not finite"),
    ({"ln_f.bias": [0.0, math.nan, 0.0, 0.0]}, "ln_f.bias holds a number that is not finite"),
]


@pytest.mark.parametrize("changes, words", TENSORS, ids=range(len(TENSORS)))
def test_tensors_that_do_not_fit(folder, changes, words, capsys):
    tensors = {**turn_blocks(named()["parameters"]), **changes}
    kept = {name: entry for name, entry in tensors.items() if entry is not ...}
    write_safetensors(folder / "model.safetensors", kept)
    assert words in refused(folder, capsys)


def test_a_header_that_lies_and_a_huge_file(folder, capsys, monkeypatch):
    path = folder / "model.safetensors"
    data = path.read_bytes()
    long_header, no_header = struct.pack("<Q", 2**63) + data[8:], data[:8] + b"\0" + data[9:]
    for bad in (b"", data[:-1], data + b"more", long_header, no_header):
        path.write_bytes(bad)
        assert "model.safetensors cannot be used: not a safetensors file" in refused(folder, capsys)
    with open(path, "wb") as file:
        file.truncate(10**10)  # without a byte on the disk
    monkeypatch.setattr(hugging_face, "read_file", lambda path, most: json_only(path))
    assert "10,000,000,000 bytes" in refused(folder, capsys)


def json_only(path):
    assert path.suffix == ".json", "the huge file was opened"
    return path.read_bytes()


# --- the command line


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["export", "mien", "x"], "no model 'mien'; did you mean mine?"),
        (["export", "../mine", "x"], "no model '../mine'"),
        (["export", "mine", "{}"], "is there already"),
        (["export", "mine", "{}/config.json"], "is there already"),
        (["export", "mine", "{}/a/b"], "no folder"),
        (["import", "{}/nowhere"], "no folder"),
        (["import", "{}", "--name", "mine"], "There is a model mine already"),
        (["import", "{}", "--name", "a b"], "'a b' is no name"),
    ],
)
def test_misuse(folder, arguments, words, capsys):
    assert commands.main([argument.format(folder) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == FILES


def test_a_model_in_training_is_not_exported(tmp_path, capsys):
    text = "\n".join(a + b + c for a in "bdgkm" for b in "aeiou" for c in "lnr")
    (tmp_path / "words.txt").write_text(text)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("helpers.course.commands.train.Chart.__call__", stop)
        train = ["train", str(tmp_path / "words.txt"), "--steps", "9", "--processes", "1", "--name", "half"]
        assert commands.main(train) == 1
    capsys.readouterr()
    assert commands.main(["export", "half", str(tmp_path / "x")]) == 2
    assert "half: in training on words.txt" in capsys.readouterr().err and not (tmp_path / "x").exists()


def test_an_empty_folder_is_filled_and_a_failure_leaves_nothing(tmp_path, monkeypatch, capsys):
    (tmp_path / "empty").mkdir()
    assert commands.main(["export", "mine", str(tmp_path / "empty")]) == 0
    before = sorted(tmp_path.iterdir())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hugging_face, "write_safetensors", full)
    assert commands.main(["export", "mine", str(tmp_path / "other")]) == 1
    assert "No space left" in capsys.readouterr().err and sorted(tmp_path.iterdir()) == before


def test_a_number_beyond_32_bits_is_not_exported(tmp_path):
    parameters = {**named()["parameters"], "ln_f.bias": [1e39, 0.0, 0.0, 0.0]}
    with pytest.raises(ValueError, match="ln_f.bias holds a number that a 32-bit float cannot hold"):
        hugging_face.write_folder(named("large", parameters=parameters), tmp_path / "x")
    assert not (tmp_path / "x").exists()
