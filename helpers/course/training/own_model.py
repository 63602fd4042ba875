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
import unicodedata

from ...gpt import gpt_param_sizes
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
from .counts import best_counts, first_tokens, loss_of_bigrams, loss_of_counts
from .loop import SETTINGS, check_run, start_run, training_step
from .own_text import LIST, RUNNING, tokenized
from .parallel import WorkerPool, cores, fastest_pool

# --- a model that fits the text and the time

WIDTHS = (16, 24, 32, 48, 64, 96, 128)
HEAD_WIDTH = 8
DEEP = 48  # from this width on, two layers
CONTEXT = 32  # of a running text
# Documents of a step. In the same time many small steps learn more than a few large ones: one run of a minute
# each on a novel of 400 kB ended at a test loss of 1.40 with 2 windows of 32, and of 1.96 with 4 of 64.
BATCH = {LIST: 4, RUNNING: 2}
MIN_STEPS = 1000
MIN_STEPS_OF_FEW = 200
MAX_EPOCHS = 15
MAX_PARAMETERS = 500_000
ON_THE_WAY = 1000  # tokens of the validation set
JUDGED = 6000  # tokens of each set, at the end
MIN_JUDGES = 10  # documents of the validation set; fewer choose no model
MAX_WIDTH = 512
# Processor time on an ordinary core: forward and backward for each parameter and token, AdamW for each
# parameter. A step of few tokens costs more for each of them.
SECONDS_PER_PRODUCT = 100e-9
SECONDS_PER_UPDATE = 0.7e-6
SECONDS_PER_TOKEN = 150e-6


def config_of(text, width, layers, heads):
    """The config of a GPT for a text; a list needs as many positions as its longest line."""
    longest = max(len(unit) for part in ("train", "val", "test") for unit in text[part])
    positions = longest + 1 if text["kind"] == LIST else CONTEXT
    return gpt_config(text["vocab"], positions, width, layers, heads)


def parameters_in(config):
    return sum(math.prod(size) for size in gpt_param_sizes(config).values())


def seconds_of_step(config, tokens):
    """How long a step with so many tokens takes on an ordinary core."""
    N = parameters_in(config)
    return tokens * (N * SECONDS_PER_PRODUCT + SECONDS_PER_TOKEN) + N * SECONDS_PER_UPDATE


def tokens_of_step(config, text):
    if text["kind"] != LIST:
        return BATCH[RUNNING] * config["n_positions"]
    return BATCH[LIST] * (1 + sum(map(len, text["train"])) / len(text["train"]))


def heads_for(width):
    return next(heads for heads in range(max(1, width // HEAD_WIDTH), 0, -1) if width % heads == 0)


def fitting_config(text, minutes, asked):
    """The widest model that makes MIN_STEPS steps in this time and has at most twice as many parameters as
    there are characters to train on; asked holds what the user has chosen."""
    characters = sum(map(len, text["train"]))
    best = None
    for width in [asked["width"]] if asked["width"] else WIDTHS:
        config = config_of(text, width, 2 if width >= DEEP else 1, heads_for(width))
        steps = asked["steps"] or MIN_STEPS
        in_time = steps * seconds_of_step(config, tokens_of_step(config, text)) <= 60 * minutes
        if best is None or (in_time and parameters_in(config) <= 2 * characters):
            best = config
    return best


def plan_training(text, minutes, asked):
    """The config and the settings of the training."""
    config = fitting_config(text, minutes, asked)
    documents = len(tokenized(text["train"], text, config["n_positions"]))
    in_time = int(60 * minutes / seconds_of_step(config, tokens_of_step(config, text)))
    batch = BATCH[text["kind"]]
    epochs = max(MIN_STEPS_OF_FEW, MAX_EPOCHS * documents // batch)
    steps = asked["steps"] or max(1, min(in_time, epochs) // 10 * 10)
    return config, {
        **SETTINGS,
        "steps": steps,
        "batch_size": batch,
        "warmup_steps": min(SETTINGS["warmup_steps"], steps // 5),
        "lr": round(SETTINGS["lr"] * math.sqrt(16 / max(16, config["n_embd"])), 4),
    }


def config_problem(config):
    """What is wrong with a config that a user has chosen; "" if nothing is."""
    N = parameters_in(config)
    if N > MAX_PARAMETERS:
        return f"This model has {N:,} parameters, and pure Python trains at most {MAX_PARAMETERS:,}"
    return ""


# --- its training


def new_model(name, text, config, settings, asked):
    """A model before its first step, with all that is said about it."""
    counts = measured_counts(text)
    documents = tokenized(text["train"], text, config["n_positions"])
    model = {
        "name": name,
        "kind": text["kind"],
        "unit": "letters",
        "vocab": text["vocab"],
        "config": config,
        "parameters": {},
        "trained_on": {"name": text["name"], "paths": [], "digest": text["digest"], "fingerprint": ""},
        "asked": asked,
        "settings": settings,
        "steps": 0,
        "when": "",
        "losses": {**counts["losses"], "training": 0.0, "validation": 0.0, "test": 0.0},
        "counted": counts["n"],
        "run": start_run(documents, config, text["vocab"], settings),
        "best": None,
    }
    return model, counts, documents


def measured_counts(text):
    """The counts that predict the text best, with their losses: uniform, bigrams, best counts."""
    V = len(text["vocab"])
    train_set, val_set, test_set = (
        shuffled([encode(unit, text["vocab"]) for unit in text[part]]) for part in ("train", "val", "test")
    )
    counts = best_counts(train_set, val_set, V)
    counts["losses"] = {
        "uniform": math.log(V),
        "bigrams": loss_of_bigrams(counts["tables"], val_set, test_set, V),
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
    with choose_pool(run, documents, processes) as team:
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
    judges = tokenized(text["val"], text, model["config"]["n_positions"])
    best, loss = (
        model["best"],
        mean_loss_of({**model, "parameters": run["parameters"]}, drawn(judges, ON_THE_WAY)),
    )
    if best and loss >= best["loss"] and len(judges) >= MIN_JUDGES:
        return {**best, "last": loss}
    return {"step": run["step"], "loss": loss, "last": loss, "parameters": run["parameters"]}


def choose_pool(run, documents, processes):
    config = run["config"]
    if processes is not None:
        return WorkerPool(config, processes)
    left = run["settings"]["steps"] - run["step"]
    batch = run["settings"]["batch_size"]
    tokens = sum(map(len, documents[:batch]))
    if cores() == 1 or left * seconds_of_step(config, tokens) < 20:  # starting a process takes a second
        return WorkerPool(config, 1)
    batches = [documents[i : i + batch] for i in (0, batch)]
    return fastest_pool(config, run["parameters"], [some for some in batches if some], min(batch, cores()))


def mean_loss_of(model, documents):
    losses = []
    for tokens in documents:
        losses += faster()["gpt_forward"](model["config"], model["parameters"], tokens[:-1], tokens[1:])[
            "losses"
        ]
    return math.fsum(losses) / len(losses)


def drawn(documents, most):
    """Documents drawn at random, the same ones each time, that hold about so many tokens."""
    return first_tokens(shuffled(documents), most)


def shuffled(documents):
    return random.Random(0).sample(documents, len(documents))


def tokens_to_judge(model, text):
    """How many tokens of each set the finished model is judged on: with a short training few, because this
    takes time, too."""
    trained = model["best"]["step"] * tokens_of_step(model["config"], text)
    return max(ON_THE_WAY, min(JUDGED, int(trained / 8)))


def evaluated(model, text):
    """The trained model: its parameters without what only training needs, and its losses."""
    best = model["best"]
    done = {
        **model,
        "parameters": best["parameters"],
        "steps": best["step"],
        "when": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
        "run": None,
        "best": None,
    }
    names = {"training": "train", "validation": "val", "test": "test"}
    most, context = tokens_to_judge(model, text), model["config"]["n_positions"]
    found = {
        name: mean_loss_of(done, drawn(tokenized(text[part], text, context), most))
        for name, part in names.items()
    }
    return {**done, "losses": {**done["losses"], **found}}


# --- its file

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
NOT_NAMES = {"con", "prn", "aux", "nul", *(f"{device}{i}" for device in ("com", "lpt") for i in range(10))}
MAX_MODEL_BYTES = 99_999_999
MAX_MODEL_VALUES = 5_000_000
MAX_TOKEN = 40  # characters
MAX_SAID = 80  # characters of a name or a date
MAX_STEPS = 10**9
MAX_PARAMETER = 1_000_000  # training stays far below; products of such numbers are still finite
OPTIONS = ("steps", "width", "minutes")  # that a run keeps to
OLD_OPTIONS = ("layers", "heads")
KEYS = (
    "name kind unit vocab config parameters trained_on asked settings steps when losses counted run best"
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
    require_names("the model", model, KEYS)
    if type(model["name"]) is not str or not is_name(model["name"]):
        raise Refused("its name is no name")
    if model["kind"] not in (LIST, RUNNING) or model["unit"] not in ("letters", "words"):
        raise Refused("its kind of text is unknown")
    check_sizes(model["config"])
    check_vocab(model["vocab"], model["config"]["vocab_size"])
    check_trained_on(model["trained_on"])
    require_short("its date", model["when"])
    for name in ("uniform", "bigrams", "counts", "training", "validation", "test"):
        if type(model["losses"]) is not dict or type(model["losses"].get(name)) is not float:
            raise Refused(f"its loss {name} is not a number")
    check_asked(model["asked"])
    check_settings(model["settings"])
    require_whole("its number of steps", model["steps"], 0)
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
    names = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "n_inner")
    require_names("config", config, names)
    for name in names:
        if type(config[name]) is not int or not 1 <= config[name] <= 4096:
            raise Refused(f"config {name} is not a whole number from 1 to 4096")
    if config["n_embd"] % config["n_head"] or parameters_in(config) > MAX_PARAMETERS:
        raise Refused("its config is of no model that we make")


def check_best(model):
    best, run = model["best"], model["run"]
    if best is None and not tenths(run["step"], model["settings"]["steps"]):
        return
    require_names("best", best, ("step", "loss", "last", "parameters"))
    require_whole("the step of best", best["step"], 1)
    if type(best["loss"]) is not float or type(best["last"]) is not float:
        raise Refused("its best losses are not numbers")
    check_parameters("best parameters", model["config"], best["parameters"])
    if any(x < 0 for entry in run["optimizer"]["v"].values() for x in numbers_in(entry)):
        raise Refused("optimizer v holds a number below 0")


def check_parameters(where, config, parameters):
    check_tensors(where, parameters, gpt_param_sizes(config))
    for name, entry in parameters.items():
        if not all(abs(x) <= MAX_PARAMETER for x in numbers_in(entry)):  # nan neither
            raise Refused(f"{where} {name} holds a number that is not finite, or above {MAX_PARAMETER:,}")


def numbers_in(entry):
    """The numbers of a vector or a matrix."""
    return [x for row in entry for x in (row if type(row) is list else [row])]


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
