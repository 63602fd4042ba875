"""The lessons in their order: what each adds to the state, and the step that recomputes it.

A new lesson is one function that grows the state and one entry in LESSONS. A lesson that trains for half
a minute and more has two: `step` leaves the model untrained, at once, and `train` trains it. Only a
reader who opens the next lesson with nothing saved waits for `train`; what is saved is checked, and not
trained again for a comparison.
"""

import copy
import difflib
import random
from importlib import import_module
from typing import Callable, NamedTuple

from ...activations import gelu
from ...attention import attention_scores, causal_mask, merge_heads, softmax
from ...layers import embedding, layer_norm, linear
from ...losses import token_losses
from ...matrices import add, matmul
from ...optimizers import adamw_init, adamw_step
from ...toy import toy_backward
from .names_task import GPT, TEXT, about_course_text, course_text, gpt_config, untrained_gpt
from .network import CONFIG, PARAMETER_SHAPES, SEED, TARGETS, TOKENS, draw_parameters

# Letters as in CONFIG; T is the number of tokens, T-1 the number of targets, 1 is one, () a single number.
ACTIVATION_SHAPES = {
    "X": ("T", "D"),
    "Q": ("H", "T", "K"),
    "K": ("H", "T", "K"),
    "V": ("H", "T", "K"),
    "scores": ("H", "T", "T"),
    "weights": ("H", "T", "T"),
    "heads": ("H", "T", "K"),
    "concat": ("T", "D"),
    "attention_output": ("T", "D"),
    "hidden": ("T", "F"),
    "activated": ("T", "F"),
    "feed_forward_output": ("T", "D"),
    "residual": ("T", "D"),
    "normed": ("T", "D"),
    "logits": ("T", "V"),
    "probabilities": ("T", "V"),
    "losses": ("T-1",),
    "loss": (),
}

SHAPES = {
    "text": dict.fromkeys(TEXT),
    "gpt": dict.fromkeys(GPT),
    "stories": dict.fromkeys(GPT),
    "parameters": PARAMETER_SHAPES,
    "activations": ACTIVATION_SHAPES,
    "gradients": PARAMETER_SHAPES,
    "activation_gradients": ACTIVATION_SHAPES,
    "optimizer": {"step": (), "m": PARAMETER_SHAPES, "v": PARAMETER_SHAPES},
}


def made_by(module, function):
    """The result of a function of the room that trains, which imports this one: loaded when needed."""
    return getattr(import_module(f"{__package__.rpartition('.')[0]}.training.{module}"), function)()


def draw_into(state, *names):
    """Draw parameters with the random number generator of the state, and keep where it stopped."""
    rng = random.Random()
    rng.setstate(state["rng_state"])
    state["parameters"].update(draw_parameters(rng, names, state["config"]))
    state["rng_state"] = rng.getstate()


def start_here(state):
    """The sizes, the sentence and the state of a new random number generator."""
    state["config"] = copy.deepcopy(CONFIG)
    state["tokens"], state["targets"] = list(TOKENS), list(TARGETS)
    state["parameters"], state["activations"] = {}, {}
    state["rng_state"] = random.Random(SEED).getstate()


def tokens_and_embeddings(state):
    """X: the embedding of each token plus the embedding of its position."""
    draw_into(state, "E_token", "E_pos")
    tokens, parameters = state["tokens"], state["parameters"]
    positions = list(range(len(tokens)))
    state["activations"]["X"] = add(
        embedding(tokens, parameters["E_token"]), embedding(positions, parameters["E_pos"])
    )


def queries_keys_values(state):
    """Q, K, V of every head: three linear maps of X each."""
    draw_into(state, "W_Q", "W_K", "W_V")
    X, parameters = state["activations"]["X"], state["parameters"]
    for name in "QKV":
        state["activations"][name] = [linear(X, W) for W in parameters[f"W_{name}"]]


def attend(state, h):
    """Scores, weights and output of head h, appended to those of the heads before it."""
    Q, K, V = (state["activations"][name][h] for name in "QKV")
    scores = attention_scores(Q, K, causal_mask(len(state["tokens"])))
    weights = [softmax(row) for row in scores]
    for name, value in (("scores", scores), ("weights", weights), ("heads", matmul(weights, V))):
        state["activations"].setdefault(name, []).append(value)


def attention_of_head_0(state):
    """The attention scores, weights and output of head 0."""
    attend(state, 0)


def join_heads(state):
    """The other head, the heads concatenated, and the result projected by W_O."""
    draw_into(state, "W_O")
    for h in range(1, state["config"]["H"]):
        attend(state, h)
    activations = state["activations"]
    activations["concat"] = merge_heads(activations["heads"])
    activations["attention_output"] = linear(activations["concat"], state["parameters"]["W_O"])


def unchanged(state):
    """Nothing: lessons 05 and 15 are about functions and leave the state as it is."""


def apply_feed_forward(state):
    """The feed-forward network: expand each row, apply GELU, project back."""
    draw_into(state, "W_1", "b_1", "W_2", "b_2")
    parameters, activations = state["parameters"], state["activations"]
    hidden = linear(activations["attention_output"], parameters["W_1"], parameters["b_1"])
    activated = [[gelu(h) for h in row] for row in hidden]
    activations["hidden"], activations["activated"] = hidden, activated
    activations["feed_forward_output"] = linear(activated, parameters["W_2"], parameters["b_2"])


def residual_and_layer_norm(state):
    """The residual connection, then layer normalisation: every row gets mean 0 and variance 1."""
    draw_into(state, "gamma", "beta")
    parameters, activations = state["parameters"], state["activations"]
    activations["residual"] = add(activations["attention_output"], activations["feed_forward_output"])
    activations["normed"] = layer_norm(activations["residual"], parameters["gamma"], parameters["beta"])


def logits_and_loss(state):
    """The logits, the probabilities of the next token, and the loss."""
    draw_into(state, "W_lm")
    activations, targets = state["activations"], state["targets"]
    logits = linear(activations["normed"], state["parameters"]["W_lm"])
    losses = token_losses(logits[: len(targets)], targets)
    activations["logits"], activations["probabilities"] = logits, [softmax(row) for row in logits]
    activations["losses"], activations["loss"] = losses, sum(losses, 0.0) / len(losses)


FROM_LOSS_TO_HIDDEN = {
    "gradients": ["W_lm", "gamma", "beta", "W_2", "b_2", "W_1", "b_1"],
    "activation_gradients": [
        "loss",
        "losses",
        "logits",
        "normed",
        "residual",
        "feed_forward_output",
        "activated",
        "hidden",
        "attention_output",
    ],
}
FROM_HEADS_TO_TABLES = {
    "gradients": ["W_O", "W_Q", "W_K", "W_V", "E_token", "E_pos"],
    "activation_gradients": ["concat", "heads", "weights", "scores", "Q", "K", "V", "X"],
}


def keep_gradients(state, names):
    """Some of the gradients of the loss."""
    found = toy_backward(state["parameters"], state["activations"], state["tokens"], state["targets"])
    for (section, wanted), gradients in zip(names.items(), found, strict=True):
        state.setdefault(section, {}).update({name: gradients[name] for name in wanted})


def backward_through_feed_forward(state):
    """The gradients from the loss back to the input of the feed-forward network."""
    keep_gradients(state, FROM_LOSS_TO_HIDDEN)


def backward_through_attention(state):
    """The gradients from there back to the two tables of embeddings."""
    keep_gradients(state, FROM_HEADS_TO_TABLES)


def adamw(state):
    """Every parameter moved once; the activations and gradients stay those of before the step."""
    parameters = state["parameters"]
    state["parameters"], state["optimizer"] = adamw_step(
        parameters, state["gradients"], adamw_init(parameters)
    )


def gpt2(state):
    """A GPT of two blocks with the toy network's sizes and words, before its first step."""
    P, D, H, F, vocab = (state["config"][name] for name in ("P", "D", "H", "F", "vocabulary"))
    state["gpt"] = untrained_gpt(vocab, gpt_config(vocab, P, D, 2, H, F))


def model_of_names(state):
    """A GPT of one block for the characters of names.txt, before its first step."""
    _, vocab, config = course_text()
    state["text"] = about_course_text()
    state["gpt"] = untrained_gpt(vocab, config)


def trained_on_names(state):
    """The same, trained for half a minute."""
    state["gpt"] = made_by("loop", "train_course_model")


def model_of_stories(state):
    """A GPT of two blocks for the words of the stories, before its first step."""
    state["stories"] = made_by("stories", "untrained_stories")


def trained_on_stories(state):
    """The same, trained for two minutes."""
    state["stories"] = made_by("stories", "train_stories_model")


class Lesson(NamedTuple):
    """A lesson: its name, the names it adds to each section of the state, the step that computes them.

    A shape stands here where it differs from the one in SHAPES: lesson 03 knows one head only. `after` is
    the lesson whose state it starts from, if that is not the one before it; `train`, what a step would
    take too long for.
    """

    name: str
    adds: dict
    step: Callable
    shapes: dict = {}
    after: str | None = None
    train: Callable | None = None


LESSONS = [
    Lesson("00_start_here", {"parameters": [], "activations": []}, start_here),
    Lesson(
        "01_tokens_and_embeddings",
        {"parameters": ["E_token", "E_pos"], "activations": ["X"]},
        tokens_and_embeddings,
    ),
    Lesson(
        "02_queries_keys_values",
        {"parameters": ["W_Q", "W_K", "W_V"], "activations": ["Q", "K", "V"]},
        queries_keys_values,
    ),
    Lesson(
        "03_attention",
        {"activations": ["scores", "weights", "heads"]},
        attention_of_head_0,
        {"scores": ("1", "T", "T"), "weights": ("1", "T", "T"), "heads": ("1", "T", "K")},
    ),
    Lesson(
        "04_multi_head_attention",
        {"parameters": ["W_O"], "activations": ["scores", "weights", "heads", "concat", "attention_output"]},
        join_heads,
    ),
    Lesson("05_gelu", {}, unchanged),
    Lesson(
        "06_feed_forward",
        {
            "parameters": ["W_1", "b_1", "W_2", "b_2"],
            "activations": ["hidden", "activated", "feed_forward_output"],
        },
        apply_feed_forward,
    ),
    Lesson(
        "07_residual_and_layer_norm",
        {"parameters": ["gamma", "beta"], "activations": ["residual", "normed"]},
        residual_and_layer_norm,
    ),
    Lesson(
        "08_logits_and_loss",
        {"parameters": ["W_lm"], "activations": ["logits", "probabilities", "losses", "loss"]},
        logits_and_loss,
    ),
    Lesson("09_backward_through_feed_forward", FROM_LOSS_TO_HIDDEN, backward_through_feed_forward),
    Lesson("10_backward_through_attention", FROM_HEADS_TO_TABLES, backward_through_attention),
    Lesson("11_adamw", {"optimizer": ["step", "m", "v"]}, adamw),
    Lesson("13_gpt2", {"gpt": GPT}, gpt2, after="10_backward_through_attention"),
    Lesson("14_training", {"text": TEXT, "gpt": GPT}, model_of_names, train=trained_on_names),
    Lesson("15_generation", {}, unchanged),
    Lesson("16_stories", {"stories": GPT}, model_of_stories, after="13_gpt2", train=trained_on_stories),
]


# Lessons that save no state, most of them side lessons: each starts from the state of the lesson named.
SIDE_LESSONS = {
    "06b_feed_forward_variants": "06_feed_forward",
    "07b_where_the_norm_goes": "07_residual_and_layer_norm",
    "09b_layer_norm_backward": "09_backward_through_feed_forward",
    "10b_bug_hunt": "10_backward_through_attention",
    "10c_a_gradient_check": "10_backward_through_attention",
    "11b_adamw_and_attention": "10_backward_through_attention",
    "12_autograd": "10_backward_through_attention",
    "12b_a_tape_over_lists": "10_backward_through_attention",
    "12c_forward_mode": "10_backward_through_attention",
    "13b_two_blocks": "13_gpt2",
    "13c_initial_weights_and_norms": "13_gpt2",
    "14b_where_text_comes_from": "13_gpt2",
    "14c_hyperparameters": "14_training",
    "15b_kv_cache": "14_training",
    "15c_memorization": "14_training",
    "16b_ablation": "16_stories",
    "17_byte_pair_encoding": "13_gpt2",
    "17b_what_tokenization_changes": "13_gpt2",
    "18_six_steps_to_llama": "13_gpt2",
    "18b_mixture_of_experts": "13_gpt2",
    "18c_comparing_models": "13_gpt2",
    "19_quantization": "14_training",
    "19b_mixed_precision": "13_gpt2",
    "19c_four_bit_formats": "14_training",
    "20_chat_model": "13_gpt2",
    "21_interpretability": "13_gpt2",
    "21b_activation_patching": "13_gpt2",
    "20b_vision_transformer": "13_gpt2",
    "22_fine_tuning_preferences_rewards": "14_training",
    "22b_rewards": "14_training",
    "22c_lora": "14_training",
    "03b_the_rest_of_the_model": "03_attention",
    "23_longer_and_faster": "14_training",
    "23b_positions_and_caches": "13_gpt2",
    "24_chain_of_thought_and_constrained_decoding": "13_gpt2",
    "24b_tools_and_retrieval": "13_gpt2",
    "25_the_whole_way": "13_gpt2",
}


def lesson_names():
    return [lesson.name for lesson in LESSONS]


def notebook_paths(folder):
    """The course's own notebooks in a folder, in order: a reader's copies and notes in the same folder are
    theirs."""
    paths = [folder / f"{name}.ipynb" for name in sorted([*lesson_names(), *SIDE_LESSONS])]
    return [path for path in paths if path.is_file()]


def starts_from(name):
    """The lesson whose state a notebook loads; None for the first."""
    return SIDE_LESSONS[name] if name in SIDE_LESSONS else previous_lesson(name)


def find(name):
    """The named lesson; ValueError, with the near matches, if there is none."""
    lessons = {lesson.name: lesson for lesson in LESSONS}
    if isinstance(name, str) and name in lessons:
        return lessons[name]
    asked = str(name)
    near = [known for known in lessons if asked and known.startswith(asked)]
    near = near or difflib.get_close_matches(asked, lessons, cutoff=0.4) or lessons
    raise ValueError(f"There is no lesson {asked!a:.60}; did you mean {' or '.join(near)}?")


def previous_lesson(name):
    """The name of the lesson whose state this one starts from; None for the first."""
    lesson, names = find(name), lesson_names()
    return lesson.after or (names[names.index(name) - 1] if name != names[0] else None)


def lessons_through(name):
    """The lessons from the first to the named one, each of which starts from the one before it."""
    lesson, before = find(name), previous_lesson(name)
    return [*(lessons_through(before) if before else []), lesson]


def shapes_after(name):
    """What the state holds after a lesson: section -> name -> shape in letters."""
    sections = {}
    for lesson in lessons_through(name):
        for section, names in lesson.adds.items():
            shapes = {name: lesson.shapes.get(name, SHAPES[section][name]) for name in names}
            sections.setdefault(section, {}).update(shapes)
    return sections


def is_trained(name):
    """Whether a lesson's state holds a model that took long to train."""
    return any(lesson.train for lesson in lessons_through(name))


def trained_sections(name):
    """The sections of a lesson's state that hold models that took long to train."""
    return [section for lesson in lessons_through(name) if lesson.train for section in lesson.adds]


def course_state(name, trained=False):
    """The course's own state after a lesson, recomputed from the seed; of what takes long, only the sizes
    unless trained."""
    state = {}
    for lesson in lessons_through(name):
        lesson.step(state)
        if trained and lesson.train:
            lesson.train(state)
    return state
