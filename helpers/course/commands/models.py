"""What `python3 -m helpers models` does: list the models that `train` has made, and remove them."""

from ..lessons.files import StateError
from ..lessons.own_model import load_model, model_names, remove_model
from .names import PROGRAM, unknown
from .train import introduction


def list_models(options):
    """List the models, or remove some."""
    names = model_names()
    if options.remove:
        for name in options.remove:
            if name not in names:
                raise unknown("model", name, names or ["none"])
        for name in options.remove:
            remove_model(name)
            print(f"Removed {name}.")
        return
    if not names:
        print(f"There is no model yet. Train one:  {PROGRAM} train FILE")
    for name in names:
        try:
            print(introduction(load_model(name)))
        except StateError as error:
            print(error)


def models_arguments(parser):
    parser.add_argument("--remove", nargs="+", metavar="NAME", help="delete these models")
