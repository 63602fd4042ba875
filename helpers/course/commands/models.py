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
                for path in [fetched[0], *kept_by_chat(fetched[0])]:
                    path.unlink()
            print(f"Removed {name}.")
        return
    if fetched:
        kept = sum(path.stat().st_size for path in kept_by_chat(fetched[0]))
        beside = f", and {kept / 1e6:.0f} MB with which chat starts faster" if kept else ""
        print(f"smollm2: a chat model, {fetched[1] / 1e6:.0f} MB{beside}. Talk to it:  {PROGRAM} chat")
    if not known:
        print(f"There is no model yet. Train one:  {PROGRAM} train FILE")
    for name in names:
        try:
            print(introduction(load_model(name)))
        except StateError as error:
            print(error)


def kept_by_chat(path):
    """The files beside the model, also those of a start that was killed."""
    return list(path.parent.glob(f"{path.stem}.*.kept*"))


def models_arguments(parser):
    parser.add_argument("--remove", nargs="+", metavar="NAME", help="delete these models")
