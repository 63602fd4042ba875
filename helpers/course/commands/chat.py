"""What `python3 -m helpers chat` does: SmolLM2 answers in the terminal, token by token."""

import random
import sys

from ...sampling import sample, softmax_with_temperature, top_p
from ..models.smollm2 import SYSTEM, read_smollm2, smollm2_stored
from ..reading.budget import Unreadable
from ..show.status import working
from .environment import Problem
from .names import PROGRAM, number_between

MAX_REPLY = 300  # tokens
MAX_TOKENS = 2048  # of a conversation; the model was trained on up to 8,192
MAX_BYTES = 4 * MAX_TOKENS  # of a question: a token of English has about four. One long word takes a second.
TOP_P = 0.9
SLOWLY = "SmolLM2 answers slowly, about a token a second, and is often wrong."


class Full(Problem):
    """A conversation has no room for the question and a reply."""


class Conversation:
    """What was said so far, as the keys and values of its tokens."""

    def __init__(self, model, choose):
        self.model, self.choose = model, choose
        self.cache, self.read_tokens = None, 0
        self.x, self.replied, self.begun = None, False, None

    def read(self, tokens, what):
        with working(what, len(tokens)) as step:
            for token in tokens:
                self.read_token(token)
                step()

    def read_token(self, token):
        self.x, self.cache = self.model.read(token, self.cache)
        self.read_tokens += 1

    def begin(self):
        """Read the system message, or go back to where it had been read."""
        if self.begun is None:
            self.read(self.model.encode(f"<|im_start|>system\n{SYSTEM}<|im_end|>\n"), "SmolLM2 gets ready")
            self.begun = self.cache, self.read_tokens
        (self.cache, self.read_tokens), self.replied = self.begun, False

    def ask(self, question):
        """Read a question, whole or not at all. A mark in it, such as <|im_end|>, is text and ends nothing."""
        size = len(utf8(question))
        if size > MAX_BYTES:
            raise Problem(
                f"This is too long: a question may have {MAX_BYTES:,} bytes in UTF-8, and this one has {size:,}."
            )
        encode = self.model.encode
        end_of_reply = "<|im_end|>\n" if self.replied else ""
        tokens = [*encode(f"{end_of_reply}<|im_start|>user\n"), *encode(question, marks=False)]
        tokens += encode("<|im_end|>\n<|im_start|>assistant\n")
        if self.read_tokens + len(tokens) + MAX_REPLY > MAX_TOKENS:
            raise Full(
                f"This is too long: a conversation has room for {MAX_TOKENS:,} tokens. Of these, "
                f"{self.read_tokens:,} are read, the question has {len(tokens):,}, and a reply takes up to "
                f"{MAX_REPLY}."
            )
        before = self.cache, self.read_tokens, self.x
        try:
            self.read(tokens, "SmolLM2 reads")
        except BaseException:  # Ctrl-C: half a question would be the beginning of the next one
            self.cache, self.read_tokens, self.x = before
            raise
        self.replied = True

    def reply(self):
        """The text of the reply, piece by piece."""
        model, text = self.model, self.model.tokenizer.stream()
        for _ in range(MAX_REPLY):
            token = self.choose(model.logits(self.x))
            if token == model.end:
                return
            yield text(token)
            self.read_token(token)  # without a line of progress, which would overwrite the reply


def chooser(temperature, rng):
    """The function that chooses a token from the logits: the most likely one at temperature 0."""
    if temperature == 0:
        return lambda logits: logits.index(max(logits))
    return lambda logits: sample(top_p(softmax_with_temperature(logits, temperature), TOP_P), rng)


def chat(options):
    """Talk to SmolLM2, or ask it one question."""
    model = loaded()
    conversation = Conversation(model, chooser(options.temperature, random.Random(options.seed)))
    if options.question:
        print(SLOWLY, file=sys.stderr)  # what is printed is the answer alone
        question = " ".join(options.question)
        utf8(question)
        conversation.begin()
        conversation.ask(question)
        say(conversation)
        return
    print(SLOWLY, "Ctrl-C stops a reply.")
    print("An empty line or Ctrl-D ends the conversation.")
    sys.stdin.reconfigure(errors="surrogateescape")  # bytes that are no UTF-8 are refused with the question
    conversation.begin()
    while question := ask_person():
        try:
            conversation.ask(question)
            say(conversation)
        except Full as full:
            print(full, "A new one begins: ask again.")
            conversation.begin()
        except Problem as problem:
            print(problem)
        except KeyboardInterrupt:
            print(" [stopped]")


def utf8(question):
    try:
        return question.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem("The question holds bytes that are no text in UTF-8. Write it again.") from None


def loaded():
    """The model; a Problem where it is not here."""
    if smollm2_stored() is None:
        raise Problem(
            f"SmolLM2 is not here. Get its file, a download of 93 MB, with:  {PROGRAM} fetch smollm2"
        )
    try:
        return read_smollm2()
    except Unreadable as error:
        raise Problem(
            f"The file of SmolLM2 cannot be read: {error}. Get it again:  {PROGRAM} fetch smollm2"
        ) from None


def ask_person():
    try:
        return input("\nyou> ").strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return ""


def say(conversation):
    for piece in conversation.reply():
        print(piece, end="", flush=True)
    print()


def chat_arguments(parser):
    parser.add_argument(
        "question", nargs="*", metavar="QUESTION", help="answer this and end; default: a conversation"
    )
    parser.add_argument(
        "--temperature",
        type=number_between("a temperature", 0, 100, float),
        default=0.0,
        help="0, the default, always takes the most likely token; 0.7 gives varied answers",
    )
    parser.add_argument("--seed", type=int, help="a whole number: the same answers each time")
