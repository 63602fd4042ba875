"""How fast the chat model is in each of its forms, and how often the fast one chooses another token.

    python3 tests/benchmarks/chat_forms.py pace              seconds and memory of each form
    python3 tests/benchmarks/chat_forms.py questions         fifty questions, greedy: exact against fast
    python3 tests/benchmarks/chat_forms.py questions --from 10 --to 20 --length 8
    python3 tests/benchmarks/chat_forms.py talk --seed 1     ten questions in one conversation
    python3 tests/benchmarks/chat_forms.py passes            seconds of a pass over several tokens, exact form

Seconds are of the processor, the least of several tokens. Loading takes the rounded rows from the file that
chat keeps beside the model, and writes it where there is none. The model must be there:
python3 -m helpers fetch smollm2.

Recorded: 1 of 50 replies of at most 8 tokens differs, of 391 tokens that were compared. There the two largest
logits of the exact form differ by 0.014; they differ by less than 0.02 at two other tokens. The fast form
ran, and NumPy in 32-bit floats for the exact one. With the exact form itself, none of the first 33 replies
differs. Of replies of at most 12 tokens, with NumPy for both forms, 2 differ.
In one conversation of ten questions, greedy, up to 408 tokens long, 2 of the 208 tokens that the fast form
chose differ from those of NumPy, whose two largest logits there differ by 0.015 and 0.009.
NumPy also had the conversation, with seeds 1 to 3, replies of at most 30 tokens, drawn at temperature 0.2
with the penalty: of 30 replies 3 repeat an earlier one, and 19 are right (temperature 0.6, no penalty: 9
and 6).
With seed 4 the real chat began in French and went on so; the most likely tokens answer in English. After
"What is the capital of France?", the first tokens The, L and La have the probabilities 0.15, 0.14 and 0.11.
So chat draws only where it is asked to.
"""

import argparse
import pathlib
import platform
import random
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from helpers.course.commands.chat import PENALTY, Conversation, chooser  # noqa: E402
from helpers.course.commands.chat_files import quicken  # noqa: E402
from helpers.course.commands.fetch import sha256  # noqa: E402
from helpers.course.models.rows import quicker  # noqa: E402
from helpers.course.models.smollm2 import read_smollm2, smollm2_path  # noqa: E402

DRAWN = 0.2  # the temperature of the conversation
LENGTH = 12  # tokens of a reply that are compared
QUESTIONS = """What is the capital of France?
What is the capital of Italy?
Who wrote Romeo and Juliet?
How many days has a week?
What color is the sky on a clear day?
Name a fruit that is yellow.
What do bees make?
Which animal barks?
What is water made of?
How many legs has a spider?
What is the largest planet?
Who painted the Mona Lisa?
What is the opposite of hot?
Write a word that rhymes with cat.
What is 2 plus 3?
Name three colors.
What does a thermometer measure?
In which season does snow fall?
What is the past tense of go?
Translate "good morning" into French.
What is the first month of the year?
What do plants need to grow?
Name an animal that lives in the sea.
What is a group of wolves called?
What language do people speak in Brazil?
What is ice?
Who was the first president of the United States?
What is the freezing point of water?
Name a musical instrument with strings.
What is the sun?
How do birds fly?
What is a poem?
Why do we sleep?
What is bread made of?
Give me a name for a dog.
What is a triangle?
Where do penguins live?
What is the fastest land animal?
What is gravity?
Say hello in Spanish.
What is a library?
How many continents are there?
What does a baker do?
What is the tallest mountain?
Name a country in Africa.
What is a computer?
What is your name?
Tell me a short joke.
What is the plural of mouse?
Finish the sentence: Once upon a time""".split("\n")

CONVERSATION = {  # question: what stands in a right answer
    "Hello, my name is Anna.": "anna",
    "What is the capital of France?": "paris",
    "What is my name?": "anna",
    "Who wrote Romeo and Juliet?": "shakespeare",
    "What is 2 plus 3?": "5|five",
    "Name a fruit that is yellow.": "banana|lemon|mango|pineapple",
    "What color is the sky on a clear day?": "blue",
    "How many days has a week?": "7|seven",
    "What do bees make?": "honey",
    "Which animal barks?": "dog",
}
TAKEN = re.compile(r"(i'm|i am|my name is) anna")  # the name of the user
ALIKE = 10  # tokens in a row that two replies share
TOKENS_IN_A_PASS = (1, 2, 4, 8)


def largest(logits):
    return logits.index(max(logits))


def pace(form):
    """Read a question and write a few tokens; print what it took."""
    began = time.process_time()
    model = read_smollm2(smollm2_path())
    if form == "rows" and quicken(model, smollm2_path(), sha256(smollm2_path())):
        print("The file beside the model was written now.")
    loading = time.process_time() - began
    conversation = Conversation(model, largest)
    conversation.begin()
    began = time.process_time()
    conversation.ask("What is the capital of France?")
    next(conversation.reply())
    first = time.process_time() - began
    spent = {"reading": [], "logits": []}
    for token in model.encode(" The capital of France is Paris."):
        began = time.process_time()
        conversation.read_token(token)
        read = time.process_time()
        model.logits(conversation.x)
        for name, seconds in zip(spent, (read - began, time.process_time() - read), strict=True):
            spent[name].append(seconds)
    print(f"{form}: loading {loading:.1f} s, first word after {first:.1f} s,")
    print("  a token", ", ".join(f"{name} {min(some):.3f} s" for name, some in spent.items()), end="")
    print(f", memory {memory():.2f} GiB", flush=True)


def memory():
    """The most that this process has held, in GiB."""
    import resource  # not on Windows

    unit = 2**30 if platform.system() == "Darwin" else 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def passes(times=2):
    """Read several tokens in one pass with a cache, with the logits of each; print the least seconds."""
    model = read_smollm2(smollm2_path())
    _, cache = model.forward(model.config, model.parameters, model.encode("Who are you?"), None)
    tokens = model.encode("The sea is a vast and mysterious realm, teeming with life")
    spent = {n: [] for n in TOKENS_IN_A_PASS}
    for n in [1, *TOKENS_IN_A_PASS * times]:  # the first pass packs the output matrix
        began = time.process_time()
        X, _ = model.forward(model.config, model.parameters, tokens[:n], cache)
        for x in X:
            model.logits(x)
        spent[n].append(time.process_time() - began)
    print(*(f"{n} tokens in a pass: {min(some):.2f} s" for n, some in spent.items()), sep="\n")


def questions(first, last, length):
    """For each question the reply of the fast form, and the token where the exact one chooses another."""
    exact, fast = (Conversation(read_smollm2(smollm2_path()), None, length) for _ in range(2))
    quicker(fast.model)
    other, tokens = 0, 0
    for number, question in enumerate(QUESTIONS[first:last], first + 1):
        chosen, judged = [], []

        def choose(logits, chosen=chosen):
            chosen.append(largest(logits))
            return chosen[-1]

        def judge(logits, chosen=chosen, judged=judged):
            judged.append(largest(logits))
            same = judged[-1] == chosen[len(judged) - 1]
            return judged[-1] if same else exact.model.end  # the reply of the exact form ends there

        for conversation, function in ((fast, choose), (exact, judge)):
            conversation.choose = function
            conversation.begin()
            conversation.ask(question)
            reply = "".join(conversation.reply())
            if function is choose:
                said = " ".join(reply.split())
        same = judged == chosen[: len(judged)]
        other, tokens = other + (not same), tokens + len(judged)
        decode = exact.model.decode
        where = "" if same else f"; token {len(judged)} of the exact form is {decode(judged[-1:])!r}"
        print(f"{number:2} {question} -> {said}{where}", flush=True)
    n = len(QUESTIONS[first:last])
    print(f"{other} of {n} replies of at most {length} tokens differ; {tokens} tokens were compared.")


def talk(seed, length):
    """Ten questions in one conversation: how many replies are right, and how many repeat an earlier one."""
    model = read_smollm2(smollm2_path())
    quicker(model)
    conversation = Conversation(model, chooser(DRAWN, random.Random(seed)), length, PENALTY)
    conversation.begin()
    earlier, right, repeated = set(), 0, 0
    for question, due in CONVERSATION.items():
        conversation.ask(question)
        reply = " ".join("".join(conversation.reply()).split())
        tokens, said = model.encode(reply), reply.lower()
        runs = {tuple(tokens[i : i + ALIKE]) for i in range(len(tokens) - ALIKE + 1)} or {tuple(tokens)}
        is_right = bool(re.search(rf"\b({due})", said)) and not (due == "anna" and TAKEN.search(said))
        is_repeated = bool(runs & earlier)
        right, repeated, earlier = right + is_right, repeated + is_repeated, earlier | runs
        print("right" * is_right, "repeated" * is_repeated, question, "->", reply, flush=True)
    print(f"seed {seed}: {right} of {len(CONVERSATION)} replies are right, {repeated} repeat an earlier one")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["pace", "questions", "talk", "passes"])
    parser.add_argument("--form", choices=["exact", "rows"], help="of pace; default: all")
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--to", dest="last", type=int, default=len(QUESTIONS))
    parser.add_argument("--length", type=int, help=f"default: {LENGTH}, of talk 30")
    parser.add_argument("--seed", type=int, default=1, help="of talk")
    given = parser.parse_args()
    if given.what == "questions":
        return questions(given.first, given.last, given.length or LENGTH)
    if given.what == "passes":
        return passes()
    if given.what == "talk":
        return talk(given.seed, given.length or 30)
    print(f"Python {platform.python_version()}")
    for form in [given.form] if given.form else ["rows", "exact"]:
        pace(form)


if __name__ == "__main__":
    main()
