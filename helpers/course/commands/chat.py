"""What `python3 -m helpers chat` does: SmolLM2 answers in the terminal, token by token."""

import contextlib
import functools
import random
import sys

from ...sampling import min_p, sample, softmax_with_temperature
from ..exercises.own_chat import Mine, own_functions
from ..models.smollm2 import AFTER_REPLY, BEFORE_REPLY, BEGINNING, read_smollm2, smollm2_path, smollm2_stored
from ..reading.budget import Unreadable
from ..show.status import working
from ..training.parallel import ctrl_c_later
from .chat_files import Kept, cache_bytes, cache_from, quicken
from .environment import Problem
from .fetch import sha256
from .names import PROGRAM, number_between

MAX_REPLY = 300  # tokens
MAX_TOKENS = 2048  # of a conversation; the model was trained on up to 8,192
MAX_BYTES = 2 * MAX_TOKENS  # of a question; one word of so many letters takes a second
# Ten questions in one conversation, seeds 1 to 3, replies of at most 30 tokens. Of the 30 replies, how many
# have ten tokens in a row with an earlier one, and how many are right: at temperature 0.6 without a penalty
# 9 and 6; at 0.2 5 and 16; at 0.2 with a penalty of 1.05 3 and 19, of 1.1 1 and 15.
MIN_P, PENALTY = 0.1, 1.05  # where tokens are drawn
REPEATED = 3  # times that a piece stands at the end of a reply that repeats itself
LONG_ENOUGH = 18  # tokens of these pieces together: "ha ha ha" is no reason to stop
SLOWLY = "SmolLM2 answers slowly, a few tokens a second at best, and is often wrong."


class Full(Problem):
    """A conversation has no room for the question and a reply."""


class Conversation:
    """What was said so far, as the keys and values of its tokens."""

    def __init__(self, model, choose, length=MAX_REPLY, penalty=1):
        self.model, self.choose, self.length, self.penalty = model, choose, length, penalty
        self.cache, self.read_tokens = None, 0
        self.said = set()  # the tokens of earlier replies
        self.x, self.replied, self.begun = None, False, None

    def read(self, tokens, what):
        with working(what, len(tokens)) as step:
            for token in tokens:
                self.read_token(token)
                step()

    def read_token(self, token):
        with ctrl_c_later():  # a token is read whole or not at all
            self.x, self.cache = self.model.read(token, self.cache)
            self.read_tokens += 1

    def begin(self, kept=None):
        """Read the beginning, or go back to where it had been read; kept is where it may be stored."""
        if self.begun is None:
            tokens = self.model.encode(BEGINNING)
            stored = functools.partial(cache_from, config=self.model.config, n=len(tokens))
            self.cache = kept.load(stored) if kept else None
            if self.cache is None:
                self.read(tokens, "SmolLM2 gets ready")
                if kept:
                    kept.save(cache_bytes(self.cache))
            self.begun = self.cache, len(tokens)
        (self.cache, self.read_tokens), self.replied, self.said = self.begun, False, set()

    def ask(self, question):
        """Read a question, whole or not at all. A mark in it, such as <|im_end|>, is text."""
        require_short_text(question)
        encode = self.model.encode
        tokens = encode(AFTER_REPLY) if self.replied else []  # else it has been read
        tokens += [*encode(question, marks=False), *encode(BEFORE_REPLY)]
        if self.read_tokens + len(tokens) + self.length > MAX_TOKENS:
            raise Full(
                f"This is too long: a conversation has room for {MAX_TOKENS:,} tokens. Of these, "
                f"{self.read_tokens:,} are read, the question has {len(tokens):,}, and a reply takes up to "
                f"{self.length:,}."
            )
        with self.all_or_nothing():
            self.read(tokens, "SmolLM2 reads")
        self.replied = True

    def read_ahead(self):
        """Read what stands between a reply and the next question, before the question is known."""
        if self.replied:
            with self.all_or_nothing():
                for token in self.model.encode(AFTER_REPLY):
                    self.read_token(token)
            self.replied = False

    @contextlib.contextmanager
    def all_or_nothing(self):
        """Ctrl-C must leave nothing half read: half a question would be the beginning of the next one."""
        before = self.cache, self.read_tokens, self.x
        try:
            yield
        except BaseException:
            self.cache, self.read_tokens, self.x = before
            raise

    def reply(self):
        """The text of the reply, piece by piece."""
        model, text, written = self.model, self.model.tokenizer.stream(), []
        try:
            for _ in range(self.length):
                token = self.choose(penalized(model.logits(self.x), self.said, self.penalty))
                if token == model.end:
                    return
                yield text(token)
                self.read_token(token)  # without a line of progress, which would overwrite the reply
                written.append(token)
                if repeats_itself(written):
                    yield "\n[The reply repeats itself, so it ends here.]"
                    return
        finally:
            self.said = self.said.union(written)


def penalized(logits, tokens, penalty):
    """The logits with a repetition penalty: those of some tokens are lower.

    Source: Keskar et al. 2019, section 4.1; below 0 as Hugging Face's transformers do it.

    >>> penalized([3.0, -1.0, 5.0], {0, 1}, 2)
    [1.5, -2.0, 5.0]
    """
    logits = [*logits]
    for token in tokens:
        logits[token] *= penalty if logits[token] < 0 else 1 / penalty
    return logits


def repeats_itself(tokens):
    """Whether a list of tokens ends with the same piece several times.

    >>> repeats_itself([7, 8, 9] * 6), repeats_itself([7, 8] * 3), repeats_itself(list(range(60)))
    (True, False, False)
    """
    for n in range(1, len(tokens) // REPEATED + 1):
        times = max(REPEATED, -(-LONG_ENOUGH // n))
        piece = tokens[-n:]
        if len(tokens) >= n * times and tokens[-n * times :] == piece * times:
            return True
    return False


def chooser(temperature, rng, mine=None):
    """The function that chooses a token from the logits: the most likely one at temperature 0."""
    if temperature == 0:
        return lambda logits: logits.index(max(logits))
    ours = softmax_with_temperature, min_p, sample
    heat, cut, draw = [mine.names[function.__name__] if mine else function for function in ours]
    return lambda logits: draw(cut(heat(logits, temperature), MIN_P), rng)


def chat(options):
    """Talk to SmolLM2, or ask it one question."""
    question = " ".join(options.question)
    require_short_text(question)  # before the model is read, which takes some seconds
    path = stored()
    notes = sys.stderr if question else sys.stdout  # with a question, the answer alone is what is printed
    print(SLOWLY if question else f"{SLOWLY} Ctrl-C stops a reply.", file=notes)
    temperature, seed = options.temperature, options.seed
    if temperature:
        seed = random.randrange(10_000) if seed is None else seed
        print(f"The replies are drawn at random; --seed {seed} draws the same ones again.", file=notes)
    mine = with_own_functions(notes) if options.mine else None
    choose = chooser(temperature, random.Random(seed), mine)
    penalty = PENALTY if temperature else 1
    model, digest = loaded(path), sha256(path)
    written = None if options.exact else quicken(model, path, digest)
    if written:
        size = f"{written.stat().st_size / 1e6:.0f} MB"
        print(f"The next start takes less time: {written.name}, {size}, is now beside the model.", file=notes)
    conversation = Conversation(model, choose, options.length, penalty)
    conversation.begin(Kept(path, "exact" if options.exact else "rows", f"{digest} {BEGINNING}"))
    if mine:
        mine.put_into(conversation.model)
    if question:
        conversation.ask(question)
        say(conversation)
    else:
        talk(conversation)
    if mine:
        print(mine.summary(), file=notes)


def with_own_functions(notes):
    """The reader's passed functions, in their places; None where chat can use none. Says what cannot be."""
    own, troubles = own_functions()
    nothing = (
        "You have not passed an exercise whose function the chat model calls, so the course's functions "
        f"answer. What to solve next:  {PROGRAM} progress"
    )
    for sentence in [*troubles, *([] if own else [nothing])]:
        print(sentence, file=notes)
    return Mine(own, Problem) if own else None


def talk(conversation):
    """Answer what a person types, until an empty line."""
    print("An empty line or Ctrl-D ends the conversation.")
    sys.stdin.reconfigure(errors="surrogateescape")  # bytes that are no UTF-8 are refused with the question
    while question := ask_person(conversation):
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


def require_short_text(question):
    """Problem for what would take long to tokenize, or is no text."""
    try:
        size = len(question.encode("utf-8"))
    except UnicodeEncodeError:
        raise Problem("The question holds bytes that are no text in UTF-8. Write it again.") from None
    if size > MAX_BYTES:
        raise Problem(
            f"This is too long: a question may have {MAX_BYTES:,} bytes in UTF-8, and this one has {size:,}."
        )


def stored():
    """The path of the model's file; a Problem where it is not here."""
    if smollm2_stored() is None:
        raise Problem(
            f"SmolLM2 is not here. Get its file, a download of 93 MB, with:  {PROGRAM} fetch smollm2"
        )
    return smollm2_path()


def loaded(path):
    """The model; a Problem where the file cannot be read."""
    try:
        return read_smollm2(path)
    except Unreadable as error:
        raise Problem(
            f"The file of SmolLM2 cannot be read: {error}. Get it again:  {PROGRAM} fetch smollm2"
        ) from None


def ask_person(conversation):
    """What a person types. The terminal takes it while the model reads ahead."""
    print("\nyou> ", end="", flush=True)
    try:
        with contextlib.suppress(Problem):  # of a reader's function; the question will meet it again
            conversation.read_ahead()
        return input().strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return ""


def say(conversation):
    for piece in conversation.reply():
        print(piece, end="", flush=True)
    print()


def chat_arguments(parser):
    one = "answer this and end; default: a conversation"
    parser.add_argument("question", nargs="*", metavar="QUESTION", help=one)
    temperature = number_between("a temperature", 0, 100, float)
    heat = "0 takes the most likely token, more draws it at random; default: %(default)s"
    parser.add_argument("--temperature", type=temperature, default=0, help=heat)
    parser.add_argument("--seed", type=int, help="a whole number: the same replies each time")
    length = number_between("a length", 1, MAX_TOKENS // 2)
    most = "tokens of a reply at most; default: %(default)s"
    parser.add_argument("--length", type=length, default=MAX_REPLY, metavar="N", help=most)
    exact = "compute as the lessons do, to more digits, in three times the time"
    parser.add_argument("--exact", action="store_true", help=exact)
    mine = "answer with the functions of your passed exercises, each in place"
    parser.add_argument("--mine", action="store_true", help=mine)
