"""Small stories by rule: the text of lesson 16, its exact entropy, and measures by kind of word.

A rule is a dict of names with their pronouns, colours, things, places and plots. A plot is a text; its
words in capitals are slots. A story is a plot whose slots are filled.
"""

import itertools
import json
import math
import random
import re

from ...gpt import gpt_param_sizes, init_gpt
from ...ngrams import count_ngrams
from ...parameters import single_precision, tree_map
from ...sampling import sample, softmax_with_temperature
from .. import NOTEBOOKS
from ..engine import fast_generate, fast_gradients, faster
from ..models.safetensors import read_safetensors
from ..show.loss_with_stories import loss_with_stories
from ..show.status import Line
from ..state.names_task import GPT, gpt_config
from . import loop as training_loop
from .counts import interpolated_loss, mean
from .loop import SETTINGS, each_step, scale_initial_weights, start_run
from .parallel import choose_pool, tensor_size

RULE = {
    "names": {"mia": "she", "zoe": "she", "tom": "he", "ben": "he"},
    "colours": ["red", "blue", "green"],
    "things": ["ball", "book", "hat", "kite", "boat"],
    "places": ["box", "bag", "garden"],
    "plots": [
        "A has a COLOUR THING . B wants the THING . so A gives the COLOUR THING to B . SHE(B) is happy .",
        "A has a COLOUR THING . SHE(A) hides it in the PLACE . "
        "B looks in the PLACE and finds the COLOUR THING .",
        "A has a COLOUR THING . B takes the THING . A is sad . so B gives HER(A) the COLOUR THING .",
    ],
}
# The longer stories of the model that the course ships.
RICH_RULE = {
    "names": {
        "mia": "she",
        "zoe": "she",
        "ana": "she",
        "lea": "she",
        "tom": "he",
        "ben": "he",
        "sam": "he",
        "max": "he",
    },
    "colours": ["red", "blue", "green", "white"],
    "things": ["ball", "book", "hat", "kite", "boat", "drum", "cup", "shell"],
    "places": ["box", "bag", "garden", "kitchen", "tent"],
    "animals": ["dog", "cat", "bird", "frog"],
    "plots": [
        "A has a COLOUR THING . SHE(A) likes the THING . B wants the THING , too . "
        "so A gives the COLOUR THING to B . now B has the THING , and SHE(B) is happy .",
        "A has a COLOUR THING . SHE(A) hides the THING in the PLACE . B looks in the PLACE . "
        "what does SHE(B) find ? the COLOUR THING ! B gives the THING back to A .",
        "A has a COLOUR THING . a ANIMAL takes the THING and runs away . A is sad . "
        "but B finds the ANIMAL and the COLOUR THING . A thanks B .",
        "A has a COLOUR THING . B has a COLOUR_2 THING_2 . A gives the THING to B , and B gives the "
        "THING_2 to A . now A has the COLOUR_2 THING_2 and B has the COLOUR THING .",
        "A sees a ANIMAL in the PLACE . the ANIMAL has a COLOUR THING . A wants the THING . "
        "so B takes the THING from the ANIMAL . now A has the COLOUR THING , and SHE(A) thanks B .",
    ],
}
SLOTS = {
    "A": "names",
    "B": "names",
    "COLOUR": "colours",
    "COLOUR_2": "colours",
    "THING": "things",
    "THING_2": "things",
    "PLACE": "places",
    "ANIMAL": "animals",
}
PRONOUNS = {"she": {"SHE": "she", "HER": "her"}, "he": {"SHE": "he", "HER": "him"}}

# --- the stories and their entropy


def slots_of(plot):
    """The slots of a plot, by the list that fills them, each slot once.

    >>> slots_of("A has a COLOUR THING . B wants the THING .")
    {'names': ['A', 'B'], 'colours': ['COLOUR'], 'things': ['THING']}
    """
    found = {}
    for word in dict.fromkeys(plot.split()):
        if word in SLOTS:
            found.setdefault(SLOTS[word], []).append(word)
    return found


def fill(plot, choice, pronouns):
    """The story of a plot: choice is {slot: word}, pronouns {name: "she" or "he"}.

    >>> fill("A is sad . B gives HER(A) it .", {"A": "tom", "B": "mia"}, {"tom": "he", "mia": "she"})
    'tom is sad . mia gives him it .'
    """
    words = []
    for word in plot.split():
        form, _, who = word.rstrip(")").partition("(")  # HER(A) is the form HER of the pronoun of A
        words.append(PRONOUNS[pronouns[choice[who]]][form] if who else choice.get(word, word))
    return " ".join(words)


def tell_story(rule, rng):
    """A story: one plot at random, and different words at random for its slots."""
    plot, choice = rng.choice(rule["plots"]), {}
    for kind, slots in slots_of(plot).items():
        choice.update(zip(slots, rng.sample(list(rule[kind]), len(slots))))
    return fill(plot, choice, rule["names"])


def all_stories(rule):
    """Every story that a rule can tell: {story: (its probability, its plot)}."""
    found = {}
    for plot in rule["plots"]:
        slots = slots_of(plot)
        fillings = [itertools.permutations(rule[kind], len(names)) for kind, names in slots.items()]
        chosen = list(itertools.product(*fillings))
        for words in chosen:
            choice = dict(zip(itertools.chain(*slots.values()), itertools.chain(*words)))
            story = fill(plot, choice, rule["names"])
            found[story] = (1 / len(rule["plots"]) / len(chosen), plot)
    return found


# --- kinds of words


def kinds_of_words(rule, plot):
    """The kind of each word of a plot's stories: what has to be looked up for it, "free" or "grammar".

    A word is free where the story could go on otherwise: a slot is filled for the first time, or the plots
    part.
    """
    words, kinds, seen = plot.split(), [], set()
    plots = [other.split() for other in rule["plots"]]
    for i, word in enumerate(words):
        parts = any(other[:i] == words[:i] and other[i] != word for other in plots if len(other) > i)
        slot = word in SLOTS
        if parts or slot and word not in seen:
            kinds.append("free")
        elif "(" in word:
            kinds.append("pronoun")
        else:
            kinds.append(SLOTS[word][:-1] if slot else "grammar")
        seen.add(word)
    return [*kinds, "grammar"]  # <EOS>


def obeys(rule, story):
    """Whether a story is one that the rule can tell: each slot one word, pronouns that agree."""
    return any(is_of_plot(rule, plot, story.split()) for plot in rule["plots"])


def is_of_plot(rule, plot, words):
    choice, expected = {}, plot.split()
    if len(words) != len(expected):
        return False
    for slot, word in zip(expected, words):
        if slot in SLOTS and choice.setdefault(slot, word) != word:
            return False
    of_kind = {}
    for slot, word in choice.items():
        of_kind.setdefault(SLOTS[slot], []).append(word)
    for kind, chosen in of_kind.items():
        if len(set(chosen)) < len(chosen) or not set(chosen) <= set(rule[kind]):
            return False
    return fill(plot, choice, rule["names"]).split() == words


def is_fluent(rule, story):
    """Whether a story follows the sentences of a plot, with any word of the right kind in each slot."""
    kind_of = {word: kind for kind in SLOTS.values() for word in rule.get(kind, ())}
    kind_of |= {form: short for forms in PRONOUNS.values() for short, form in forms.items()}

    def pattern(words):
        return [kind_of.get(word, word) for word in words]

    def of_plot(plot):
        return [SLOTS.get(word, word.partition("(")[0]) for word in plot.split()]

    return pattern(story.split()) in [of_plot(plot) for plot in rule["plots"]]


def read_aloud(story):
    """A story as people write it.

    >>> read_aloud("mia has a hat . tom wants the hat , too .")
    'Mia has a hat. Tom wants the hat, too.'
    """
    for mark in ".,?!":
        story = story.replace(f" {mark}", mark)
    sentences = re.split("(?<=[.?!]) ", story)
    words = " ".join(sentence[:1].upper() + sentence[1:] for sentence in sentences).split(" ")
    names = RICH_RULE["names"]
    return " ".join(word.capitalize() if word.rstrip(".,?!") in names else word for word in words)


# --- the text of lesson 16

# Combinations that the model is not trained on: who has which thing in which colour, and what is hidden.
NEW_TRIPLES = [
    ("mia", "red", "ball"),
    ("zoe", "blue", "hat"),
    ("tom", "green", "kite"),
    ("ben", "red", "book"),
    ("mia", "blue", "boat"),
    ("tom", "red", "hat"),
]
NEVER_HIDDEN = "book"


def combination(story):
    """The held-out combination that a story has, or None."""
    words = story.split()
    if (words[0], words[3], words[4]) in NEW_TRIPLES:
        return "new triple"
    return "new plot for a thing" if "hides" in words and words[4] == NEVER_HIDDEN else None


def word_vocab(stories):
    """A word-level vocabulary: three special tokens, then the sorted words of the stories."""
    return ["<PAD>", "<BOS>", "<EOS>", *sorted({word for story in stories for word in story.split()})]


def encode_story(story, vocab):
    """<BOS>, the id of each word, <EOS>."""
    ids = {word: i for i, word in enumerate(vocab)}
    unknown = [word for word in story.split() if word not in ids]
    assert not unknown, f"the story holds {unknown[0]!r}, which the model has never seen"
    return [ids["<BOS>"], *(ids[word] for word in story.split()), ids["<EOS>"]]


def draw_stories(rule, stories, n, rng):
    """n stories out of these, each as often as the rule tells it."""
    probability = all_stories(rule)
    return rng.choices(stories, [probability[story][0] for story in stories], k=n)


def split_stories(rule=RULE, n_train=1000):
    """{"train": stories, "test": stories, "new triple": stories, "new plot for a thing": stories}.

    A fifth of the different stories is held out for the test set. The last two sets hold the combinations
    that occur neither in the training set nor in the test set.
    """
    rng, found = random.Random(1), {}
    for story in all_stories(rule):
        found.setdefault(combination(story), []).append(story)
    known = found.pop(None)
    rng.shuffle(known)
    fifth = len(known) // 5
    sets = {"train": known[fifth:], "test": known[:fifth], **found}
    sizes = {"train": n_train}
    return {name: draw_stories(rule, stories, sizes.get(name, 100), rng) for name, stories in sets.items()}


def story_sets(rule=RULE):
    """The sets of split_stories with what is measured on them, and the vocabulary.

    {name: {"stories": texts, "documents": their tokens, "kinds": the kinds of their words}}, [words].
    """
    plots = {story: plot for story, (_, plot) in all_stories(rule).items()}
    vocab = word_vocab(plots)
    sets = {
        name: {
            "stories": stories,
            "documents": [encode_story(story, vocab) for story in stories],
            "kinds": [kinds_of_words(rule, plots[story]) for story in stories],
        }
        for name, stories in split_stories(rule).items()
    }
    return sets, vocab


def roles_of(story, kinds):
    """The kinds of a story's words, with "owner" and "other" for the names.

    The owner is the person whom the story names first.

    >>> roles_of("mia wants tom . tom sees mia .", ["free", "x", "name", "x", "name", "x", "name", "x"])
    ['free', 'x', 'other', 'x', 'other', 'x', 'owner', 'x']
    """
    words = story.split()
    return [
        kind if kind != "name" else "owner" if word == words[0] else "other"
        for word, kind in zip([*words, "<EOS>"], kinds)
    ]


# --- the model

STORY_SETTINGS = {
    **SETTINGS,
    "steps": 700,
    "lr": 0.007,
    "weight_decay": 0.0,
    "beta_1": 0.9,
    "beta_2": 0.95,
    # exp and tanh differ in their last bit from one system to another. In 700 steps, such a difference
    # grows until other digits are printed. Rounding the weights after each step removes it.
    "single_precision": True,
}
INITIAL_STD = 0.25


def story_config(vocab, documents, width=16, layers=2, heads=2, hidden=32):
    """A GPT with a position for each token that it reads."""
    return gpt_config(vocab, max(map(len, documents)) - 1, width, layers, heads, hidden)


def start_stories(documents, vocab, config, settings=STORY_SETTINGS, std=INITIAL_STD):
    """A run before its first step, with matrices drawn with this standard deviation where GPT-2 has 0.02."""
    run = start_run(documents, config, vocab, {**STORY_SETTINGS, **settings})
    c = std / 0.02
    parameters = init_gpt(config, random.Random(run["settings"]["seed"]))
    scaled = scale_initial_weights(parameters, c * c * config["n_embd"])
    run["parameters"] = tree_map(single_precision, scaled)
    return run


def zeros(tensor):
    return [[0.0] * len(row) for row in tensor] if isinstance(tensor[0], list) else [0.0] * len(tensor)


def ablate_attention(parameters):
    """The parameters with the output of all heads multiplied by 0."""
    return {name: zeros(p) if name.endswith("attn.c_proj.weight") else p for name, p in parameters.items()}


def measure_kinds(config, parameters, documents, kinds):
    """{kind of word: (mean loss, fraction of right words)}, and "all" for all words.

    A word is right if it has the largest logit. kinds holds the kinds of each document's targets.
    """
    found = {}
    for document, names in zip(documents, kinds, strict=True):
        activations = faster()["gpt_forward"](config, parameters, document[:-1], document[1:])
        entries = zip(names, activations["losses"], activations["logits"], document[1:], strict=True)
        for kind, loss, logits, target in entries:
            entry = (loss, logits.index(max(logits)) == target)
            found.setdefault(kind, []).append(entry)
            found.setdefault("all", []).append(entry)
    columns = {kind: list(zip(*entries)) for kind, entries in found.items()}
    return {kind: (mean(losses), sum(right) / len(right)) for kind, (losses, right) in columns.items()}


def sample_story(config, parameters, vocab, rng, prompt="", temperature=1.0):
    """A story that begins with the prompt's words, sampled word by word."""
    tokens = encode_story(prompt, vocab)[:-1]

    def choose(logits):
        return sample(softmax_with_temperature(logits, temperature), rng)

    longest, end = config["n_positions"] + 1, vocab.index("<EOS>")
    tokens = fast_generate(config, parameters, tokens, choose, longest, end)
    return " ".join(vocab[token] for token in tokens if token > end)


def ngram_baseline(training, documents, V, longest):
    """The mean loss of lesson 14's interpolated n-grams, from n = 1 to the longest.

    Their strength is the best one for a fifth of the different training documents, which is not counted then.
    """
    apart = set(sorted(set(map(tuple, training)))[::5])
    validation = [document for document in training if tuple(document) in apart]
    rest = [document for document in training if tuple(document) not in apart]

    def loss(strength, counted, measured):
        tables = [count_ngrams(counted, n) for n in range(1, longest + 1)]
        return interpolated_loss(measured, tables, V, strength)

    strength = min((0.1, 1, 10, 30, 100), key=lambda strength: loss(strength, rest, validation))
    return loss(strength, training, documents)


def position_baseline(training, documents, V, alpha=0.01):
    """The mean loss of counts by position and last word, with additive smoothing.

    This is all that a model without attention can know: a position and the word that stands there.
    """
    counts = {}
    for document in training:
        for t, (last, word) in enumerate(zip(document, document[1:])):
            row = counts.setdefault((t, last), {})
            row[word] = row.get(word, 0) + 1
    losses = []
    for document in documents:
        for t, (last, word) in enumerate(zip(document, document[1:])):
            row = counts.get((t, last), {})
            losses.append(-math.log((row.get(word, 0) + alpha) / (sum(row.values()) + alpha * V)))
    return mean(losses)


BEGINNING = "mia has a green kite . tom wants"  # what the stories in the figure begin with


def watched_step(run, documents, kinds):
    """What is kept of a step: its number, the loss of each kind of word, the parameters, and a story."""
    config, parameters = run["config"], run["parameters"]
    losses = {kind: loss for kind, (loss, _) in measure_kinds(config, parameters, documents, kinds).items()}
    story = sample_story(config, parameters, run["vocab"], random.Random(1), BEGINNING, temperature=0.5)
    return {"step": run["step"], "losses": losses, "parameters": parameters, "story": story}


def loss_and_stories(watched, baselines, steps=()):
    """The loss of the watched steps between the baselines, with the stories of some steps."""
    chosen = {row["step"]: read_aloud(row["story"]) for row in watched if row["step"] in steps}
    curve = [(row["step"], row["losses"]["all"]) for row in watched]
    return loss_with_stories(curve, baselines, chosen, "The loss on the test set, and stories of the model")


def train_stories(run, training, documents, kinds, watched, baselines, every=50, until=math.inf):
    """The run after its last step, or as far as it came when it was stopped; the figure grows meanwhile.

    After every `every` steps, watched gets an entry. documents and kinds are those that are measured.
    until is a step to stop at before the last.
    """
    steps = min(until, run["settings"]["steps"])
    line = Line("training", steps, done=run["step"])

    def watch():
        watched.append(watched_step(run, documents, kinds))
        line.keep(loss_and_stories(watched, baselines, [run["step"]]))

    if not watched:
        watch()
    stopped = ""
    try:
        with choose_pool(run, training, steps - run["step"]) as team:
            for run in each_step(run, training, team.gradients, line):
                if run["step"] % every == 0 or run["step"] == steps:
                    watch()
    except KeyboardInterrupt:
        if watched[-1]["step"] < run["step"]:
            watch()
        stopped = f"Stopped after step {run['step']:,} of {steps:,}: run this cell again to continue."
    line.clear()
    if stopped:
        print(stopped)
    return run


def course_stories():
    """The documents that lesson 16 trains on, their vocabulary, and the config of its model."""
    vocab = word_vocab(all_stories(RULE))
    documents = [encode_story(story, vocab) for story in split_stories()["train"]]
    return documents, vocab, story_config(vocab, documents)


def untrained_stories():
    """What lesson 16 has in the state before its first step."""
    run = start_stories(*course_stories())
    return {name: run[name] for name in GPT}


def train_stories_model():
    """What lesson 16 puts into the state, trained now."""
    documents, vocab, config = course_stories()
    fresh = start_stories(documents, vocab, config)
    run = training_loop.train(documents, config, vocab, STORY_SETTINGS, run=fresh)
    return {name: run[name] for name in GPT}


# --- the model that the course ships

SHIPPED = NOTEBOOKS / "stories.safetensors"
RICH_SETTINGS = {**STORY_SETTINGS, "steps": 2400, "lr": 0.004}


def rich_text():
    """The training set of the model that the course ships, its vocabulary, its config."""
    rng = random.Random(1)
    stories = [tell_story(RICH_RULE, rng) for _ in range(4000)]
    vocab = word_vocab(stories)
    documents = [encode_story(story, vocab) for story in stories]
    return documents, vocab, story_config(vocab, documents, width=24, heads=4, hidden=96)


def stories_model():
    """The model that the course ships: {"config", "vocab", "parameters", "step"}.

    ValueError for a file that holds no such model.
    """
    parameters, about = read_safetensors(SHIPPED)
    try:
        config, vocab, step = json.loads(about["config"]), about["vocab"].split(" "), int(about["step"])
        sizes = gpt_param_sizes(config)
    except (KeyError, ValueError, TypeError, AssertionError):
        raise ValueError(f"{SHIPPED.name} does not say what model it holds") from None
    if {name: tensor_size(p) for name, p in parameters.items()} != sizes or len(vocab) != config[
        "vocab_size"
    ]:
        raise ValueError(f"{SHIPPED.name} holds tensors that do not fit its config")
    return {"config": config, "vocab": vocab, "parameters": parameters, "step": step}
