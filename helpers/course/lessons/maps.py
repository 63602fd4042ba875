"""Maps: the network of Part I, GPT-2 as Parts II and III use it, and the path of the lessons."""

from ..show.diagrams import plus_sign
from ..show.svg import ACCENT, FAINT, PAPER, Figure, arrow, box, heading, label, path
from ..state.registry import SIDE_LESSONS, lesson_names

# The network from left to right: lesson, what it does, what comes out, its shape, and the boxes that are
# drawn for it: columns of boxes, each as high as it has numbers.
STEPS = [
    ("", "", "tokens", "[5]", [[1]]),
    ("01", "embed", "X", "[5][16]", [[16]]),
    ("02", "project", "Q, K, V", "6 x [5][8]", [[8, 8], [8, 8], [8, 8]]),
    ("03", "attend", "heads", "2 x [5][8]", [[8, 8]]),
    ("04", "join", "attention", "[5][16]", [[16]]),
    ("06", "expand", "hidden", "[5][64]", [[64]]),
    ("05", "GELU", "activated", "[5][64]", [[64]]),
    ("06", "project back", "feed forward", "[5][16]", [[16]]),
    ("07", "add, norm", "normed", "[5][16]", [[16]]),
    ("08", "score", "probabilities", "[5][6]", [[6]]),
]
BACKWARD = [
    ("09", "backward pass of the feed-forward network", 384, 826),
    ("10", "backward pass of attention", 20, 364),
    ("11", "then update every weight", None, None),
]
# What these lessons of Part II do with this network: lesson, words, the backward passes that they mark.
BEYOND = {
    "12": ("the same gradients by automatic differentiation, number by number", ("09", "10")),
    "12b": ("the same gradients by automatic differentiation, matrix by matrix", ("09", "10")),
}
PITCH, MIDDLE, UNIT = 86, 148, 2.2  # from box to box, the axis, the height of one number


def network_map(lesson=""):
    """Draw the network that a lesson is about, with what the lesson adds marked.

    That is the network of Part I, or the model of a lesson from "13" on: GPT-2 as a residual stream.
    """
    return gpt_map(lesson) if lesson in MODELS else toy_map(lesson)


def toy_map(lesson):
    """Draw the network of Part I from left to right, with the steps of one lesson ("01" to "12b") marked."""
    parts = [heading("The network of Part I; a number in a circle is a lesson", 14)]
    lines = ["lesson  step          gives          shape"]
    for i, (number, step, name, size, blocks) in enumerate(STEPS):
        x, here = 20 + i * PITCH, number == lesson != ""
        if i:
            parts.append(arrow(x - PITCH + 36, MIDDLE, x - 4, MIDDLE, tint(here)))
            parts.append(badge(x - 27, MIDDLE - 26, number, here))
            parts += [
                label(x - 27, MIDDLE + 16 + 12 * line, word, 10, fill=tint(here))
                for line, word in enumerate(step.split(" "))
            ]
        parts.append(station(x, blocks, here))
        parts.append(label(x + 16, 240, name, 10, weight="bold" if here else "normal"))
        parts.append(label(x + 16, 254, size, 10, fill=FAINT))
        lines.append(f"{number:6}  {step:12}  {name:13}  {size:11}" + HERE * here)
    parts.append(residual_connection(20 + 4 * PITCH + 16, 20 + 8 * PITCH - 27))
    beyond, marked = BEYOND.get(lesson, ("", ()))
    for number, what, left, right in BACKWARD:
        here = number == lesson or number in marked
        if left is not None:
            parts.append(arrow(right, 286, left, 286, tint(here)))
        x, y = (300, 332) if left is None else ((left + right) / 2, 286)
        parts.append(badge(x if left is not None else x - 82, y, number, here))
        parts.append(label(x, y + (24 if left is not None else 4), what, 10, fill=tint(here)))
        lines.append(f"{number:6}  {what:40}" + HERE * (number == lesson))
    if beyond:
        parts += [badge(402, 332, lesson, True), label(420, 336, beyond, 10, "start", ACCENT)]
        lines.append(f"{lesson:6}  {beyond}" + HERE)
    known = {number for number, *_ in STEPS[1:] + BACKWARD} | BEYOND.keys()
    if lesson in known:
        parts.append(label(836, 22, f"you are here: lesson {lesson}", 12, "end", ACCENT, "bold"))
    alt = "The network of Part I as a chain: " + ", ".join(f"{name} {size}" for _, _, name, size, _ in STEPS)
    alt += "; then the backward pass and the update of the weights." + (
        f" You are here: lesson {lesson}." if lesson in known else ""
    )
    return Figure(852, 352, "".join(parts), alt, "\n".join(line.rstrip() for line in lines))


HERE = " <- you are here"


def tint(here):
    return ACCENT if here else FAINT


def station(x, columns, here):
    """The boxes for what one step gives, side by side and centred on the axis."""
    parts, wide, gap = [], (32 - 2 * (len(columns) - 1)) / len(columns), 6
    for i, blocks in enumerate(columns):
        y = MIDDLE - (sum(blocks) * UNIT + gap * (len(blocks) - 1)) / 2
        for block in blocks:
            look = ("#fde8d0", ACCENT, 2) if here else ("#dbe4ee", FAINT, 1)
            parts.append(box(x + i * (wide + 2), y, wide, block * UNIT, *look))
            y += block * UNIT + gap
    return "".join(parts)


def badge(x, y, number, here):
    """A lesson's number in a circle, filled when the reader is there."""
    fill, ink = (ACCENT, PAPER) if here else (PAPER, FAINT)
    circle = f'<circle cx="{round(x, 1)}" cy="{round(y, 1)}" r="11" fill="{fill}" stroke="{tint(here)}"/>'
    return circle + label(x, y + 4, number, 11, fill=ink, weight="bold")


def residual_connection(x1, x2):
    """The residual connection around the feed-forward network, from the attention output to the addition."""
    y = MIDDLE - 88
    line = path([(x1, MIDDLE - 20), (x1, y), (x2, y), (x2, MIDDLE - 40)], dashes="4 3")
    return line + label((x1 + x2) / 2, y - 6, "residual: the attention output, added back", 10, fill=FAINT)


# The models of Parts II and III: GPT-2's config, and how many tokens a lesson gives to it.
TOY_GPT = {"vocab_size": 6, "n_positions": 5, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_inner": 64}
CIRCLE_GPT = {"vocab_size": 5, "n_positions": 8, "n_embd": 16, "n_layer": 2, "n_head": 1, "n_inner": 16}
ELEMENTS_GPT = {"vocab_size": 27, "n_positions": 14, "n_embd": 16, "n_layer": 1, "n_head": 2, "n_inner": 64}
NAMES_GPT = {"vocab_size": 29, "n_positions": 13, "n_embd": 16, "n_layer": 1, "n_head": 2, "n_inner": 64}
STORIES_GPT = {"vocab_size": 40, "n_positions": 25, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_inner": 32}
EXPERTS_GPT = {**NAMES_GPT, "n_inner": 16, "n_expert": 4}
PIECES_GPT = {**NAMES_GPT, "vocab_size": 1259, "n_positions": 26}
COPYING = {"vocab_size": 8, "n_embd": 16, "n_layer": 2, "n_head": 2}  # it has no feed-forward network
SUMS_GPT = {"vocab_size": 14, "n_positions": 20, "n_embd": 16, "n_layer": 1, "n_head": 4, "n_inner": 32}
SMOLLM2 = {"vocab_size": 49152, "n_embd": 576, "n_layer": 30, "n_head": 9, "n_kv_head": 3, "n_inner": 1536}
MODELS = {
    "13": (TOY_GPT, 5),
    "13b": (CIRCLE_GPT, 8),
    "14": (NAMES_GPT, "T"),
    "14b": (ELEMENTS_GPT, "T"),
    "14c": (NAMES_GPT, "T"),
    "15": (NAMES_GPT, "T"),
    "15b": (NAMES_GPT, 1),
    "16": (STORIES_GPT, "T"),
    "16b": (STORIES_GPT, "T"),
    "17": (PIECES_GPT, "T"),
    "18": (NAMES_GPT, "T"),
    "18b": (EXPERTS_GPT, "T"),
    "19": (NAMES_GPT, "T"),
    "19b": (NAMES_GPT, "T"),
    "20": (SMOLLM2, 1),
    "21": (COPYING, "T"),
    "21b": (COPYING, "T"),
    "22": (NAMES_GPT, "T"),
    "22b": (NAMES_GPT, "T"),
    "23": (NAMES_GPT, "T"),
    "24": (SUMS_GPT, "T"),
}
LLAMAS = {"20"}
STORED = {"19"}  # their row of steps leads to a file
# What a lesson adds, and the parts of the picture that it marks.
ADDED = {
    "13": (
        "new in this lesson: a residual connection around attention, norms before both parts, one table",
        {"stream", "norm", "table", "blocks"},
    ),
    "13b": ("this lesson trains it with one block and with two", {"blocks", "attention"}),
    "14": ("this lesson trains it, here on the names: one turn of the loop is one step", {"strip"}),
    "14b": ("this lesson prepares the text that the model reads", {"strip", "tokens"}),
    "14c": ("this lesson changes the hyperparameters of training", {"strip"}),
    "15": ("this lesson chooses the next token, and so generates text", {"strip"}),
    "15b": ("this lesson keeps the keys and values of earlier tokens: the KV cache", {"cache", "tokens"}),
    "16": ("this lesson finds out what its heads look up", {"blocks", "attention"}),
    "16b": ("this lesson replaces the output of one head at a time", {"attention"}),
    "17": ("this lesson makes tokens of any text", {"strip", "tokens"}),
    "18": (
        "this lesson changes the norms, attention, the feed-forward network and the table",
        {"norm", "attention", "network", "table"},
    ),
    "18b": ("this lesson has four experts, and a router that chooses one for each token", {"network"}),
    "19": ("this lesson stores its parameters with fewer bits", {"strip"}),
    "19b": ("this lesson trains it with 16-bit floats", {"strip"}),
    "20": (
        "this lesson runs a published chat model, one token at a time",
        {"blocks", "attention", "norm", "table", "cache"},
    ),
    "21": (
        "this lesson looks into its heads and its residual stream; RoPE gives the positions",
        {"stream", "blocks", "attention"},
    ),
    "21b": ("this lesson replaces vectors by those of another run", {"stream", "blocks", "attention"}),
    "22": ("this lesson trains it on pairs of its own names", {"strip"}),
    "22b": ("this lesson trains it on rewards for its own names", {"strip"}),
    "23": (
        "this lesson computes attention in pieces, and checks several drafted tokens in one pass",
        {"attention", "strip"},
    ),
    "24": ("this lesson lets it write the steps of a sum, and masks its logits", {"strip"}),
}
# What leads back to the tokens, from right to left: (step, detail).
CHOICE = [
    ("last row of logits", "[29]"),
    ("temperature", "top-k, top-p, min-p"),
    ("sample", "one token"),
    ("append it", "until <EOS>"),
]
STRIPS = {
    "14": [
        ("loss", "of each next token"),
        ("gradients", "by the backward pass"),
        ("clip", "by the global norm"),
        ("AdamW", "updates all weights"),
        ("next batch", "4 names"),
    ],
    "14b": [
        ("files", "bytes to text"),
        ("lines", "normalized"),
        ("deduplicate", "one copy of each"),
        ("split", "then look for leaks"),
        ("encode", "characters to tokens"),
    ],
    "14c": [
        ("loss", "to compare runs"),
        ("gradients", "noise, accumulation"),
        ("clip", "max_norm"),
        ("AdamW", "lr, warm-up, decay"),
        ("next batch", "batch_size, steps"),
    ],
    "15": CHOICE,
    "15b": CHOICE,
    "17": [
        ("text", "in any script"),
        ("pieces", "words with their space"),
        ("bytes", "UTF-8"),
        ("merges", "lowest rank first"),
        ("ids", "of the tokens"),
    ],
    "19": [
        ("parameters", "64-bit floats"),
        ("groups", "a row, or a part"),
        ("scales", "one for each group"),
        ("codes", "8 to 2 bits"),
        ("a file", "header, then blocks"),
    ],
    "19b": [
        ("loss", "times the loss scale"),
        ("gradients", "in 16 bits"),
        ("divide", "by the loss scale"),
        ("AdamW", "master weights"),
        ("next batch", "weights in 16 bits"),
    ],
    "20": [
        ("logits of the token", "[49152]"),
        ("choose", "most likely, or sample"),
        ("append it", "until <|im_end|>"),
    ],
    "24": [
        ("logits of the token", "[14]"),
        ("mask", "what the form allows"),
        ("sample", "one token"),
        ("append it", "a step, then the sum"),
    ],
    "22": [
        ("pairs", "chosen, rejected"),
        ("log-probabilities", "new and reference"),
        ("loss", "of each margin"),
        ("gradients", "by the backward pass"),
        ("AdamW", "updates all weights"),
    ],
    "22b": [
        ("names", "16 that it writes"),
        ("rewards", "one for each"),
        ("advantages", "reward − mean"),
        ("gradients", "weighted losses"),
        ("AdamW", "updates all weights"),
    ],
    "23": [
        ("all rows of logits", "one for each draft"),
        ("accept or resample", "with p and q"),
        ("append them", "until <EOS>"),
        ("draft", "by counting"),
    ],
}


def gpt_map(lesson):
    """Draw the GPT-2 of one lesson ("13" to "15b"), with what the lesson adds marked."""
    config, T = MODELS[lesson]
    words, marked = ADDED[lesson]
    names = gpt_shapes(config, T)
    strip, foot = STRIPS.get(lesson, []), 306 if "cache" in marked else 262
    loops = lesson not in ("14b", "17", "19")  # a loop begins at the logits; text begins at files
    model = "A Llama" if lesson in LLAMAS else "GPT-2" if "n_inner" in config else "A model of attention only"
    title = f"{model} as a residual stream"
    parts = [heading(f"{title}; a number in a circle is a lesson", 14)]
    parts.append(label(816, 22, f"you are here: lesson {lesson}", 12, "end", ACCENT, "bold"))
    parts.append(gpt_stream(names, config["n_layer"], marked, foot))
    if strip:
        parts.append(leading_back(strip, foot + 46, tint("strip" in marked), loops, lesson in STORED))
    y = foot + (104 if strip else 32)
    parts += [badge(25, y - 4, lesson, True), label(44, y, words, 11, "start", ACCENT)]
    lines = gpt_lines(names, "cache" in marked)
    if strip:
        steps = [
            *["logits"] * loops,
            *(f"{step} ({detail})" for step, detail in strip),
            *["tokens"] * (lesson not in STORED),
        ]
        lines.append("\n    -> ".join(steps))
    alt = f"{title}. " + " ".join("; ".join(lines).split()).replace("->", "\u2192")
    alt += f". Lesson {lesson}: {words}. You are here: lesson {lesson}."
    text = "\n".join([title, *lines, f"{lesson}: {words}" + HERE])
    return Figure(832, y + 16, "".join(parts), alt, text)


def heads_in_words(H, G, T, D):
    """The heads of a block: the groups of a Llama, or the shape of a head's output."""
    if G:
        return f"RoPE; {H} Q, {G} KV"  # the box is 100 pixels wide
    return f"{H} heads [{T}][{D // H}]" if H > 1 else f"1 head [{T}][{D}]"


def gpt_shapes(config, T):
    """What the picture of a GPT-2 says of each part: its shape, for so many tokens, or its size."""
    V, D, H, L = (config[name] for name in ("vocab_size", "n_embd", "n_head", "n_layer"))
    F = config.get("n_inner")
    G, table = config.get("n_kv_head"), "E" if "n_kv_head" in config else "wte"
    N = config.get("n_expert")
    found = {
        "embed": table if G else "wte + wpe",
        "network": "SwiGLU" if G else f"1 of {N} experts" if N else "feed-forward",
        "depth": f"{L} blocks, one after the other" if L > 1 else "1 block",
        "tokens": f"[{T}]",
        "stream": f"[{T}][{D}]",
        "heads": heads_in_words(H, G, T, D),
        "widths": f"{D} \u2192 {F} \u2192 {D}",
        "logits": f"[{T}][{V}]",
        "table": f"one table {table} [{V}][{D}] at both ends",
        "cache": f"K and V: {G or H} x [S][{D // H}] each",
    }
    if F:
        return found
    own = {"embed": "E", "table": f"E [{V}][{D}] and an output matrix W_lm [{V}][{D}]"}
    return {name: text for name, text in (found | own).items() if name not in ("network", "widths")}


def gpt_lines(names, cached):
    """A GPT-2 in words, a line for each part."""
    cache = f", with the KV cache ({names['cache']})" * cached
    lines = [
        f"tokens {names['tokens']} -> embed, {names['embed']} {names['stream']}: the residual stream",
        f"{names['depth']}; each part of a block adds to the stream",
        f"    + attention(norm(stream)), {names['heads']}{cache}",
    ]
    if "network" in names:
        lines.append(f"    + {names['network']}(norm(stream)), {names['widths']}".replace("\u2192", "->"))
    return [*lines, f"-> norm {names['stream']} -> logits {names['logits']}; {names['table']}"]


# How far down the residual stream and its branches are; then, from left to right, the middles of the
# boxes on the stream, and for each branch: where it leaves, its norm, what it computes, where it is added.
STREAM, BRANCH = 120, 196
TOKENS_AT, EMBED_AT, LAST_NORM_AT, LOGITS_AT = 40, 126, 694, 780
BRANCHES = [(202, 246, 340, 406), (424, 470, 564, 630)]


def gpt_stream(names, layers, marked, foot):
    """The residual stream from the tokens to the logits, with its blocks down to the foot."""
    look = {
        part: tint(part in marked)
        for part in ("stream", "norm", "table", "blocks", "attention", "network", "tokens")
    }
    (_, _, attention, _), (_, _, feed_forward, _) = BRANCHES
    networks = [(names["network"], names["widths"], ["05", "06"])] if "network" in names else []
    frames = [(188 + 5 * i, 84 - 5 * i) for i in reversed(range(min(layers, 3)))]  # 30 are drawn as three
    parts = [box(x, y, 460, foot - 84, PAPER, look["blocks"]) for x, y in frames]
    tied = [(EMBED_AT, 100), (EMBED_AT, 52), (LOGITS_AT, 52), (LOGITS_AT, 94)]
    parts += [path(tied, look["table"], dashes="4 3")] * len(networks)
    parts.append(label((EMBED_AT + LOGITS_AT) / 2, 48, names["table"], 11, fill=look["table"], halo=True))
    parts.append(arrow(66, STREAM, 80, STREAM))
    parts.append(arrow(168, STREAM, 664, STREAM, look["stream"], 3))
    parts.append(arrow(720, STREAM, 740, STREAM))
    parts.append(label(210, STREAM - 12, f"residual stream {names['stream']}", 11, "start"))
    parts.append(label(640, foot - 8, names["depth"], 10, "end", look["blocks"]))
    for split, norm, work, plus in BRANCHES[: 1 + len(networks)]:
        parts.append(path([(split, STREAM), (split, BRANCH), (norm - 30, BRANCH)], look["stream"]))
        parts.append(arrow(norm + 26, BRANCH, work - 54, BRANCH))
        parts.append(path([(work + 50, BRANCH), (plus, BRANCH), (plus, STREAM + 13)], look["stream"]))
        parts.append(plus_sign(plus, STREAM, look["stream"]))
        parts.append(stage(norm, BRANCH, 52, "norm", names["stream"], ["07"], look["norm"]))
    parts += [
        stage(TOKENS_AT, STREAM, 52, "tokens", names["tokens"], [], look["tokens"]),
        stage(EMBED_AT, STREAM, 84, "embed", names["embed"], ["01"], look["table"]),
        stage(attention, BRANCH, 100, "attention", names["heads"], ["02", "03", "04"], look["attention"]),
        *(stage(feed_forward, BRANCH, 100, *network, look["network"]) for network in networks),
        stage(LAST_NORM_AT, STREAM, 52, "norm", names["stream"], ["07"]),
        stage(LOGITS_AT, STREAM, 72, "logits", names["logits"], ["08"], look["table"]),
    ]
    if "cache" in marked:
        parts.append(stage(attention, 274, 150, "KV cache", names["cache"], [], ACCENT))
        parts.append(arrow(attention - 44, 252, attention - 44, BRANCH + 22, ACCENT))
    return "".join(parts)


def stage(x, y, wide, name, detail, lessons=(), stroke=FAINT):
    """A box with a name and a shape, x and y its middle; the lessons that explain it stand below."""
    here = stroke == ACCENT
    parts = [box(x - wide / 2, y - 20, wide, 40, "#fde8d0" if here else "#eef2f6", stroke, 1 + here)]
    parts += [label(x, y - 3, name, 11, weight="bold"), label(x, y + 12, detail, 10)]
    left = x - 13 * (len(lessons) - 1)
    return "".join(parts + [badge(left + 26 * i, y + 36, number, False) for i, number in enumerate(lessons)])


def leading_back(steps, y, stroke, from_logits, stored=False):
    """A row of steps from right to left, from the logits or from nothing, up to the tokens; or, where the
    model is stored, from the block to the last step."""
    wide, pitch, first = 136, 154, 692
    middles = [first - pitch * i for i in range(len(steps))]
    down = [(LOGITS_AT, STREAM + 52), (LOGITS_AT, y), (first + wide / 2 + 4, y)]
    parts = [path(down, stroke)] if from_logits else []
    parts += [arrow(x - wide / 2, y, x - pitch + wide / 2 + 4, y, stroke) for x in middles[:-1]]
    if stored:
        parts.append(path([(620, y - 46), (620, y - 34), (first, y - 34), (first, y - 22)], stroke))
    else:
        parts.append(path([(middles[-1] - wide / 2, y), (TOKENS_AT, y), (TOKENS_AT, STREAM + 24)], stroke))
    return "".join(parts + [stage(x, y, wide, *step, stroke=stroke) for x, step in zip(middles, steps)])


# The lessons as they lie on the path: there (the network forward), and back; then Parts II and III. A lesson
# with a letter hangs below the one with its number; its name is that of its file, where SHORT has no
# shorter one.
THERE = [
    ("00", "start here"),
    ("01", "embeddings"),
    ("02", "queries and keys"),
    ("03", "attention"),
    ("04", "multi-head attention"),
    ("05", "GELU"),
    ("06", "feed-forward"),
    ("07", "layer norm"),
    ("08", "the loss"),
]
BACK = [("09", "backward: feed-forward"), ("10", "backward: attention"), ("11", "AdamW")]
ONWARD = [("12", "autograd"), ("13", "GPT-2"), ("14", "training"), ("15", "generation"), ("16", "stories")]
TODAY = [
    ("17", "byte pairs"),
    ("18", "Llama"),
    ("19", "quantization"),
    ("20", "a chat model"),
    ("21", "interpretability"),
    ("22", "preferences"),
    ("23", "longer, faster"),
    ("24", "steps, forms"),
    ("25", "the whole way"),
]
SHORT = {
    "03b": "a bridge",
    "06b": "variants",
    "07b": "order of the norm",
    "09b": "norm and GELU",
    "10b": "bug hunt",
    "10c": "gradient check",
    "11b": "which moment?",
    "12b": "a tape over lists",
    "13b": "two blocks",
    "13c": "weight sizes",
    "14b": "your own text",
    "14c": "hyperparameters",
    "15b": "KV cache",
    "17b": "languages, loss",
    "19c": "integers, formats",
    "20b": "vision transformer",
    "21b": "patching",
    "22c": "LoRA",
    "23b": "positions, caches",
    "24b": "tools, retrieval",
}
ORDER = "The feed-forward network (06) applies GELU (05) between its two layers, so lesson 05 comes first."


def side_lessons():
    """{number: [(number, name)]} of the lessons with a letter, under the lesson whose number they have."""
    found, on_the_path = {}, dict([*THERE, *BACK, *ONWARD, *TODAY])
    for file in sorted([*lesson_names(), *SIDE_LESSONS]):
        number, _, words = file.partition("_")
        if number not in on_the_path and number[:2] in on_the_path:
            found.setdefault(number[:2], []).append((number, SHORT.get(number, words.replace("_", " "))))
    return found


def course_figure():
    """Draw the lessons as a path: forward pass, backward pass and update, then Parts II and III."""
    step, there, back, onward, today = 91, 74, 188, 376, 534
    places = {number: (56 + step * i, there) for i, (number, _) in enumerate(THERE)}
    places |= {number: (56 + step * (7.4 - 2.7 * i), back) for i, (number, _) in enumerate(BACK)}
    places |= {number: (76 + step * 2 * i, onward) for i, (number, _) in enumerate(ONWARD)}
    places |= {number: (76 + 732 * i // (len(TODAY) - 1), today) for i, (number, _) in enumerate(TODAY)}
    sides = side_lessons()
    for main, beside in sides.items():
        x, y = places[main]
        right, down = (0, 50) if y == today else (108, 0)  # the lessons of Part III stand close together
        places |= {number: (x + right * i, y + 58 + down * i) for i, (number, _) in enumerate(beside)}
    parts = [heading("Part I: one training step, number by number", 14)]
    parts.append(heading("Part II: a language model, from training to generation", 14, onward - 42))
    parts.append(heading("Part III: the models of today", 14, today - 42))
    for row in THERE, ONWARD, TODAY:
        chain = [places[number] for number, _ in row]
        parts += [arrow(a + 14, y, b - 14, y) for (a, y), (b, _) in zip(chain, chain[1:])]
    turn, start = 56 + step * 8, places["11"][0]
    parts.append(
        path([(turn + 14, there), (turn + 44, there), (turn + 44, back), (places["09"][0] + 14, back)])
    )
    parts += [
        arrow(places[a][0] - 14, back, places[b][0] + 14, back) for a, b in (("09", "10"), ("10", "11"))
    ]
    parts.append(path([(start - 14, back), (56, back), (56, there + 34)], dashes="4 3"))
    parts.append(label(62, back - 10, "repeat with the updated weights", 10, "start", FAINT))
    for main, beside in sides.items():
        x, y = places[main]
        parts.append(path([(x, y + 28), (x, y + 44)], dashes="2 3", head=False))
        for side, below in (places[number] for number, _ in beside[1:]):
            corner = (x, y + 36) if side != x else (x, below - 22)
            parts.append(path([corner, (side, corner[1]), (side, below - 14)], dashes="2 3", head=False))
    last_row = [entry for beside in sides.values() for entry in beside]
    names = dict([*THERE, *BACK, *ONWARD, *TODAY, *last_row])
    for number, name in names.items():
        x, y = places[number]
        parts += [badge(x, y, number, False), label(x, y + 24, name, 10, fill=FAINT)]
    parts.append(label(14, 300, ORDER, 11, "start"))
    lines = [f"{number:4} {name}" for number, name in sorted(names.items())]
    rows = (THERE, BACK, ONWARD, TODAY, last_row)
    listed = [", ".join(f"{number} {name}" for number, name in row) for row in rows]
    alt = (
        f"The lessons as a path: forward pass {listed[0]}; backward pass and update {listed[1]}; Part II, a "
        f"language model: {listed[2]}; Part III, the models of today: {listed[3]}"
    )
    alt += f"; side lessons {listed[4]}. {ORDER}"
    high = max(y for _, y in places.values()) + 42
    return Figure(852, high, "".join(parts), alt, "\n".join(["The lessons", *lines, ORDER]))
