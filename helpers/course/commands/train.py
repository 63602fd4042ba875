"""What `python3 -m helpers train` does: a model for a text of one's own, from its files to its samples."""

import math
import shutil
import sys
import time
from pathlib import Path

from .. import NOTEBOOKS
from ..show.status import where_shown
from ..training.loop import documents_digest, mean_of_last_losses
from ..training.own_model import (
    BATCH,
    MAX_PARAMETERS,
    MAX_WIDTH,
    OPTIONS,
    STILL_FALLS,
    continued,
    evaluated,
    file_stamp,
    is_name,
    is_tenth,
    load_model,
    measured_counts,
    most_steps,
    new_model,
    parameters_in,
    plan_training,
    save_model,
    seconds_of_step,
    seconds_until,
    slowness,
    spelling_of,
    tenths,
    tokens_of_step,
    tokens_per_character,
    train_to_end,
)
from ..training.own_text import LIST, RUNNING, files_digest, pluralized, prepare_text, tokenized
from ..training.own_writing import COPY_LENGTH, draws_to_compare, memorized
from ..training.parallel import cores
from .names import PROGRAM, Misuse, number_between

MINUTES = {LIST: 2, RUNNING: 3}
KEEP_EVERY = 15  # seconds
MIN_EXPECTED = 400  # steps; how shorter trainings go on was not measured
BAR = 40  # columns
AS_ARGUMENT = 'give its encoding as fallback="…"'  # how a remark names what is an option here


def train_named_model(options):
    """Train a model on a text; code 1 where Ctrl-C stops it."""
    if not is_name(options.name):
        raise Misuse(f"{options.name!a:.50} is no name for a model; use letters, digits, - and _, at most 40")
    paths = [Path(path) for path in options.paths] or [NOTEBOOKS / "names.txt"]
    try:
        text = prepare_text(paths, options.kind, options.encoding)
    except ValueError as error:
        raise Misuse(f"{error}.".replace("fallback is", "--encoding is")) from None
    asked = {name: getattr(options, name) for name in OPTIONS}
    kept = None if options.anew else load_model(options.name)
    if kept:
        require_same(kept, text, asked, paths)
    tell_text(text)
    processes = min(options.processes or cores(), BATCH[text["kind"]])
    minutes = options.minutes or MINUTES[text["kind"]]
    if kept and kept["run"] is None and not wants_more(kept, asked):
        return tell_model_is_there(kept)
    slow = slowness()
    if kept:
        model, counts = kept, measured_counts(text)
        documents = tokenized(text["train"], model, model["config"]["n_positions"])
        if model["run"] is None:
            more = (minutes - minutes_of(model["asked"], text["kind"])) / slow
            model = continued(model, text, documents, more, asked, processes)
        if model["run"]["documents"] != documents_digest(documents):
            raise Misuse(
                f"{model['name']} was begun on another text; give another --name, or --anew to replace it."
            )
    else:
        spelling = spelling_of(text)
        config, settings = plan_training(text, spelling, minutes / slow, asked, processes)
        if parameters_in(config) > MAX_PARAMETERS:
            raise Misuse(
                f"This model has {parameters_in(config):,} parameters, and pure Python trains at most "
                f"{MAX_PARAMETERS:,}; choose a smaller --width."
            )
        model, counts, documents = new_model(options.name, text, spelling, config, settings, asked)
        model["trained_on"]["paths"] = kept_paths(paths)
        model["trained_on"]["fingerprint"] = files_digest(paths)
    tell_plan(model, text, processes, slow)
    checkpointer = Checkpointer()
    checkpointer.save(model)  # before the work: what cannot be kept is said now
    chosen = processes if options.processes else None  # None: as many as pay
    return run_training(model, text, counts, documents, chosen, checkpointer)


def wants_more(kept, asked):
    """Whether a finished model is to be trained longer than it was."""
    if asked["steps"]:
        return asked["steps"] > kept["before"] + kept["settings"]["steps"]
    return minutes_of(asked, kept["kind"]) > minutes_of(kept["asked"], kept["kind"])


def minutes_of(asked, kind):
    """How long the options let a training last; 0 where they give steps instead."""
    return asked.get("minutes") or (0 if asked.get("steps") else MINUTES[kind])


def kept_paths(paths):
    """The full paths, as the model's file keeps them; none where one has a name that is no text."""
    found = [str(path.resolve()) for path in paths]
    return found if all(path.isprintable() for path in found) else []


def require_same(kept, text, asked, paths):
    """Misuse where a model of this name belongs to another text or to other options."""
    name, trained_on = kept["name"], kept["trained_on"]
    replace = "give another --name, or --anew to replace it"
    if trained_on["digest"] != text["digest"]:
        if trained_on["paths"] and trained_on["paths"] == kept_paths(paths):
            raise Misuse(f"{trained_on['name']} has changed since {name} was begun with it; {replace}.")
        raise Misuse(f"There is a model {name} already, of {trained_on['name']}; {replace}.")
    longer = ("minutes", "steps") if kept["run"] is None else ()
    before, now = (
        {name: value for name, value in options.items() if value and name not in longer}
        for options in (kept["asked"], asked)
    )
    if before != now:
        other = [f"--{name} {value:g}" for name, value in kept["asked"].items() if value] or ["no options"]
        state = "is in training" if kept["run"] else "is there already"
        finish = "give these to resume it, " if kept["run"] else ""
        raise Misuse(f"A model {name} {state}, made with {' '.join(other)}; {finish}{replace}.")


# --- what is said before


def tell(what, *sentences):
    print(f"{what:11}{' '.join(sentences)}", flush=True)


def tell_text(text):
    """What was read, and what became of it: a line each."""
    for name, remark in text["remarks"][:10]:
        tell("Remark", f"{name}: {remark.replace(AS_ARGUMENT, 'give its --encoding')}")
    if len(text["remarks"]) > 10:
        tell("Remark", f"… and {len(text['remarks']) - 10} more of them.")
    size = f"{pluralized(text['files'], 'file')}, {pluralized(text['characters'], 'character')}."
    tell("Read", f"{text['name']}: {size}")
    tell("Cleaned", "; ".join(text["cleaned"]) + "." if text["cleaned"] else "nothing to clean.")
    tell("Duplicates", " and ".join(text["dropped"]) + " dropped." if text["dropped"] else "none.")
    if text["kind"] == LIST:
        longest = max(map(len, text["train"]))
        tell("Kind", f"a list: each line is a text of its own, of at most {longest} characters.")
    else:
        tell("Kind", "a running text: it is cut into windows as long as the model's context.")
    parts = [f"{len(text[part]):,}" for part in ("train", "val", "test")]
    noun = f"{text['split_by']}s"
    alike = " (Pieces of one text are alike, so the test loss is a little low.)"
    same = alike if text["split_by"] == "piece" else ""
    tell("Split", f"{parts[0]} {noun} to train on, {parts[1]} for validation, {parts[2]} to test.{same}")
    rare = f"; {len(text['rare']):,} rare ones are written as {text['vocab'][-1]}" if text["rare"] else ""
    tell("Characters", f"{len(text['vocab']) - 3} and 3 special tokens{rare}.")


def tell_plan(model, text, processes, slow):
    """The model and its training."""
    if model["merges"]:
        pairs = len(model["vocab"]) - len(text["vocab"])
        tell("Tokens", f"{pairs:,} byte pairs, learned on the training set.")
    config, settings = model["config"], model["settings"]
    layers, heads = pluralized(config["n_layer"], "layer"), pluralized(config["n_head"], "head")
    sizes = f"{layers}, {config['n_embd']} wide, {heads}, context {config['n_positions']}"
    tell("Model", f"{sizes}: {parameters_in(config):,} parameters.")
    what = "lines" if text["kind"] == LIST else "windows"
    step = slow * seconds_of_step(config, tokens_of_step(config, text), processes)
    free = "a free core" if processes == 1 else f"{processes} free cores"
    size = f"{settings['steps']:,} steps of {settings['batch_size']} {what}"
    lasts = f"about {duration(settings['steps'] * step)} on {free}."
    tell("Training", f"{size}, {lasts}", "Ctrl-C stops it, and the same command resumes it.")
    if model["before"]:
        again = f"The learning rate rises to {settings['lr']:g} again and falls to 0."
        tell(
            "",
            f"It goes on from the model that is there, after {pluralized(model['before'], 'step')}.",
            again,
        )
    if model["run"]["step"]:
        tell("", f"Resumed after step {model['before'] + model['run']['step']:,}.")
    if len(text["train"]) < 50 and text["kind"] == LIST:
        tell("", f"{len(text['train'])} lines are few: expect the model to recite them.")


def tell_model_is_there(model):
    print(f"{model['name']} has been trained on this text with these options. {introduction(model)}")
    print(f"Let it write:  {PROGRAM} say --model {model['name']}")
    print("Train it again: the same command with --anew. Train it longer: with more --minutes.")


def introduction(model):
    """What a model was trained on, when, and with which loss."""
    losses, run, text = model["losses"], model["run"], model["trained_on"]["name"]
    beaten = f"bigrams {losses['bigrams']:.2f}, {model['counted']}-grams {losses['counts']:.2f}"
    if run is not None:
        steps, before = model["settings"]["steps"], model["before"]
        return f"{model['name']}: in training on {text}, step {before + run['step']:,} of {before + steps:,}."
    trained = f"{model['name']}: trained on {text}, {model['when']}, {model['steps']:,} steps"
    if math.isnan(losses["test"]):  # of an imported model
        return f"{trained}; its losses are not known."
    return f"{trained}; test loss {losses['test']:.2f} ({beaten})."


def duration(seconds):
    """A time in words.

    >>> duration(9.6), duration(75), duration(7300)
    ('10 s', '1 min 15 s', '2 h 1 min')
    """
    seconds = max(1, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


# --- while it trains


class Chart:
    """The line that changes while the model trains, and a bar for each tenth of the steps."""

    def __init__(self, model, documents):
        self.losses, self.steps, self.before = model["losses"], model["settings"]["steps"], model["before"]
        self.documents = len(documents)
        self.per_character = tokens_per_character(documents, model)
        self.counted, self.first, self.began = model["counted"], None, None
        self.next_line = 0.0
        self.show, self.clear = where_shown()

    def chart(self, label, loss, more=""):
        """One bar; the loss of the uniform guess is as long as the chart is wide."""
        block = "█" if can_print("█") else "#"
        length = max(0, min(BAR, round(BAR * loss / self.losses["uniform"])))
        print(f"{label:>14} {loss:6.2f} {block * length}{more}", flush=True)

    def begin(self):
        for label, loss in counted_losses(self.losses, self.counted):
            self.chart(label, loss)

    def loss(self, run):
        """The mean of the last training losses, for each character."""
        return self.per_character * mean_of_last_losses(run["history"])

    def __call__(self, model):
        run, now = model["run"], time.monotonic()
        step = run["step"]
        if is_tenth(step, self.steps):
            self.clear()
            validation = model["best"]["last"]
            self.chart(f"step {self.before + step:,}", self.loss(run), f" validation {validation:.2f}")
            measured = model["merges"] and not self.before and self.steps >= MIN_EXPECTED
            if tenths(step, self.steps) == 1 and self.first and measured:
                self.tell_expectation(model, validation, (now - self.began) / (step - self.first))
        if self.first is None:  # the first step also starts processes and makes code: it is not timed
            self.first, self.began = step, now
        elif now >= self.next_line:
            left = (now - self.began) / (step - self.first) * (self.steps - step)
            self.next_line = now + 0.5
            loss = self.loss(run)
            now_and_last = f"step {self.before + step:,} of {self.before + self.steps:,}"
            line = f"{now_and_last}, loss {loss:.2f}, {duration(left)} left"
            self.show(line[: shutil.get_terminal_size().columns - 1])

    def tell_expectation(self, model, validation, seconds):
        """What the loss will be at the end, and when it would be that of counting; seconds are of a step."""
        expected, left = validation - STILL_FALLS, self.steps * seconds
        most = seconds * max(self.steps, most_steps(self.documents, model["settings"]["batch_size"]))
        print(f"Expect a loss of about {expected:.2f} at the end, after {duration(left)}.", flush=True)
        for label, loss in counted_losses(self.losses, self.counted)[1:]:
            after = seconds_until(loss, expected, left)
            if after <= left:
                said = "the model will be better"
            elif after <= most:
                said = f"the model would be better after about {duration(after)}"
            else:
                said = "out of reach with this text; more text would help"
            print(f"{label:>14} {loss:6.2f} {said}.", flush=True)


class Checkpointer:
    """Saves a model while it trains, unless another training has written its file meanwhile."""

    def __init__(self):
        self.stamp, self.saved, self.pause = None, 0.0, KEEP_EVERY

    def save(self, model):
        found = file_stamp(model["name"])
        if self.stamp and found and found != self.stamp:
            raise Misuse(
                f"Another training has written {model['name']} meanwhile, so this one ends and "
                "its file stays; give another --name."
            )
        began = time.monotonic()
        save_model(model)
        self.stamp, self.saved = file_stamp(model["name"]), time.monotonic()
        self.pause = max(KEEP_EVERY, 20 * (self.saved - began))  # a twentieth of the time at most

    def now_and_then(self, model):
        if time.monotonic() - self.saved >= self.pause:
            self.save(model)


def can_print(character):
    try:
        character.encode(sys.stdout.encoding or "ascii")
    except UnicodeError:
        return False
    return True


def run_training(model, text, counts, documents, processes, checkpointer):
    """Train, save, judge and show samples."""
    live, began = Chart(model, documents), time.monotonic()
    live.begin()
    try:
        processes = train_to_end(model, documents, text, live, checkpointer.now_and_then, processes)
    except Misuse:
        live.clear()
        raise
    except KeyboardInterrupt:
        live.clear()
        checkpointer.save(model)
        print(
            f"Stopped after step {model['before'] + model['run']['step']:,} of {live.before + live.steps:,}. "
            "It is saved: the same command resumes it."
        )
        return 1
    live.clear()
    model = evaluated(model, text)
    checkpointer.save(model)
    with_them = f" with {processes} processes" if processes > 1 else ""
    print(f"\nTrained in {duration(time.monotonic() - began)}{with_them}. The loss, in nats per character:\n")
    tell_result(model, text, counts)
    return 0


# --- what is said at the end


def counted_losses(losses, n):
    """(label, loss) of what was measured by counting; models of earlier editions have no trigrams."""
    rows = [("uniform", losses["uniform"]), ("bigrams", losses["bigrams"])]
    if n > 3 and "trigrams" in losses:
        rows.append(("trigrams", losses["trigrams"]))
    return rows + [(f"{n}-grams", losses["counts"])] * (n > 2)


def tell_result(model, text, counts):
    losses, n = model["losses"], model["counted"]
    rows = [
        *counted_losses(losses, n),
        ("model, training set", losses["training"]),
        ("model, validation set", losses["validation"]),
        ("model, test set", losses["test"]),
    ]
    for label, loss in rows:
        print(f"  {label:22}{loss:6.2f}")
    if overfitted(model):
        print(f"\nThe validation loss was lowest after step {model['steps']:,}: that model is kept.")
    print(f"\n{comparison(model)}\n")
    by_counts, by_model = draws_to_compare(model, text, counts)
    show_beside((f"{n}-grams", by_counts), ("the model", by_model), text["kind"])
    tell_copies(text, (f"the {n}-grams", by_counts), ("the model", by_model))
    print(f"\nSaved as {model['name']}. Let it write:  {PROGRAM} say --model {model['name']}")


def comparison(model):
    """How the model compares with counting, and what could help."""
    losses, counts = model["losses"], f"the best counts, {model['counted']}-grams"
    better = losses["counts"] - losses["test"]
    if better > 0.005:
        said = f"On the test set the model is better than {counts}, by {better:.2f}."
    elif better > -0.005:
        said = f"On the test set the model is as good as {counts}."
    else:
        said = f"On the test set {counts}, are better than the model, by {-better:.2f}."
    if overfitted(model):
        return said + " From that step on it overfitted: more text would help."
    if better < 0:
        return said + " A longer training may help: the same command with more --minutes goes on from it."
    return said


def overfitted(model):
    return model["steps"] < model["before"] + model["settings"]["steps"]


def show_beside(one, other, kind):
    """Samples of the counts to the left, of the model to the right; of running texts, which may end after a
    few characters, the longest."""
    width = max(20, min(60, (shutil.get_terminal_size().columns - 6) // 2))
    if kind == LIST:
        columns = [each[1][:10] for each in (one, other)]
        width = min(width, max(len(text) for column in columns for text in [*column, one[0]]))
    else:
        columns = [wrapped(max(each[1], key=len), width) for each in (one, other)]
    print(f"  {one[0]:{width}}   {other[0]}")
    print(f"  {'-' * width}   {'-' * width}")
    for i in range(max(map(len, columns))):
        left, right = (column[i] if i < len(column) else "" for column in columns)
        print(f"  {left[:width]:{width}}   {right[:width]}".rstrip())
    print()


def wrapped(text, width):
    """The lines of a text, none longer than the width."""
    return [line[i : i + width] for line in text.split("\n") for i in range(0, max(1, len(line)), width)]


def tell_copies(text, *drawn):
    found = {name: memorized(texts, text) for name, texts in drawn}
    if text["kind"] == LIST:
        said = "; ".join(f"{number} of {of} by {name}" for name, (number, of) in found.items())
        print(f"Lines that stand in the training set: {said}.")
    else:
        said = "; ".join(f"{100 * number / of:.0f} % by {name}" for name, (number, of) in found.items())
        print(f"Pieces of {COPY_LENGTH} characters that stand in the training set: {said}.")
    number, of = found["the model"]
    if number > of / 2:
        print("So the model recites: most of what it writes is copied from the text. More text would help.")


# --- the command line


def train_arguments(parser):
    which = "the text; default: the first names of lesson 14"
    parser.add_argument("paths", nargs="*", metavar="FILE OR FOLDER", help=which)
    parser.add_argument("--name", default="mine", help="the model's name; default: mine")
    minutes = number_between("a time in minutes", 0, 10_000, float, above=True)
    time_in_words = (
        "how long to train; default: 2, for a running text 3; more goes on from a model that is there"
    )
    parser.add_argument("--minutes", type=minutes, metavar="M", help=time_in_words)
    steps = number_between("a number of steps", 1, 1_000_000)
    parser.add_argument("--steps", type=steps, metavar="N", help="so many steps")
    width = number_between("the number of numbers for each token", 1, MAX_WIDTH)
    numbers = "numbers for each token; default: what fits the text and the time"
    parser.add_argument("--width", type=width, metavar="D", help=numbers)
    kind = "each line for itself, or a text that runs on; default: guessed"
    parser.add_argument("--as", dest="kind", choices=[LIST, RUNNING], help=kind)
    encoding = "of files that are not UTF-8, such as utf-16-le or koi8-r"
    parser.add_argument("--encoding", default="cp1252", help=encoding)
    processes = number_between("a number of processes", 1, 64)
    share = f"processes that share a batch; default: as many as pay, of {cores()}"
    parser.add_argument("--processes", type=processes, metavar="N", help=share)
    parser.add_argument("--anew", action="store_true", help="replace the model of this name")
