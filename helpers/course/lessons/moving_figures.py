"""Figures that move, each of one lesson: how a training, attention or a whole step changes the numbers."""

import re

from ...attention import softmax
from ...sampling import min_p, top_k, top_p
from ...toy import toy_forward
from ..show.attention_lines import lines_of_attention, numbered
from ..show.diagrams import graph
from ..show.display import pluralized
from ..show.player import moving, target
from ..show.plots import beside, curves, heat_map, stack
from ..show.svg import ACCENT, FAINT, MINUS, Figure, box, heading, label, path
from ..show.tokens import token_boxes, visible
from ..training.toy_task import VOCABULARY, encode_words

PREDICTED = ("first word", "second word", "third word", "end")


def training_in_steps(network, watched, history, words):
    """Lesson 00: what the network predicts after each word, and its losses, during the training.

    watched is [(step, parameters), ...] and history the losses before each step, as train_toy gives them.
    """
    read, steps, chances = ["<BOS>", *words], [], []
    tokens = encode_words(read)
    wanted = [*tokens[1:], VOCABULARY.index("<EOS>")]
    last = min(2, len(words) - 1)  # the third word, if there is one
    columns = zip(PREDICTED, zip(*history))
    lines = {name: [(i, round(loss, 2)) for i, loss in enumerate(losses)] for name, losses in columns}
    stops = {step: (k,) for k, (step, _) in enumerate(watched)}
    for step, parameters in watched:
        found = network(parameters, tokens)
        probabilities = heat_map(
            found,
            [f"after {' '.join(read[1 : i + 1]) or read[0]}" for i in range(len(read))],
            VOCABULARY,
            f"the probability of each next token after {step} training steps",
            decimals=2,
            full=1,
            mark=list(enumerate(wanted)),
        )
        at = min(step, len(history) - 1)
        look = {"cursor": at, "size": (540, 150), "stops": stops}
        loss = curves(lines, "mean losses of the six sentences", "training step", "loss", **look)
        losses = ", ".join(f"{name} {lines[name][at][1]:.2f}" for name in PREDICTED)
        said = f"After {step} training steps. Mean losses of the six sentences: {losses}."
        chance = f"{found[last][wanted[last]]:.2f}"
        read_so_far = " ".join(words[:last] or read[:1])
        said += f" In this sentence, after “{read_so_far}”, “{words[last]}” has the probability {chance}"
        said += f"; it was {chances[-1]}." if chances and chances[-1] != chance else "."
        chances.append(chance)
        steps.append((said, stack(probabilities, loss)))
    return moving(steps, {"training step": [step for step, _ in watched]}, pause=400)


def attention_in_steps(watched, words):
    """Lesson 03: to which words each position attends, in both heads, from step to step of the training."""
    tokens = encode_words(words)
    runs = [(step, toy_forward(parameters, tokens, tokens[1:])) for step, parameters in watched]
    read, steps = words[:-1], []
    for head in (0, 1):
        for position, word in enumerate(read):
            after, wanted = " ".join(words[1 : position + 1]) or words[0], words[position + 1]
            target_id = VOCABULARY.index(wanted)
            chances = [(step, round(run["probabilities"][position][target_id], 2)) for step, run in runs]
            at_end = runs[-1][1]["weights"][head][position][: position + 1]
            most = max(range(position + 1), key=at_end.__getitem__)
            grown = [(step, round(run["weights"][head][position][most], 2)) for step, run in runs]
            lines = {f"weight of {read[most]} ({most})": grown, f"probability of {wanted}": chances}
            stops = {step: (None, None, k) for k, (step, _) in enumerate(runs)}
            look = {"x_label": "training step", "size": (300, 90), "stops": stops} if len(runs) > 1 else {}
            for k, (step, run) in enumerate(runs):
                chance = chances[k][1]
                title = f"head {head} after {step} training steps, position {position}: {word}"
                said, drawn = lines_of_attention(run["weights"][head], read, position, title)
                said += f" After “{after}” the network gives “{wanted}” the probability {chance:.2f}."
                before = chances[max(0, k - 1)][1], grown[max(0, k - 1)][1]
                if before[0] != chance:
                    said = f"{said[:-1]}; it was {before[0]:.2f}."
                if before[1] != grown[k][1]:
                    said += f" The weight of {read[most]} ({most}) was {before[1]:.2f}."
                steps.append((said, stack(drawn, curves(lines, **look, cursor=step)) if look else drawn))
    choices = {"head": (0, 1), "position": numbered(read), "training step": [step for step, _ in watched]}
    start = (len(read) + 2) * len(runs)  # in head 1, position 2, which predicts the third word
    return moving(steps, choices, steps[start + len(runs) - 1][1], start, pause=400)


STATIONS = ["tokens", "X", "V", "Q K", "weights", "concat", "attention"]
STATIONS += ["hidden", "activated", "feed forward", "residual", "normed", "logits", "loss"]
FORWARD, BACKWARD = ("#1f66ac", "#dbe4ee"), (ACCENT, "#fde8d0")  # the edge and the tint of a station


def forward_and_back(parameters, activations, gradients, activation_gradients, words, targets):
    """Lesson 10: one forward and one backward pass of the network of Part I, with its numbers."""
    a, d, g, n = activations, activation_gradients, gradients, len(targets)
    positions = [str(t) for t in range(len(words))]

    def of(values, name, decimals, columns=None, head=None, full=None):
        """One activation or gradient as a heat map; of one head, if it is given."""
        matrix = values[name] if head is None else values[name][head]
        wide = len(matrix[0]) > 16
        title = "d_" * (values is d) + name + ("" if head is None else f" of head {head}")
        return heat_map(matrix, words, columns, title, decimals, numbers=not wide, full=full)

    def losses(values, name, decimals):
        wanted = [f"{word}: {VOCABULARY[t]}" for word, t in zip(words, targets)]
        return heat_map(
            [values["losses"]], [name], wanted, f"{name}, after each word for its target", decimals
        )

    def both(values, name, decimals):
        """Of all heads, in the same colours."""
        full = max(abs(x) for matrix in values[name] for row in matrix for x in row)
        return beside(*(of(values, name, decimals, positions, h, full) for h in range(len(values[name]))))

    ids = heat_map([encode_words(words)], ["id"], words, "the ids of the tokens", 0, full=1e9)
    ids.caption = ""  # an id is no amount: it has no colour
    forward = [
        ("five tokens enter", "01", [ids]),
        ("X = E_token[token] + E_pos[position]", "01", [of(a, "X", 2)]),
        ("V = X·W_Vᵀ in each head (head 0 is shown)", "02", [of(a, "V", 3, head=0)]),
        (
            "Q = X·W_Qᵀ and K = X·W_Kᵀ in each head (head 0 is shown)",
            "02",
            [of(a, "Q", 3, head=0), of(a, "K", 3, head=0)],
        ),
        ("weights = softmax(Q·Kᵀ / √8 + mask) in each head", "03", [both(a, "weights", 3)]),
        ("concat = weights·V of both heads, side by side", "04", [of(a, "concat", 3)]),
        ("attention_output = concat·W_Oᵀ", "04", [of(a, "attention_output", 3)]),
        ("hidden = attention_output·W_1ᵀ + b_1", "06", [of(a, "hidden", 3)]),
        ("activated = gelu(hidden)", "05", [of(a, "activated", 3)]),
        ("feed_forward_output = activated·W_2ᵀ + b_2", "06", [of(a, "feed_forward_output", 3)]),
        ("residual = attention_output + feed_forward_output", "07", [of(a, "residual", 3)]),
        ("normed = layer_norm(residual)", "07", [of(a, "normed", 2)]),
        (
            "logits = normed·W_lmᵀ; softmax gives the probabilities",
            "08",
            [of(a, "logits", 3, VOCABULARY), of(a, "probabilities", 3, VOCABULARY)],
        ),
        (f"loss = mean of −ln(probability of the target) = {a['loss']:.4f}", "08", [losses(a, "losses", 3)]),
    ]
    backward = [
        (f"d_losses = 1/{n} each: the loss is their mean", "09", [losses(d, "d_losses", 2)]),
        (f"d_logits = (probabilities − 1 at the target) / {n}", "09", [of(d, "logits", 3, VOCABULARY)]),
        ("d_normed = d_logits·W_lm", "09", [of(d, "normed", 3)]),
        ("d_residual = layer_norm_backward(d_normed)", "09", [of(d, "residual", 3)]),
        (
            "d_feed_forward_output = d_residual: a sum passes it to both terms",
            "09",
            [of(d, "feed_forward_output", 3)],
        ),
        ("d_activated = d_feed_forward_output·W_2", "09", [of(d, "activated", 4)]),
        ("d_hidden = d_activated · the derivative of gelu at hidden", "09", [of(d, "hidden", 4)]),
        (
            "d_attention_output = d_residual + d_hidden·W_1: two paths meet",
            "10",
            [of(d, "attention_output", 3)],
        ),
        ("d_concat = d_attention_output·W_O", "10", [of(d, "concat", 3)]),
        (
            "d_weights = d_head·Vᵀ (d_head: a head's columns of d_concat); softmax_backward gives d_scores",
            "10",
            [both(d, "weights", 4), both(d, "scores", 4)],
        ),
        (
            "d_Q = d_scores·K / √8 and d_K = d_scoresᵀ·Q / √8",
            "10",
            [of(d, "Q", 5, head=0), of(d, "K", 5, head=0)],
        ),
        ("d_V = weightsᵀ·d_head", "10", [of(d, "V", 3, head=0)]),
        ("d_X = the sum over Q, K and V of both heads", "10", [of(d, "X", 3)]),
        (
            "d_E_token: each token gets the row of its position; d_E_pos = d_X",
            "10",
            [heat_map(g["E_token"], VOCABULARY, None, "d_E_token", 3)],
        ),
    ]
    with_parameters = {
        2: "W_lm",
        3: "gamma and beta",
        5: "W_2 and b_2",
        7: "W_1 and b_1",
        8: "W_O",
        12: "W_Q, W_K and W_V",
    }
    count, steps = len(STATIONS), []
    largest = [max(values_of(figure)[1] for figure in figures) for _, _, figures in forward + backward]
    largest[0] = None  # an id is no amount
    for i, (formula, lesson, figures) in enumerate(forward + backward):
        back = i >= count
        at = 2 * count - 1 - i if back else i
        way = "Backward" if back else "Forward"
        named = with_parameters.get(i - count)  # of the backward pass
        more = f" Gradients of {named} are computed here." if named else ""
        ranges = "; ".join(values_of(figure, len(figures) > 1)[0] for figure in figures)
        if i == count + 1 and words[n:]:
            more += f" The row of {words[-1]} is 0, because it has no target."
        sizes = largest[: count - 1 : -1] if back else largest[:count]
        strip = station_strip(at, back, f"{formula}    (lesson {lesson})", sizes)
        strip.left = max(figure.left for figure in figures)  # so that it begins at the edge
        said = f"{way}, {STATIONS[at]}, lesson {lesson}: {formula}. Values {ranges}.{more}"
        steps.append((said, stack(strip, *figures)))
    names = [
        f"{'backward' if i >= count else 'forward'}: {STATIONS[2 * count - 1 - i if i >= count else i]}"
        for i in range(2 * count)
    ]
    still = stack(steps[count - 1][1], steps[count][1])  # the last of one pass, the first of the other
    return moving(steps, {"step": names}, still, pause=1600)


def values_of(figure, named=False):
    """From the lowest to the highest number of the heat maps in a figure, as their alternative texts say, and
    the largest number in size."""
    lows, highs = zip(*re.findall(r"values from (\S+) to (-?[\d.]*\d)", figure.alt))
    names = re.findall(r"Heat map: (.*?)[:.] ", figure.alt)
    name = names[0] if len(names) == 1 else names[0].partition(" of head")[0]
    low, high = min(lows, key=float), max(highs, key=float)
    words = f"{f'of {name} ' * named}from {low} to {high}".replace("-", MINUS)
    return words, max(abs(float(low)), abs(float(high)))


def station_strip(at, back, formula, sizes):
    """The stations of the network, one of them highlighted, and its formula; sizes is the largest number in
    size at each."""
    half, wide, high, rows = len(STATIONS) // 2, 74, 34, (48, 114)
    edge_and_tint, parts = BACKWARD if back else FORWARD, []

    def middle(name):
        i = STATIONS.index(name)
        return 12 + wide * (i % half) + (wide - 10) / 2

    def link(*points):
        parts.append(path(points[::-1] if back else points, thickness=1))

    for i, name in enumerate(STATIONS):
        x, y = 12 + wide * (i % half), rows[i // half]
        edge, tint = edge_and_tint if i == at else (FAINT, "#eef2f6")
        parts.append(box(x, y, wide - 10, high, tint, edge, 3 if i == at else 1))
        parts.append(label(x + (wide - 10) / 2, y + 14, name.replace("feed forward", "feed-fwd."), 10))
        if sizes[i] is not None:
            parts.append(label(x + (wide - 10) / 2, y + 28, f"{sizes[i]:g}", 10))
        if i % half and name != "Q K":  # Q and K come from X, as V does
            link((x - 9, y + 17), (x - 1, y + 17))
        parts.append(target(x, y, wide - 10, high, 2 * len(STATIONS) - 1 - i if back else i, press=True))
    up, down = rows[0] - 12, rows[0] + high
    link((middle("X"), rows[0]), (middle("X"), up), (middle("Q K"), up), (middle("Q K"), rows[0] - 1))
    V, concat, attention = middle("V"), middle("concat"), middle("attention")
    link((V, down), (V, down + 9), (concat, down + 9), (concat, down + 1))
    for name in ("residual", "hidden"):  # both use the output of attention
        x = middle(name)
        link((attention, down), (attention, down + 20), (x, down + 20), (x, rows[1] - 1))
    parts.append(label(12, 174, formula, 13, "start", BACKWARD[0] if back else FORWARD[0], "bold"))
    kind = "gradient" if back else "activation"
    parts.append(label(12, 194, f"in a box: the largest {kind} there, in size", 10, "start", FAINT))
    title = f"{'the backward' if back else 'the forward'} pass at {STATIONS[at]}"
    alt = f"The stations {', '.join(STATIONS)}: {title}. Hidden and residual both use attention; V and Q K "
    alt += f"both use X; concat uses weights and V. {formula}."
    width = max(12 + wide * half, 24 + round(8.5 * len(formula)))
    return Figure(width, 200, heading(title) + "".join(parts), alt, f"{title}\n{formula}")


def merges_in_steps(text, pieces, merges, merge_pair):
    """Lesson 17: the tokens of a text, from merge to merge, as far as a merge joins something in it."""
    words = [tuple(bytes([byte]) for byte in piece.encode("utf-8")) for piece in pieces(text)]
    count = sum(map(len, words))
    steps, numbers = [(f"No merge yet: {count} bytes, each a token.", tokens_after(0, words))], [0]
    for number, pair in enumerate(merges, 1):
        joined = [merge_pair(word, pair) for word in words]
        if joined != words:
            words, numbers = joined, [*numbers, number]
            first, second = map(visible, pair)
            said = f"Merges {numbers[-2] + 1} to {number - 1} join nothing here. " * (
                number - numbers[-2] > 2
            )
            said += f"Merge {number} joins {first} and {second}: {sum(map(len, words))} tokens."
            steps.append((said, tokens_after(number, words, pair)))
    if numbers[-1] < len(merges):
        said = f"Merges {numbers[-1] + 1} to {len(merges)} join nothing more here."
        steps.append((said, tokens_after(len(merges), words)))
        numbers.append(len(merges))
    return moving(steps, {"merges": numbers}, pause=900)


def tokens_after(number, words, pair=()):
    """The tokens of all words in a row; what the last merge made has a thick edge."""
    title = f"after {pluralized(number, 'merge')}" + f": {' + '.join(map(visible, pair))}" * bool(pair)
    tokens = {"": [token for word in words for token in word]}
    numbers = [i for i, word in enumerate(words) for _ in word]
    return token_boxes(tokens, title, new=b"".join(pair), words=numbers)


def graph_of_values(named, gradients=None, title="", used=None):
    """Lesson 12: a graph of values; on each arrow stands the local derivative. named is {name: value}.

    A value has data, and inputs: pairs of a value and a local derivative. gradients is {name: number}.
    used is the arrow that is drawn thick, (from, to).
    """
    names = {value: name for name, value in named.items()}
    edges = [
        (names[start], name, " + ".join(f"{d:.0f}" for x, d in value.inputs if x is start))
        for name, value in named.items()
        for start in dict.fromkeys(x for x, _ in value.inputs)
    ]
    nodes = {name: (value.data, (gradients or {}).get(name)) for name, value in named.items()}
    return graph(nodes, edges, title, decimals=0, used=used)


def graph_in_steps(named, order, title=""):
    """Lesson 12: the backward pass through a graph of values, input after input.

    named is {name: value}, as in graph_of_values, and order the names as the backward pass takes them.
    """
    names = {value: name for name, value in named.items()}
    gradients, steps = dict.fromkeys(named), []

    def step(words, used=None):
        steps.append((words, graph_of_values(named, gradients, title or words.partition(":")[0], used)))

    step(
        "Forward: " + ", ".join(f"{name} = {v.data:.0f}" for name, v in named.items()) + ". No gradient yet."
    )
    gradients[order[0]] = 1.0
    step(f"The result {order[0]}: its gradient is 1.")
    for name in order:
        inputs = [names[x] for x, _ in named[name].inputs]
        for i, (x, derivative) in enumerate(named[name].inputs):
            to, before, uses = names[x], gradients[names[x]] or 0.0, inputs.count(names[x])
            which = f" (use {inputs[: i + 1].count(to)} of {uses})" * (uses > 1)
            gradients[to] = before + derivative * gradients[name]
            added = derivative * gradients[name]
            total = f"{before:.0f} + {added:.0f} = {gradients[to]:.0f}" if before else f"{added:.0f}"
            step(
                f"From {name} to {to}{which}: local derivative {derivative:.0f} times gradient "
                f"{gradients[name]:.0f} is {added:.0f}; d_{to} = {total}.",
                (to, name),
            )
    return moving(steps, pause=1500)


def sampling_in_steps(logits, vocab, temperatures=(0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)):
    """Lesson 15: the distribution of the next token under a rule and a temperature, as bars.

    logits is {name of a text: its last logits}.
    """
    rules = {
        "all tokens": lambda p: p,
        "top-k, k = 5": lambda p: top_k(p, min(5, len(p))),
        "top-p, p = 0.8": lambda p: top_p(p, 0.8),
        "min-p, p = 0.2": lambda p: min_p(p, 0.2),
    }
    steps = []
    for text, scores in logits.items():
        ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
        for name, rule in rules.items():
            for temperature in temperatures:
                before = softmax([x / temperature for x in scores])
                found = rule(before)
                kept = [i for i in ranked if found[i]]
                title = f"{text}: {name}, temperature {temperature:g}: "
                title += f"{len(kept)} of {pluralized(len(scores), 'token')}"
                words = f"{title} can be drawn. "
                words += ", ".join(f"{vocab[i]} {found[i]:.2f}" for i in kept[:5]) + "."
                shares = [(vocab[i], found[i], before[i]) for i in ranked]
                steps.append((words, bars(shares, title, words)))
    choices = {"text": logits, "rule": rules, "temperature": [f"{t:g}" for t in temperatures]}
    start = temperatures.index(1.0)
    return moving(steps, choices, steps[start][1], start, pause=900)


def bars(shares, title, words):
    """Probabilities as horizontal bars; shares is [(name, share, share before the rule), ...]. A share of 0
    has the pale bar of the share before."""
    left, pitch, wide = 30 + 8 * max(len(name) for name, *_ in shares), 15, 420
    parts = [heading(title)]
    for i, (name, share, before) in enumerate(shares):
        y, long = 36 + pitch * i, max(1, wide * round(share or before, 2))
        parts.append(label(left - 8, y + 11, name, 11, "end", *(() if share else (FAINT,))))
        parts.append(box(left, y, long, pitch - 2, ACCENT if share else "#e3e7eb"))
        parts.append(label(left + long + 6, y + 11, f"{share:.2f}" if share else "dropped", 10, "start"))
    names = ", ".join(name for name, *_ in shares)
    alt = f"Bars: the probabilities of {names}. {words}"
    return Figure(left + wide + 60, 42 + pitch * len(shares), "".join(parts), alt, words)


def cache_in_steps(words, products, width):
    """Lesson 15b: the KV cache, which grows by a row of K and a row of V with each token.

    products(t, cached) counts the multiplications of a block for token t, with and without a cache.
    """
    counts = {
        name: [(t, products(t, cached)) for t in range(1, len(words) + 1)]
        for name, cached in (("with the cache", True), ("without the cache", False))
    }
    most, steps = len(words), []
    for t in range(1, most + 1):
        title, (one, other) = f"token {t}: {words[t - 1]}", (line[t - 1][1] for line in counts.values())
        said = (
            f"Token {t}, “{words[t - 1]}”: with the cache one row of K and one of V are computed and {t - 1} "
        )
        said += (
            f"kept; without it {pluralized(t, 'row')} of each. Multiplications in the whole block for this "
        )
        said += f"token: {one:,} with the cache, {other:,} without it."
        parts, pair = [heading(title)], 2 * 10 * width + 16
        for x, name, first in ((70, "with the cache", t - 1), (70 + pair + 40, "without the cache", 0)):
            parts.append(label(x, 46, f"K and V {name}", 11, "start", weight="bold"))
            for i in range(t):
                look = ("#fde8d0", ACCENT) if i >= first else ("#dbe4ee", FAINT)
                for j in range(2 * width):
                    parts.append(box(x + 10 * j + 16 * (j >= width), 54 + 18 * i, 9, 15, *look))
        parts += [label(62, 66 + 18 * i, word, 11, "end") for i, word in enumerate(words[:t])]
        foot = "of one head; orange: computed for this token; blue: kept"
        parts.append(label(70, 70 + 18 * most, foot, 11, "start"))
        wide = 70 + 2 * pair + 60
        drawn = Figure(wide, 80 + 18 * most, "".join(parts), f"The KV cache. {said} {foot}.", said, left=70)
        look = {"x_label": "token", "cursor": t, "size": (300, 90)}
        look["stops"] = {k + 1: (k,) for k in range(most)}
        if most > 1:
            drawn = stack(drawn, curves(counts, "multiplications in the block for one token", **look))
        steps.append((said, drawn))
    return moving(steps, {"token": [f"{t}: {word}" for t, word in enumerate(words, 1)]}, pause=900)
