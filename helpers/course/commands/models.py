"""What `python3 -m helpers models` does: list the models that `train` and `fetch` have left, and
remove them."""

from ..models.smollm2 import smollm2_stored
from ..state.files import StateError
from ..training.own_model import load_model, model_names, remove_model
from .names import PROGRAM, unknown
from .train import introduction


def list_models(options):
    """List the models, or remove some."""
    names, fetched = model_names(), smollm2_stored()
    known = [*names, "smollm2"] if fetched else names
    if options.remove:
        for name in options.remove:
            if name not in known:
                raise unknown("model", name, known or ["none"])
        for name in options.remove:
            if name in names:
                remove_model(name)
            else:
                fetched[0].unlink()
                for kept in fetched[0].parent.glob(f"{fetched[0].stem}.*.kept"):  # by chat
                    kept.unlink()
            print(f"Removed {name}.")
        return
    if fetched:
        print(f"smollm2: a chat model, {fetched[1] / 1e6:.0f} MB. Talk to it:  {PROGRAM} chat")
    if not known:
        print(f"There is no model yet. Train one:  {PROGRAM} train FILE")
    for name in names:
        try:
            print(introduction(load_model(name)))
        except StateError as error:
            print(error)


def models_arguments(parser):
    parser.add_argument("--remove", nargs="+", metavar="NAME", help="delete these models")
