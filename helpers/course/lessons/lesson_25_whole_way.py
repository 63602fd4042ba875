"""Lesson 25: a chat model from text to text as one figure, each part with its lesson and the reader's
functions; and the reader's own model: the parts of its training that the page only calls.

mine is exercises.YourFunctions: the reader's functions that have passed, and the course's others.
"""

import math
import random
from datetime import datetime

from ...llama import llama_param_sizes
from ...matrices import transpose
from ...parameters import random_matrix, single_precision, tree_map
from ..engine import faster
from ..show.status import progress
from ..show.svg import ACCENT, FAINT, INK, PAPER, Figure, arrow, box, heading, label
from ..training.loop import SETTINGS
from ..training.own_model import save_model
from ..training.own_text import LIST
from .maps import badge

# (what happens, [(part, lesson, the functions that the reader writes for it)])
ROWS = [
    (
        "From text to vectors",
        [
            ("chat template", "20", ["my_template"]),
            ("byte pairs", "17", ["my_train_byte_pairs", "my_apply_merges"]),
            ("embedding", "01", ["my_embedding"]),
        ],
    ),
    (
        "A block, once for each layer",
        [
            ("RMSNorm", "18", ["my_rms_norm"]),
            ("Q, K, V", "02", ["my_linear"]),
            ("RoPE", "18", ["my_rope"]),
            ("KV cache", "20", ["my_cached_attention"]),
            ("attention", "03", ["my_softmax", "my_attention"]),
            ("heads", "04", ["my_merge_heads"]),
            ("residual", "07", ["my_residual"]),
            ("SwiGLU", "18", ["my_swiglu"]),
        ],
    ),
    (
        "From vectors to text, token by token",
        [
            ("logits", "13", ["my_logits"]),
            ("temperature", "15", ["my_temperature"]),
            ("top-p, min-p", "15", ["my_top_p", "my_min_p"]),
            ("sample", "15", ["my_sample"]),
            ("loop", "20", ["my_answer"]),
            ("decode", "17", []),
        ],
    ),
    (
        "Where its parameters come from",
        [
            ("loss", "08", ["my_token_loss"]),
            ("backward pass", "10", ["my_matmul_backward", "my_softmax_backward"]),
            ("AdamW", "11", ["my_adamw_step"]),
            ("pretraining", "14", ["my_batch_gradients"]),
            ("preferences", "22", ["my_dpo_loss"]),
            ("rewards", "22b", ["my_reinforce_weights"]),
            ("LoRA", "22c", ["my_lora_linear"]),
            ("4 bits", "19", ["my_round_groups", "my_q4_1"]),
        ],
    ),
]
WIDTH, GAP, HEIGHT, PITCH, LEFT = 106, 10, 62, 116, 14


def whole_way(written=()):
    """Draw a chat model from text to text; the functions whose names are in written are marked."""
    parts = [heading("A chat model from text to text; a number in a circle is a lesson")]
    lines, described = [], []
    for row, (title, steps) in enumerate(ROWS):
        top = 66 + row * PITCH
        parts.append(label(LEFT, top - 16, title, 12, "start", weight="bold"))
        lines.append(title)
        for i, (part, lesson, functions) in enumerate(steps):
            x = LEFT + i * (WIDTH + GAP)
            own = [name in written for name in functions]
            done = bool(own) and all(own)
            if i:
                parts.append(arrow(x - GAP, top + HEIGHT / 2, x - 1, top + HEIGHT / 2))
            parts.append(
                box(x, top, WIDTH, HEIGHT, "#fde8d0" if done else PAPER, ACCENT if any(own) else FAINT)
            )
            parts.append(label(x + 6, top + 21, part, 11, "start", weight="bold"))
            parts.append(badge(x + WIDTH - 13, top - 2, lesson, done))
            for j, (name, mine) in enumerate(zip(functions, own)):
                look = (ACCENT, "bold") if mine else (FAINT, "normal")
                parts.append(label(x + 6, top + 38 + 14 * j, short(name), 10, "start", *look))
            names = ", ".join(name + " (yours)" * mine for name, mine in zip(functions, own))
            lines.append(f"  {lesson:4} {part:14} {names}")
            described.append(f"{part} (lesson {lesson}: {names})")
    count = sum(name in written for name in all_functions())
    parts.append(
        label(
            LEFT,
            66 + len(ROWS) * PITCH - 24,
            f"{count} of {len(all_functions())} functions are yours.",
            11,
            "start",
            INK,
        )
    )
    alt = "A chat model from text to text: " + "; ".join(described) + "."
    return Figure(
        LEFT + 8 * (WIDTH + GAP) + 4, 66 + len(ROWS) * PITCH - 10, "".join(parts), alt, "\n".join(lines)
    )


def short(name):
    """The name as it fits into a box.

    >>> short("my_cached_attention"), short("my_rope")
    ('cached_attention', 'rope')
    """
    return name.removeprefix("my_")


def all_functions():
    """The functions of all parts."""
    return [name for _, steps in ROWS for _, _, functions in steps for name in functions]


def keep_model(name, text, config, vocab, merges, parameters, steps):
    """Keep a model under a name, so that `say` writes with it, `models` lists it and `export` gives it away.

    text is the name of the file that it was trained on; a model of that name is replaced.
    """
    losses = ("uniform", "bigrams", "counts", "training", "validation", "test")
    model = {
        "name": name,
        "kind": LIST,
        "unit": "pieces",
        "vocab": vocab,
        "merges": [list(pair) for pair in merges],
        "config": config,
        "parameters": parameters,
        "trained_on": {"name": text, "paths": [], "digest": "", "fingerprint": ""},
        "asked": {},
        "settings": dict(SETTINGS),
        "before": 0,
        "steps": steps,
        "when": f"in lesson 25, {datetime.now():%Y-%m-%d %H:%M}",
        "losses": dict.fromkeys(losses, math.nan),
        "counted": 1,
        "run": None,
        "best": None,
    }
    save_model(model)


# --- the small Llama of the first half


def on_one_line(text):
    """The text with a sign for each line break.

    >>> on_one_line("user\\nhi")
    'user⏎hi'
    """
    return text.replace("\n", "⏎")


def small_llama(vocab_size, rng):
    """(config, parameters by their names in a model's file) of a Llama of one block and width 4."""
    config = {
        "vocab_size": vocab_size,
        "n_embd": 4,
        "n_layer": 1,
        "n_head": 2,
        "n_kv_head": 1,
        "n_inner": 6,
        "rope_base": 100.0,
        "eps": 1e-5,
    }
    sizes = llama_param_sizes(config)
    return config, {
        name: random_matrix(rng, *size, 0.7) if len(size) == 2 else [1.0] * size[0]
        for name, size in sizes.items()
    }


# --- the stages of the reader's own model


def all_rows(tree):
    """The rows of all matrices, and the vectors, in order.

    >>> all_rows({"W": [[1], [2]], "b": [3]})
    [[1], [2], [3]]
    """
    return [row for entry in tree.values() for row in (entry if isinstance(entry[0], list) else [entry])]


def with_rows(tree, rows):
    """The same names and shapes with other rows.

    >>> with_rows({"W": [[1], [2]], "b": [3]}, [[4], [5], [6]])
    {'W': [[4], [5]], 'b': [6]}
    """
    rows = iter(rows)
    return tree_map(lambda _: next(rows), tree)


def train_stage(mine, parameters, gradients_of, steps, lr):
    """The parameters after some steps of lesson 14's loop, each rounded to 32 bits; gradients_of gives the
    gradients of a batch at some parameters."""
    rows = all_rows(parameters)
    m = v = [[0.0] * len(row) for row in rows]
    for step in progress(range(steps), "training"):
        gradients = mine.clip(all_rows(gradients_of(with_rows(parameters, rows))), 1.0)
        rate = mine.learning_rate(step, steps, lr, 10)
        updated = [
            mine.adamw_step(*row, step + 1, rate, 0.9, 0.99, 1e-8, 0.0) for row in zip(rows, gradients, m, v)
        ]
        rows, m, v = ([*part] for part in zip(*updated))
        rows = [single_precision(row) for row in rows]
    return with_rows(parameters, rows)


def loss_after_prompt(mine, config, parameters, prompt, answers):
    """The mean loss of all tokens of the answers, each after the same prompt."""
    losses = []
    for answer in answers:
        document = prompt + answer
        rows = mine.logits(config, parameters, document[:-1])
        losses += map(mine.token_loss, rows[len(prompt) - 1 :], document[len(prompt) :])
    return math.fsum(losses) / len(losses)


def step_with_cache(config, parameters):
    """The function step(token, cache) of a model, as my_answer calls it."""
    return lambda token, cache: faster()["decode_step"](config, parameters, token, cache)


def sample_answers(mine, config, parameters, prompt, end, n, seed):
    """n answers to the prompt, sampled with min-p 0.05; end is the token after the last one."""
    draw = random.Random(seed)

    def choose(logits):
        return mine.sample(mine.min_p(mine.softmax(logits), 0.05), draw.random())

    most = config["n_positions"] + 1 - len(prompt)
    return [mine.answer(step_with_cache(config, parameters), choose, prompt, most, end) for _ in range(n)]


def lora_gradients_from(mine, d, lora, names, c):
    """The gradients of A and B of each matrix, from the gradient of the corrected matrix alone.

    my_lora_gradients takes X and d_out. With the identity matrix as X, and the transposed gradient as d_out,
    it gives the same two gradients.
    """
    found = {}
    for name in names:
        identity = [[float(i == j) for j in range(len(d[name][0]))] for i in range(len(d[name][0]))]
        both = mine.lora_gradients(transpose(d[name]), identity, lora[name + ".A"], lora[name + ".B"], c)
        found[name + ".A"], found[name + ".B"] = both
    return found
