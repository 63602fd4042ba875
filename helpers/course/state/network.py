"""The network of Part I: its sizes, its sentence, and its parameters in the order they are drawn."""

from ...matrices import transpose
from ...parameters import random_matrix, random_vector
from ...toy import TOY_PARAM_SHAPES
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

# {name: the letters of its shape}. The order is the order of the draws: another one would give other numbers.
# A value is as wide as a key here, so k and v are both K, and all heads side by side have the width D.
PARAMETER_SHAPES = {
    name: tuple(shape.replace("H*v", "D").replace("k", "K").replace("v", "K").split())
    for name, shape in TOY_PARAM_SHAPES.items()
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
