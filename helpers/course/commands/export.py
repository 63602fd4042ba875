"""What `python3 -m helpers export` and `import` do: a model as a folder that other programs can open, and
back."""

import shlex
from pathlib import Path

from ..models.smollm2 import models_folder
from ..state.files import reason
from ..training.hugging_face import read_folder, write_folder
from ..training.own_model import is_name, load_model, model_names, parameters_in, save_model
from .environment import Problem
from .names import PROGRAM, Misuse, unknown
from .say import STORIES, shipped_stories
from .train import introduction

SHIPPED = {  # what is said of the model that the course ships
    "trained_on": {"name": "stories by rule"},
    "when": "with the course",
    "counted": 1,
}


def export_model(options):
    """Write a model as a folder."""
    model = model_to_export(options.model)
    folder = Path(options.folder or shown(models_folder() / options.model))
    if options.folder is None:
        models_folder().mkdir(parents=True, exist_ok=True)
    if folder.is_symlink() or folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Misuse(f"{str(folder)!a:.80} is there already; name a folder that is new or empty.")
    if not folder.absolute().parent.is_dir():
        raise Misuse(f"There is no folder {str(folder.absolute().parent)!a:.80} to put it in.")
    try:
        written = write_folder(model, folder.absolute())
    except ValueError as error:
        raise Problem(f"{options.model} cannot be exported: {error}.") from None
    except OSError as error:
        raise Problem(f"{str(folder)!a:.80} cannot be written ({reason(error)}).") from None
    print(f"{options.model}: {parameters_in(model['config']):,} parameters, written to {folder}.")
    for name, size in written.items():
        print(f"  {name:22}{size:9,} bytes")
    print(f"Read it back:  {PROGRAM} import {shlex.quote(str(folder))} --name another")


def shown(path):
    """The path from here, where that is shorter."""
    here = Path.cwd()
    return path.relative_to(here) if here in path.parents else path


def model_to_export(name):
    """The model of this name; of one in training, as it is now."""
    model = load_model(name) if is_name(name) else None
    if model is None and name == STORIES:
        shipped = shipped_stories()
        return {**shipped, **SHIPPED, "steps": shipped["step"]}
    if model is None:
        raise unknown("model", name, [*model_names(), STORIES])
    if model["run"] is not None:
        raise Misuse(f"{introduction(model)} Finish it first: the same train command resumes it.")
    return model


def import_model(options):
    """Keep the model of a folder under a name."""
    folder = Path(options.folder)
    name = options.name or folder.absolute().name
    if not is_name(name):
        raise Misuse(f"{name!a:.50} is no name for a model; give a --name of letters, digits, - and _.")
    if not folder.is_dir():
        raise Misuse(f"There is no folder {options.folder!a:.80}.")
    if name in model_names():
        raise Misuse(
            f"There is a model {name} already; give another --name, or remove it: models --remove {name}."
        )
    try:
        model = read_folder(folder, name)
    except ValueError as error:
        raise Problem(f"{options.folder!a:.80} cannot be imported: {error}.") from None
    save_model(model)
    print(introduction(model))
    print(f"Let it write:  {PROGRAM} say --model {name}")


def export_arguments(parser):
    parser.add_argument("model", metavar="NAME", help="a model made by `train`, or stories")
    where = "a folder that is new or empty; default: notebooks/models/NAME"
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help=where)


def import_arguments(parser):
    parser.add_argument("folder", metavar="FOLDER", help="a folder that `export` has written")
    parser.add_argument("--name", help="the model's name here; default: the name of the folder")
