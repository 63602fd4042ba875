"""The network of Part I: its sizes, its sentence, and its parameters in the order they are drawn."""

from ...matrices import transpose
from ...parameters import random_matrix, random_vector
from ..argument_checks import checked

SEED = 42
CONFIG = {
    "V": 6,  # tokens in the vocabulary
    "D": 16,  # width: numbers per position
    "P": 5,  # positions
    "H": 2,  # heads
    "K": 8,  # width of a head
    "F": 64,  # hidden width of the feed-forward network
    "vocabulary": ["<PAD>", "<BOS>", "<EOS>", "I", "like", "transformers"],
}
TOKENS = [1, 3, 4, 5, 2]
TARGETS = TOKENS[1:]

# The order is the order of the draws: another one would give other numbers.
PARAMETER_SHAPES = {
    "E_token": ("V", "D"),
    "E_pos": ("P", "D"),
    "W_Q": ("H", "K", "D"),
    "W_K": ("H", "K", "D"),
    "W_V": ("H", "K", "D"),
    "W_O": ("D", "D"),
    "W_1": ("F", "D"),
    "b_1": ("F",),
    "W_2": ("D", "F"),
    "b_2": ("D",),
    "gamma": ("D",),
    "beta": ("D",),
    "W_lm": ("V", "D"),
}


def draw(rng, name, config=CONFIG):
    """Draw one parameter with the random number generator rng, in its shape from PARAMETER_SHAPES."""
    sizes = [config[letter] for letter in PARAMETER_SHAPES[name]]
    if name in ("gamma", "beta"):
        return [1.0 if name == "gamma" else 0.0] * sizes[0]  # nothing is drawn
    if len(sizes) == 1:
        return random_vector(rng, *sizes)
    if len(sizes) == 2:
        return random_matrix(rng, *sizes)
    heads, out, into = sizes  # the heads are drawn [in][out] and stored [out][in], like every other matrix
    return [transpose(random_matrix(rng, into, out)) for _ in range(heads)]


@checked
def draw_parameters(rng: "Random", names=tuple(PARAMETER_SHAPES), config=CONFIG):
    """Draw the named parameters (all if none are named), in the order given. ValueError for another name."""
    unknown = [name for name in names if name not in PARAMETER_SHAPES]
    if unknown:
        known = ", ".join(PARAMETER_SHAPES)
        raise ValueError(f"there is no parameter {unknown[0]!r}; names is a list of these: {known}")
    return {name: draw(rng, name, config) for name in names}
