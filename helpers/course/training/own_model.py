"""Models with names: which model fits a text and a time, its training, and its file.

A model is one dict of plain data: its tokens and config, its parameters, and what it was trained on, when and
with which losses. While it is trained, the file also holds the run, so that training resumes to the bit.
The files are in notebooks/state/models, which git ignores, and are read as distrustfully as a state.
"""

import datetime
import math
import pickle
import random
import re
import time
import unicodedata

from ...gpt import GPT_CONFIG, gpt_param_sizes
from ...training import encode
from ..engine import faster
from ..state.files import (
    Refused,
    check_plain,
    check_tensors,
    read_file,
    remove_state,
    require_names,
    state_error,
    state_path,
    unpickle,
    write_file,
)
from ..state.names_task import gpt_config
from .bigram_start import begin_with_bigrams
from .counts import best_counts, loss_of_bigrams, loss_of_counts
from .loop import SETTINGS, check_run, documents_digest, new_run, numbers_in, start_run, training_step
from .own_text import LIST, RUNNING, encoded, learn_byte_pairs, overlapping_windows, tokenized
from .parallel import choose_pool, parameters_in, seconds_of_step

# --- a model that fits the text and the time

# Found by tests/benchmarks/own_text_recipe.py on four texts of 100 kB.
WIDTHS = (16, 24, 32, 48, 64, 96, 128)
HEAD_WIDTH = 8
DEEP = 48  # from this width on, two layers
CONTEXT = 32  # of a running text
MAX_PAIRS = 800  # byte pairs of a running text
CHARACTERS_PER_PAIR = 90  # of its training set, at least
# Documents of a step. In the same time many small steps learn more than a few large ones.
BATCH = {LIST: 4, RUNNING: 2}
MIN_STEPS = 800  # of a model 24 wide; a wider one needs more, by the third power
MIN_STEPS_OF_FEW = 200
MAX_EPOCHS = 15
MAX_PARAMETERS = 500_000
OF_RUNNING = {"beta_2": 0.999, "weight_decay": 0.3}  # settings of a running text
# How a training of byte pairs goes on after a tenth of its steps: so much lower the loss ends, and so much
# lower again if the training lasts twice as long. Means of three texts and of four, see the benchmark.
STILL_FALLS, PER_DOUBLING = 0.25, 0.035
ON_THE_WAY = 1000  # tokens of the validation set
JUDGED = 6000  # tokens of each set, at the end
MIN_JUDGES = 10  # documents of the validation set; fewer choose no model
MAX_WIDTH = 512


def spelling_of(text):
    """How a model of this text spells: a list in letters, a running text in byte pairs."""
    if text["kind"] == LIST:
        return {"kind": LIST, "unit": "letters", "vocab": text["vocab"], "merges": []}
    pairs = min(MAX_PAIRS, sum(map(len, text["train"])) // CHARACTERS_PER_PAIR)
    return {"kind": RUNNING, "unit": "pieces", **learn_byte_pairs(text, pairs)}


def config_of(text, spelling, width, layers, heads):
    """The config of a GPT for a text; a list needs as many positions as its longest line."""
    longest = max(len(unit) for part in ("train", "val", "test") for unit in text[part])
    positions = longest + 1 if text["kind"] == LIST else CONTEXT
    return gpt_config(spelling["vocab"], positions, width, layers, heads)


def slowness():
    """How many times as long as on an ordinary core a step takes here and now."""
    config = gpt_config([str(token) for token in range(CONTEXT)], CONTEXT, width=24, layers=1, heads=3)
    run = start_run([list(range(CONTEXT))], config, [], {"batch_size": 1})
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        training_step(run, [list(range(CONTEXT))])
        seconds.append(time.perf_counter() - began)
    return min(seconds) / seconds_of_step(config, CONTEXT)


def tokens_of_step(config, text):
    if text["kind"] != LIST:
        return BATCH[RUNNING] * config["n_positions"]
    return BATCH[LIST] * (1 + sum(map(len, text["train"])) / len(text["train"]))


def heads_for(width):
    return next(heads for heads in range(max(1, width // HEAD_WIDTH), 0, -1) if width % heads == 0)


def fitting_config(text, spelling, minutes, asked, processes=1):
    """The widest model that makes enough steps in this time and has at most twice as many parameters as
    there are characters to train on; asked holds what the user has chosen."""
    characters, best = sum(map(len, text["train"])), None
    for width in [asked["width"]] if asked["width"] else WIDTHS:
        config = config_of(text, spelling, width, 2 if width >= DEEP else 1, heads_for(width))
        steps = asked["steps"] or MIN_STEPS * (width / 24) ** 3
        in_time = steps * seconds_of_step(config, tokens_of_step(config, text), processes) <= 60 * minutes
        if best is None or (in_time and parameters_in(config) <= 2 * characters):
            best = config
    return best


def plan_training(text, spelling, minutes, asked, processes=1):
    """The config and the settings of the training."""
    config = fitting_config(text, spelling, minutes, asked, processes)
    steps = asked["steps"] or steps_in(config, text, spelling, minutes, processes)
    if text["kind"] == LIST:
        of_kind = {"lr": round(SETTINGS["lr"] * math.sqrt(16 / max(16, config["n_embd"])), 4)}
    else:
        of_kind = OF_RUNNING
    return config, {**SETTINGS, **lengths_of(steps), "batch_size": BATCH[text["kind"]], **of_kind}


def lengths_of(steps):
    """The settings of a training of so many steps that depend on their number."""
    return {"steps": steps, "warmup_steps": min(SETTINGS["warmup_steps"], steps // 5)}


def steps_in(config, text, spelling, minutes, processes=1):
    """How many steps a training of so many minutes has; MAX_EPOCHS at most."""
    in_time = int(60 * minutes / seconds_of_step(config, tokens_of_step(config, text), processes))
    documents = len(tokenized(text["train"], spelling, config["n_positions"]))
    return max(1, min(in_time, most_steps(documents, BATCH[text["kind"]])) // 10 * 10)


def most_steps(documents, batch):
    """More steps than MAX_EPOCHS take overfit."""
    return max(MIN_STEPS_OF_FEW, MAX_EPOCHS * documents // batch)


# --- its training


def new_model(name, text, spelling, config, settings, asked):
    """A model before its first step, with all that is said about it."""
    counts = measured_counts(text)
    documents = tokenized(text["train"], spelling, config["n_positions"])
    run = start_run(documents, config, spelling["vocab"], settings)
    if text["kind"] == RUNNING:
        rng = random.Random(settings["seed"])
        run["parameters"] = begin_with_bigrams(run["parameters"], documents, rng)
    model = {
        "name": name,
        **spelling,
        "config": config,
        "parameters": {},
        "trained_on": {"name": text["name"], "paths": [], "digest": text["digest"], "fingerprint": ""},
        "asked": asked,
        "settings": settings,
        "before": 0,
        "steps": 0,
        "when": "",
        "losses": {**counts["losses"], "training": 0.0, "validation": 0.0, "test": 0.0},
        "counted": counts["n"],
        "run": run,
        "best": None,
    }
    return model, counts, documents


def seconds_until(loss, expected, seconds):
    """After how many seconds of training a loss is reached, where one is expected after so many.

    >>> seconds_until(2.0, 1.9, 60), round(seconds_until(2.0, 2.0 + 2 * PER_DOUBLING, 60))
    (60.0, 240)
    """
    return seconds * 2 ** (max(0.0, expected - loss) / PER_DOUBLING)


def continued(model, text, documents, minutes, asked, processes=1):
    """A finished model before the first of its further steps, in so many minutes or up to the step that is
    asked for: AdamW and the learning rate begin anew."""
    before = model["before"] + model["settings"]["steps"]
    if asked["steps"]:
        steps = asked["steps"] - before
    else:
        steps = steps_in(model["config"], text, model, minutes, processes)
    settings = {**model["settings"], **lengths_of(steps)}
    rng = random.Random(settings["seed"] + before)
    run = new_run(model["config"], model["parameters"], settings, rng)
    judges = drawn(to_judge(text["val"], model), ON_THE_WAY)
    loss = mean_loss_of(model, judges)
    return {
        **model,
        "asked": asked,
        "settings": settings,
        "before": before,
        "parameters": {},
        "run": {**run, "vocab": model["vocab"], "documents": documents_digest(documents)},
        "best": {"step": 0, "loss": loss, "last": loss, "parameters": model["parameters"]},
    }


def measured_counts(text):
    """The counts of characters that predict the text best, with their losses: uniform, bigrams, trigrams,
    best counts."""
    V = len(text["vocab"])
    train_set, val_set, test_set = (
        shuffled([encode(unit, text["vocab"]) for unit in text[part]]) for part in ("train", "val", "test")
    )
    counts = best_counts(train_set, val_set, V)
    counts["losses"] = {
        "uniform": math.log(V),
        "bigrams": loss_of_bigrams(counts["tables"], val_set, test_set, V),
        "trigrams": loss_of_counts({**counts, "tables": counts["tables"][:3]}, test_set),
        "counts": loss_of_counts(counts, test_set),
    }
    return counts


def train_to_end(model, documents, text, show, keep, processes=1):
    """Train until the last step: show(run) and keep(model) are called after each. What has been done stays in
    the model, also when Ctrl-C interrupts.

    After each tenth of the steps the validation loss is measured, and model["best"] is where it was lowest.
    processes is how many compute the gradients; None means as many as pay. The result is how many there were.
    """
    run, steps = model["run"], model["settings"]["steps"]
    with choose_pool(run, documents, steps - run["step"], processes) as team:
        while run["step"] < steps:
            run, best = training_step(run, documents, team.gradients), model["best"]
            if is_tenth(run["step"], steps):
                best = better(model, run, text)
            model.update(run=run, best=best)  # both or none: Ctrl-C must not come between them
            show(model)
            keep(model)
        return 1 + len(team.helping)


def is_tenth(step, steps):
    """Whether another tenth of the steps is done.

    >>> [step for step in range(1, 21) if is_tenth(step, 20)] == list(range(2, 21, 2))
    True
    """
    return tenths(step, steps) > tenths(step - 1, steps)


def tenths(step, steps):
    return step * 10 // steps


def better(model, run, text):
    """The best model so far: this one, if its validation loss is lower. The loss of a few documents says too
    little, so with few of them it is the last one."""
    judges = to_judge(text["val"], model)
    best = model["best"]
    loss = mean_loss_of({**model, "parameters": run["parameters"]}, drawn(judges, ON_THE_WAY))
    if best and loss >= best["loss"] and len(judges) >= MIN_JUDGES:
        return {**best, "last": loss}
    return {"step": run["step"], "loss": loss, "last": loss, "parameters": run["parameters"]}


def to_judge(units, model):
    """(tokens, number of first targets that are not judged): what the loss of a model is measured on."""
    documents, P = encoded(units, model), model["config"]["n_positions"]
    if model["kind"] == LIST:
        return [(document, 0) for document in documents]
    return [judged for document in documents for judged in overlapping_windows(document, P)]


def mean_loss_of(model, judged):
    """The loss for each character: that of all tokens, shared by the characters that they spell."""
    losses, characters = [], 0
    for tokens, skipped in judged:
        found = faster()["gpt_forward"](model["config"], model["parameters"], tokens[:-1], tokens[1:])
        losses += found["losses"][skipped:]
        characters += sum(characters_in(token, model) for token in tokens[1 + skipped :])
    return math.fsum(losses) / characters


def characters_in(token, model):
    """How many characters a token stands for; of a model of words, each word counts as one, and so does the
    end of a text."""
    return len(model["vocab"][token]) if model["unit"] == "pieces" and token > 2 else 1


def tokens_per_character(documents, model):
    tokens = sum(len(document) - 1 for document in documents)
    return tokens / sum(characters_in(token, model) for document in documents for token in document[1:])


def drawn(judged, most):
    """Some (tokens, skipped) drawn at random, the same ones each time, with about so many judged tokens."""
    kept, total = [], 0
    for tokens, skipped in shuffled(judged):
        if kept and total + len(tokens) - skipped > most:
            break
        kept.append((tokens, skipped))
        total += len(tokens) - skipped
    return kept


def shuffled(documents):
    return random.Random(0).sample(documents, len(documents))


def tokens_to_judge(model, text):
    """How many tokens of each set the finished model is judged on: with a short training few, because this
    takes time, too."""
    trained = (model["before"] + model["best"]["step"]) * tokens_of_step(model["config"], text)
    return max(ON_THE_WAY, min(JUDGED, int(trained / 8)))


def evaluated(model, text):
    """The trained model: its parameters without what only training needs, and its losses."""
    best = model["best"]
    done = {
        **model,
        "parameters": best["parameters"],
        "steps": model["before"] + best["step"],
        "when": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
        "run": None,
        "best": None,
    }
    names = {"training": "train", "validation": "val", "test": "test"}
    most = tokens_to_judge(model, text)
    found = {
        name: mean_loss_of(done, drawn(to_judge(text[part], model), most)) for name, part in names.items()
    }
    return {**done, "losses": {**done["losses"], **found}}


# --- its file

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
NOT_NAMES = {"con", "prn", "aux", "nul", *(f"{device}{i}" for device in ("com", "lpt") for i in range(10))}
MAX_MODEL_BYTES = 99_999_999
MAX_MODEL_VALUES = 5_000_000
MAX_TOKEN = 40  # characters
UNITS = ("letters", "words", "pieces")
LOSSES = ("uniform", "bigrams", "counts", "training", "validation", "test")  # that every model has
MAX_SAID = 80  # characters of a name or a date
MAX_STEPS = 10**9
MAX_PARAMETER = 1_000_000  # training stays far below; products of such numbers are still finite
OPTIONS = ("steps", "width", "minutes")  # that a run keeps to
OLD_OPTIONS = ("layers", "heads")
KEYS = (
    "name kind unit vocab merges config parameters trained_on asked settings before steps when losses "
    "counted run best"
).split()


def model_path(name):
    return state_path(f"models/{name}")


def is_name(name):
    return bool(NAME.fullmatch(name)) and name.lower() not in NOT_NAMES


def save_model(model):
    """Write a model's file in one step; StateError, and the old file stays, for what could not be read."""
    data = pickle.dumps(model, protocol=5)
    try:
        check_model(unpickled(data))
        write_file(model_path(model["name"]), data)
    except Refused as refused:
        raise model_error(model["name"], "was not written", refused) from None


def file_stamp(name):
    """What tells one written file of a model from the next; None if there is none."""
    try:
        found = model_path(name).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def load_model(name):
    """The model of this name; None if there is none; StateError for a file that is no model."""
    try:
        data = read_file(model_path(name), MAX_MODEL_BYTES)
        return None if data is None else check_model(unpickled(data))
    except Refused as refused:
        raise model_error(name, "cannot be used", refused) from None


def unpickled(data):
    return unpickle(data, MAX_MODEL_BYTES, MAX_MODEL_VALUES)


def model_error(name, what, refused):
    usual = f"Remove it (`models --remove {name}`), or train again with --anew"
    return state_error(f"models/{name}", what, refused, usual)


def check_model(model):
    """The model itself, if every part of it is what it must be; Refused, saying what is wrong, if not."""
    check_plain(model, MAX_MODEL_VALUES)
    if type(model) is dict:
        model = {"merges": [], "before": 0, **model}  # models of earlier editions have neither
    require_names("the model", model, KEYS)
    if type(model["name"]) is not str or not is_name(model["name"]):
        raise Refused("its name is no name")
    if model["kind"] not in (LIST, RUNNING) or model["unit"] not in UNITS:
        raise Refused("its kind of text is unknown")
    check_sizes(model["config"])
    check_vocab(model["vocab"], model["config"]["vocab_size"])
    check_merges(model)
    check_trained_on(model["trained_on"])
    require_short("its date", model["when"])
    for name in LOSSES:
        if type(model["losses"]) is not dict or type(model["losses"].get(name)) is not float:
            raise Refused(f"its loss {name} is not a number")
    check_asked(model["asked"])
    check_settings(model["settings"])
    require_whole("its number of steps", model["steps"], 0)
    require_whole("its number of earlier steps", model["before"], 0)
    require_whole("the length of its n-grams", model["counted"], 1)
    if model["run"] is not None:
        check_run(model["run"], expected_run(model), MAX_MODEL_VALUES)
        check_parameters("run parameters", model["config"], model["run"]["parameters"])
        check_best(model)
    else:
        check_parameters("parameters", model["config"], model["parameters"])
    return model


def check_vocab(vocab, V):
    if type(vocab) is not list or len(vocab) != V or any(type(token) is not str for token in vocab):
        raise Refused("its vocab is not a list of vocab_size strings")
    if any(len(token) > MAX_TOKEN for token in vocab) or vocab[:3] != ["<PAD>", "<BOS>", "<EOS>"]:
        raise Refused("its vocab does not begin with the special tokens, or holds a token that is too long")
    if any(unicodedata.category(c) in ("Cc", "Cf") for token in vocab for c in token if c != "\n"):
        raise Refused("its vocab holds a control character")


def check_merges(model):
    """Pairs of texts that are in the vocabulary, and so is each pair joined."""
    merges, known = model["merges"], set(model["vocab"][3:])
    if type(merges) is not list or len(merges) > len(known) or bool(merges) != (model["unit"] == "pieces"):
        raise Refused("its merges are not a list that fits its vocab")
    for pair in merges:
        if type(pair) is not list or len(pair) != 2 or any(type(part) is not str for part in pair):
            raise Refused("its merges are not pairs of texts")
        if not {*pair, "".join(pair)} <= known:
            raise Refused("its merges hold a text that is not in its vocab")


def check_trained_on(trained_on):
    require_names("trained_on", trained_on, ("name", "paths", "digest", "fingerprint"))
    for name in ("name", "digest", "fingerprint"):
        require_short(f"trained_on {name}", trained_on[name])
    paths = trained_on["paths"]
    if type(paths) is not list or any(type(path) is not str or "\0" in path for path in paths):
        raise Refused("trained_on paths is not a list of paths")


def require_short(what, text):
    """A text of a line, which can be printed as it is."""
    if type(text) is not str or len(text) > MAX_SAID or not text.isprintable():
        raise Refused(f"{what} is not a text of at most {MAX_SAID} printable characters")


def require_whole(what, number, least):
    if type(number) is not int or not least <= number <= MAX_STEPS:
        raise Refused(f"{what} is not a whole number from {least} to {MAX_STEPS}")


def check_asked(asked):
    """The options that were given; a model of the first editions has some that are gone."""
    if type(asked) is not dict or not {*asked} <= {*OPTIONS, *OLD_OPTIONS}:
        raise Refused("asked is not a dict of options")
    for name, value in asked.items():
        if value is not None and not (type(value) in (int, float) and 0 < value <= MAX_STEPS):
            raise Refused(f"asked {name} is not a number above 0")


def check_settings(settings):
    """Each of the type that it has in SETTINGS, and within its bounds."""
    require_names("settings", settings, SETTINGS)
    for name, usual in SETTINGS.items():
        value, kinds = settings[name], (bool,) if type(usual) is bool else (int, float)
        if type(value) not in kinds or not 0 <= value <= MAX_STEPS:
            raise Refused(f"settings {name} is {value!r:.40}")
    for name in ("steps", "batch_size", "warmup_steps", "seed"):
        require_whole(f"settings {name}", settings[name], 0)
    if not settings["warmup_steps"] < settings["steps"] or not settings["batch_size"]:
        raise Refused("its settings leave no steps, or no documents for a step")
    if max(settings["beta_1"], settings["beta_2"]) >= 1:
        raise Refused("settings beta_1 or beta_2 is not below 1")


def check_sizes(config):
    require_names("config", config, GPT_CONFIG)
    for name in GPT_CONFIG:
        if type(config[name]) is not int or not 1 <= config[name] <= 4096:
            raise Refused(f"config {name} is not a whole number from 1 to 4096")
    if config["n_embd"] % config["n_head"] or parameters_in(config) > MAX_PARAMETERS:
        raise Refused("its config is of no model that we make")


def check_best(model):
    best, run = model["best"], model["run"]
    if any(x < 0 for entry in run["optimizer"]["v"].values() for x in numbers_in(entry)):
        raise Refused("optimizer v holds a number below 0")
    if best is None and not tenths(run["step"], model["settings"]["steps"]):
        return
    require_names("best", best, ("step", "loss", "last", "parameters"))
    require_whole("the step of best", best["step"], 0)
    if type(best["loss"]) is not float or type(best["last"]) is not float:
        raise Refused("its best losses are not numbers")
    check_parameters("best parameters", model["config"], best["parameters"])


def check_parameters(where, config, parameters):
    check_tensors(where, parameters, gpt_param_sizes(config))
    for name, entry in parameters.items():
        if not all(abs(x) <= MAX_PARAMETER for x in numbers_in(entry)):  # nan neither
            raise Refused(f"{where} {name} holds a number that is not finite, or above {MAX_PARAMETER:,}")


def expected_run(model):
    """What a run of this model has in common with all others of it."""
    run = model["run"]
    if type(run) is not dict or type(run.get("documents")) is not dict:
        raise Refused("its run is none")
    require_names("documents", run["documents"], ("number", "sha256"))
    require_whole("the number of documents", run["documents"]["number"], 1)
    require_short("the digest of the documents", run["documents"]["sha256"])
    return {name: model[name] for name in ("config", "vocab", "settings")} | {"documents": run["documents"]}


def model_names():
    """The names of all models that are kept here."""
    folder = model_path("x").parent
    found = sorted(path.stem for path in folder.glob("*.pkl")) if folder.is_dir() else []
    return [name for name in found if is_name(name)]


def remove_model(name):
    """Delete a model; True if there was one."""
    return remove_state(f"models/{name}")
