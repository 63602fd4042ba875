"""SmolLM2-135M-Instruct, a chat model of Hugging Face: its file, its tokenizer, and the course's Llama on it.

The file is not part of the course. `python3 -m helpers fetch smollm2` puts it into the folder of the models.
Without it, lessons show what was recorded with it.
"""

import codecs
import copy
import functools
import json
import math
import operator
import os
import re
import sys
import time
from pathlib import Path

from ...byte_pairs import apply_merges, split_bytes
from ...llama import LLAMA_BLOCK_SHAPES, llama_forward, llama_param_sizes
from .. import ROOT
from ..engine import mathematics, with_names
from ..reading.budget import Unreadable
from ..show.status import working
from .gguf import read_gguf
from .packed import PackedMatrix, packed_linear, steps_are_finite
from .tokenizer import byte_letters, character_class, split_pieces

FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_BYTES = 98_362_432
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"  # of its chat template
# What each conversation begins with, and what stands between a question and its answer, and after that
BEGINNING = f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n"
BEFORE_REPLY = "<|im_end|>\n<|im_start|>assistant\n"
AFTER_REPLY = "<|im_end|>\n<|im_start|>user\n"
RECORDED = Path(__file__).with_name("smollm2_recorded.json")
FETCH = "python3 -m helpers fetch smollm2"
UPLOAD = f"press Bring SmolLM2's file above, and choose your copy of {FILE_NAME}"
PAUSE = 0.2  # seconds between the pieces of a recorded answer
MAX_SHARED = 64  # tokens at the beginning of a text whose results are kept for the next text
CONTROL = 3  # the type of a token that marks something in a conversation, and is no text
# The file's names of the sizes, and those of LLAMA_CONFIG
SIZES = {
    "llama.embedding_length": "n_embd",
    "llama.block_count": "n_layer",
    "llama.attention.head_count": "n_head",
    "llama.attention.head_count_kv": "n_kv_head",
    "llama.feed_forward_length": "n_inner",
}
NUMBERS = {"llama.rope.freq_base": "rope_base", "llama.attention.layer_norm_rms_epsilon": "eps"}


def models_folder():
    """Where files of models are kept; tests name another folder for states, where there are none."""
    state = os.environ.get("SIXTEEN_STATE")
    return ROOT / state / "models" if state else ROOT / "notebooks" / "models"


def smollm2_path():
    return models_folder() / FILE_NAME


def how_to_get():
    """What a reader has to do for the file; a browser tab cannot download it."""
    if sys.platform == "emscripten":
        return f"To run it in this tab, {UPLOAD}. A token takes 5 to 6 s here, the page up to 2.7 GB."
    return f"To run it yourself, get its file (a download of 93 MB): {FETCH}"


def smollm2_stored():
    """For a list of what is stored: the path and the bytes of the file; None if it is not there."""
    path = smollm2_path()
    return (path, path.stat().st_size) if path.is_file() else None


class Tokenizer:
    """The byte pairs of a GGUF file of the type gpt2: text to token ids, and back."""

    def __init__(self, metadata):
        byte_of = {letter: byte for byte, letter in byte_letters().items()}
        words, kinds = (metadata[f"tokenizer.ggml.{name}"] for name in ("tokens", "token_type"))
        self.tokens = [token_bytes(word, byte_of) for word in words]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        self.control = {word for word, kind in zip(words, kinds, strict=True) if kind == CONTROL}
        self.ranks = {}
        for merge in metadata["tokenizer.ggml.merges"]:
            pair = tuple(token_bytes(word, byte_of) for word in merge.split(" "))
            self.ranks.setdefault(pair, len(self.ranks))
        self.apply_merges = apply_merges
        self.marks = re.compile(
            "|".join(map(re.escape, sorted(self.control, key=len, reverse=True))) or "(?!)"
        )

    def encode(self, text, marks=True):
        """The ids of a text; marks such as <|im_end|> are tokens of their own, unless marks is False.

        The few bytes that the vocabulary lacks, such as U+0004, are left out, as its own tokenizer does.
        """
        if not marks:
            return self.encode_plain(text)
        ids, start = [], 0
        for found in self.marks.finditer(text):
            ids += [*self.encode_plain(text[start : found.start()]), self.ids[found[0].encode()]]
            start = found.end()
        return ids + self.encode_plain(text[start:])

    def encode_plain(self, text):
        pieces = [piece for part in digits_apart().split(text) for piece in split_pieces(part)]
        tokens = (token for piece in pieces for token in self.merged(piece))
        return [self.ids[token] for token in tokens if token in self.ids]

    @functools.lru_cache(maxsize=10_000)  # noqa: B019, a tokenizer lives as long as the program
    def merged(self, piece):
        return self.apply_merges(split_bytes(piece), self.ranks)

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode("utf-8", errors="replace")

    def stream(self):
        """A function that takes one id after the other and gives the text that is complete by then."""
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        return lambda i: decoder.decode(self.tokens[i])


def token_bytes(word, byte_of):
    """The bytes of a token that is written with GPT-2's letters for bytes; a mark stands for itself."""
    try:
        return bytes(byte_of[letter] for letter in word)
    except KeyError:
        return word.encode("utf-8")


@functools.cache
def digits_apart():
    """SmolLM2 reads each digit by itself: split with this, a text has single digits between other parts."""
    return re.compile(f"([{character_class('N')}])")


def llama_config(metadata):
    """The config of a Llama, from the metadata of its file; Unreadable if that is no Llama."""
    what = metadata.get("general.architecture")
    if what != "llama":
        raise Unreadable(f"its architecture is {what!r:.40}; only a llama can be read")
    config = {"vocab_size": len(entry_of(metadata, "tokenizer.ggml.tokens", list))}
    config |= {short: entry_of(metadata, name, int) for name, short in SIZES.items()}
    config |= {short: entry_of(metadata, name, float) for name, short in NUMBERS.items()}
    for name in ("tokenizer.ggml.token_type", "tokenizer.ggml.merges"):
        entry_of(metadata, name, list)
    if metadata.get("tokenizer.ggml.model") != "gpt2":
        raise Unreadable("its tokenizer is not of the type gpt2; only byte pairs can be read")
    for name in ("tokens", "merges"):
        if not all(type(word) is str for word in metadata[f"tokenizer.ggml.{name}"]):
            raise Unreadable(f"the entry 'tokenizer.ggml.{name}' is no list of texts")
    if len(metadata["tokenizer.ggml.token_type"]) != config["vocab_size"]:
        raise Unreadable("its tokens and the types of its tokens are lists of different lengths")
    if not all(0 < value < math.inf for value in config.values()):  # NaN is neither
        raise Unreadable("one of its sizes or settings is no positive number")
    if not all(metadata["tokenizer.ggml.tokens"]):
        raise Unreadable("one of its tokens is an empty text")
    return config


def entry_of(metadata, name, kind):
    value = metadata.get(name)
    if type(value) is not kind:
        what = "is missing" if value is None else f"is {value!r:.40}"
        raise Unreadable(f"the entry {name!r} {what}; give {'an' if kind is int else 'a'} {kind.__name__}")
    return value


def llama_parameters(config, tensors):
    """The parameters by name: vectors as lists, matrices packed.

    Unreadable where a shape is not the config's, or a number is NaN or infinite.
    """
    per_block = len(LLAMA_BLOCK_SHAPES)
    if per_block * config["n_layer"] > len(tensors):  # before a name is made for each of them
        raise Unreadable(
            f"it announces {config['n_layer']:,} blocks of {per_block} tensors, and holds {len(tensors):,}"
        )
    try:
        sizes = llama_param_sizes(config)
    except AssertionError as error:
        raise Unreadable(str(error)) from None
    other = [name for name in tensors if name not in sizes]
    if other:
        raise Unreadable(f"the tensor {other[0]!a:.60} is no part of a Llama whose table is at both ends")
    parameters = {}
    for name, size in sizes.items():
        if name not in tensors:
            raise Unreadable(f"the tensor {name!r} is missing")
        kind, shape, data = tensors[name]
        if shape != size:
            raise Unreadable(f"the tensor {name!r} has the shape {shape}, and the sizes say {size}")
        if kind not in (("Q4_1", "Q8_0") if len(size) == 2 else ("F32",)):
            raise Unreadable(f"the tensor {name!r} is of type {kind}, which is not read here")
        vector = list(data.cast("B").cast("f")) if kind == "F32" else None
        if not (all(map(math.isfinite, vector)) if vector else steps_are_finite(kind, data)):
            raise Unreadable(f"the tensor {name!r} holds NaN or infinity")
        parameters[name] = vector or PackedMatrix(kind, shape, data)
    return parameters


class Results:
    """What a lesson computes with the model: here and now, or as it was recorded."""

    def recorded(self, function):
        """A decorator: the function runs where the file is. Elsewhere it gives what was recorded of it."""

        @functools.wraps(function)
        def found(*arguments):
            return function(*arguments) if self.running else self.live(function, *arguments)

        return found


class Model(Results):
    """A Llama from a file: config, parameters, and its tokenizer's encode and decode."""

    here = True

    def __init__(self, metadata, tensors):
        self.metadata, self.tensors = metadata, tensors
        self.config = llama_config(metadata)
        self.parameters = llama_parameters(self.config, tensors)
        self.tokenizer = Tokenizer(metadata)
        self.encode, self.decode = self.tokenizer.encode, self.tokenizer.decode
        self.end = metadata.get("tokenizer.ggml.eos_token_id")
        self.forward = fast(llama_forward)
        self.running = False
        self.count = lambda: None  # counts a token that was read, for a line of progress
        self.beginning = []  # of the last text: (cache before, token, forward, parameters, result) a token

    def read(self, token, cache=None):
        """The final vector at one more token, and the longer cache.

        What a text has in common with the beginning of the last one, such as a system message, is read once.
        """
        done, read_by = self.beginning, (self.forward, self.parameters)
        n = next((i for i, (before, *_) in enumerate(done) if before is cache), len(done))
        if n < len(done) and done[n][1] == token and all(map(operator.is_, done[n][2:4], read_by)):
            return done[n][4]
        X, longer = self.forward(self.config, self.parameters, [token], cache)
        self.count()
        if n < MAX_SHARED and (cache is None or n and done[n - 1][4][1] is cache):
            done[n:] = [(cache, token, *read_by, (X[0], longer))]
        return X[0], longer

    def step(self, token, cache=None):
        """The logits after one more token, and the longer cache."""
        x, cache = self.read(token, cache)
        return self.logits(x), cache

    def logits(self, x):
        """The logits of the next token."""
        return packed_linear([x], self.parameters["token_embd.weight"])[0]

    def copy_with(self, **functions):
        """The same model with other functions in its forward pass: copy_with(rope=my_rope)."""
        other = copy.copy(self)
        other.forward = fast(llama_forward, **functions)
        return other

    def live(self, function, *arguments, tokens=None):
        """What function(*arguments) gives, with a line of progress; tokens is how many will be read."""
        with working("SmolLM2 reads and writes tokens", tokens) as self.count:
            self.running = True
            try:
                return function(*arguments)
            finally:
                self.running, self.count = False, lambda: None

    def stream(self, function, *arguments):
        """What a generator gives, piece by piece."""
        yield from function(*arguments)


class Recorded(Results):
    """What stands in for the model where its file is missing: results that were recorded with it."""

    here = running = False

    def __init__(self):
        self.results = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}

    def live(self, function, *arguments, tokens=None):
        call = call_text(function, arguments)
        if call not in self.results:
            raise NotRecorded(f"This was not recorded. {how_to_get()}")
        return self.results[call]

    def stream(self, function, *arguments):
        for piece in self.live(function, *arguments):
            time.sleep(PAUSE)
            yield piece


class NotRecorded(LookupError):
    """A notebook shows its sentence alone."""

    def _render_traceback_(self):
        return [str(self)]


def call_text(function, arguments):
    """The call as text, under which its result is recorded."""
    return f"{function.__name__}({', '.join(map(repr, arguments))})"


def read_smollm2(path=None):
    """The model in a file; Unreadable or OSError where there is none."""
    file = read_gguf(path or smollm2_path())
    return Model(file.metadata, file.tensors)


def one_question(question):
    """The text of a conversation that begins with this question."""
    return BEGINNING + question + BEFORE_REPLY


def load_smollm2():
    """The model if its file is there, else what was recorded with it; says which."""
    if smollm2_stored() is None:
        print("SmolLM2 is not here, so this page shows what was recorded with it.")
        print(how_to_get())
        return Recorded()
    try:
        model = read_smollm2()
    except (Unreadable, OSError) as error:
        print(f"The file of SmolLM2 cannot be used: {error}. {how_to_get()}")
        return Recorded()
    print("SmolLM2 is here: this page runs it.")
    return model


def fast_names():
    """The functions of a Llama without input checks, with the product of packed matrices."""
    return mathematics(linear=packed_linear)


def fast(function, **own):
    """A copy of a function in which every function of the course is the fast one, or the reader's own.

    fast(llama_forward, softmax=my_softmax): the softmax that it calls is the reader's. What the reader's
    function calls is fast, too.
    """
    names = fast_names()
    given = {name: with_names(f, names) for name, f in {function.__name__: function, **own}.items()}
    names |= given
    for function_copy in given.values():
        function_copy.__globals__.update(given)
    return given[function.__name__]
