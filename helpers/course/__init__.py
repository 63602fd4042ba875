"""What makes the notebooks work, in rooms by subject. A room imports from those above it, never from below.

    engine          the mathematics with other arithmetic, or with the reader's functions in it
    argument_checks what wraps an exported function
    show            tables, figures, progress, comparison; knows no lesson
    reading         documents, PDF, pictures, and one budget of work for each file
    models          GGUF, safetensors, the chat model and its tokenizer
    state           the list of lessons, the network of Part I, files, the pickled dict
    training        the one loop, checkpoints, processes, counting, texts and models, also the reader's own
    lessons         what only one lesson uses, its number in the file's name; maps and glossary
    exercises       judges the reader's functions; for each lesson solutions, inputs and known mistakes
    commands        what `python3 -m helpers COMMAND` does

Where does a new line belong? Ask who would miss it. One lesson: lessons. Several: the room of the subject.
Only a command: commands. Only a script that records results: tests/benchmarks. A function that a reader may
copy: helpers/*.py, the mathematics, which imports nothing from here.
"""

from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # the project's folder
NOTEBOOKS = ROOT / "notebooks"

# The modules made for copying, each after those that it imports from; add a new module here.
MODULES = (
    "matrices",
    "parameters",
    "activations",
    "layers",
    "attention",
    "rope",
    "llama",
    "losses",
    "backward",
    "finite_differences",
    "optimizers",
    "toy",
    "gpt",
    "tape",
    "ngrams",
    "training",
    "sampling",
    "generation",
    "texts",
    "byte_pairs",
    "quantization",
    "experts",
    "lora",
    "preferences",
    "pictures",
    "forms",
    "retrieval",
)

# The names that an import cell gives to modules: from helpers.course import show, toy
SHORT_NAMES = {
    "answers": "lessons.lesson_22_answers",
    "autograd": "lessons.lesson_12_autograd",
    "one_answer": "lessons.lesson_20_answer",
    "bug_hunt": "lessons.lesson_10b_bug_hunt",
    "circuits": "lessons.lesson_21_circuits",
    "counts": "training.counts",
    "countries": "lessons.lesson_24_countries",
    "digit_task": "lessons.lesson_20b_digit_task",
    "dropout": "lessons.lesson_14c_dropout",
    "engine": "engine",
    "graphs": "exercises.graphs",
    "half_precision": "lessons.lesson_19b_half_precision",
    "known_mistakes": "exercises.known_mistakes",
    "long_texts": "lessons.lesson_23_long_texts",
    "loop": "training.loop",
    "low_rank": "lessons.lesson_22c_low_rank",
    "names_task": "state.names_task",
    "own_chat": "exercises.own_chat",
    "own_model": "training.own_model",
    "own_network": "exercises.own_network",
    "own_writing": "training.own_writing",
    "patching": "lessons.lesson_21b_patching",
    "policy": "lessons.lesson_22b_policy",
    "repeats": "lessons.lesson_14_repeats",
    "routing": "lessons.lesson_18b_routing",
    "six_steps": "lessons.lesson_18_six_steps",
    "smollm2": "models.smollm2",
    "stacks": "lessons.lesson_07_stacks",
    "stories": "training.stories",
    "storyteller": "lessons.lesson_00_storyteller",
    "tokenizer": "models.tokenizer",
    "sums": "lessons.lesson_24_sums",
    "toy": "training.toy_task",
    "tuning": "lessons.lesson_22_tuning",
    "writer": "models.writer",
    "yours": "exercises.yours",
}


def __getattr__(name):
    """A module by its short name, loaded when it is first used."""
    if name not in SHORT_NAMES:
        raise AttributeError(f"helpers.course has no {name}")
    return import_module(f"{__name__}.{SHORT_NAMES[name]}")


def exports(room, names):
    """The __getattr__ of a room: {module: its public names}, loaded when they are first used."""
    modules = {name: module for module, listed in names.items() for name in listed.split()}

    def get(name):
        if name not in modules:
            raise AttributeError(f"{room} has no {name}")
        return getattr(import_module(f"{room}.{modules[name]}"), name)

    return get
