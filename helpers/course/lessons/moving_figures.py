"""Figures that move, each of one lesson: how a training, attention or a whole step changes the numbers."""

from ...toy import toy_forward
from ..show.display import pluralized
from ..show.player import moving, target
from ..show.plots import beside, curves, heat_map, stack
from ..show.svg import ACCENT, FAINT, INK, Figure, arrow, box, heading, label, path, signed
from ..show.tokens import token_boxes, visible
from ..training.toy_task import VOCABULARY, encode_words

PREDICTED = ("first word", "second word", "third word", "end")


def training_in_steps(network, watched, history, words):
    """Lesson 00: what the network predicts after each word, and its losses, during the training.

    watched is [(step, parameters), ...] and history the losses before each step, as train_toy gives them.
    """
    read, steps = ["<BOS>", *words], []
    tokens = encode_words(read)
    wanted = [*tokens[1:], VOCABULARY.index("<EOS>")]
    lines = {
        name: [(step, round(losses[i], 2)) for step, losses in enumerate(history)]
        for i, name in enumerate(PREDICTED)
    }
    for step, parameters in watched:
        found = network(parameters, tokens)
        probabilities = heat_map(
            found,
            [f"after {word}" for word in read],
            VOCABULARY,
            f"the probability of each next token after {step} training steps",
            decimals=2,
            full=1,
            mark=list(enumerate(wanted)),
        )
        at = min(step, len(history) - 1)
        loss = curves(lines, "losses", "training step", "loss", cursor=at, size=(540, 150))
        losses = ", ".join(f"{name} {lines[name][at][1]:.2f}" for name in PREDICTED)
        said = f"After {step} training steps. Losses: {losses}. After “{' '.join(words[:2])}”"
        said += f" the network gives “{words[2]}” the probability {found[2][wanted[2]]:.2f}."
        steps.append((said, stack(probabilities, loss)))
    return moving(steps, {"training step": [step for step, _ in watched]}, pause=400)


def attention_in_steps(watched, words):
    """Lesson 03: to which words each position attends, in both heads, from step to step of the training."""
    tokens = encode_words(words)
    runs = [(step, toy_forward(parameters, tokens, tokens[1:])) for step, parameters in watched]
    steps = [
        attention_at(run["weights"][head], words, position, head, step, run["probabilities"][position])
        for head in (0, 1)
        for position in range(len(words) - 1)
        for step, run in runs
    ]
    chosen = [f"{position}: {word}" for position, word in enumerate(words[:-1])]
    return moving(
        steps, {"head": (0, 1), "position": chosen, "training step": [step for step, _ in watched]}, pause=400
    )


def attention_at(weights, words, position, head, step, probabilities):
    """(words, figure) of the attention of one position."""
    wide = 8 * max(map(len, words))
    left, right, pitch, top = 24 + wide, 264 + wide, 34, 76
    parts = [
        label(12, 46, "this position", 11, "start", FAINT),
        label(right, 46, "attends to", 11, "start", FAINT),
    ]
    for i, word in enumerate(words[:-1]):
        y = top + pitch * i
        here = i == position
        parts.append(
            label(left - 8, y + 4, word, 12, "end", ACCENT if here else INK, "bold" if here else "normal")
        )
        parts.append(label(right, y + 4, word, 12, "start"))
        parts.append(target(12, y - pitch / 2, left - 12, pitch, None, i))
        weight = round(weights[position][i], 2)
        parts.append(label(right + wide + 44, y + 4, signed(weight, 2) if i <= position else "", 12, "end"))
        for j in range(i + 1):
            shown = round(weights[i][j], 2)
            look = (ACCENT, 0.5 + 8 * shown) if here else ("#c5ccd3", 0.5 + 3 * shown)
            parts.append(path([(left, y), (right - 8, top + pitch * j)], *look, head=False))
    after = " ".join(words[1 : position + 1]) or words[0]
    wanted = probabilities[VOCABULARY.index(words[position + 1])]
    foot = f"After “{after}” the network gives “{words[position + 1]}” the probability {wanted:.2f}."
    parts.append(label(12, top + pitch * (len(words) - 1) + 6, foot, 12, "start"))
    title = f"head {head} after {step} training steps, position {position}: {words[position]}"
    shares = ", ".join(f"{weights[position][j]:.2f} to {words[j]}" for j in range(position + 1))
    said = (
        f"Head {head} after {step} steps: {words[position]} at position {position} attends {shares}. {foot}"
    )
    alt = f"Lines of attention from each word, this position, to itself and the words before: {title}. {said}"
    width = max(right + wide + 60, 24 + 9 * len(title), 24 + 7 * len(foot))
    figure = Figure(width, top + pitch * (len(words) - 1) + 20, heading(title) + "".join(parts), alt, said)
    return said, figure


STATIONS = (
    "tokens,X,Q K V,weights,concat,attention,hidden,activated,feed forward,residual,normed,logits,loss".split(
        ","
    )
)
FORWARD, BACKWARD = ("#1f66ac", "#dbe4ee"), (ACCENT, "#fde8d0")  # the edge and the tint of a station


def forward_and_back(parameters, activations, gradients, activation_gradients, words, targets):
    """Lesson 10: one forward and one backward pass of the network of Part I, with its numbers."""
    a, d, g, n = activations, activation_gradients, gradients, len(targets)
    positions = [str(t) for t in range(len(words))]

    def of(values, name, decimals, columns=None, label="", head=None):
        """One activation or gradient as a heat map; of one head, if it is given."""
        matrix = values[name] if head is None else values[name][head]
        wide = len(matrix[0]) > 16
        title = (label or ("d_" if values is d else "") + name) + ("" if head is None else f" of head {head}")
        return heat_map(matrix, words, columns, title, decimals, numbers=not wide)

    def losses(values, name, decimals):
        wanted = [f"{word}: {VOCABULARY[t]}" for word, t in zip(words, targets)]
        return heat_map(
            [values["losses"]], [name], wanted, f"{name}, after each word for its target", decimals
        )

    def both(values, name, decimals, **more):
        return beside(
            *(of(values, name, decimals, positions, head=h, **more) for h in range(len(values[name])))
        )

    forward = [
        (
            "five tokens enter",
            "01",
            [heat_map([encode_words(words)], ["id"], words, "the ids of the tokens", 0)],
        ),
        ("X = E_token[token] + E_pos[position]", "01", [of(a, "X", 2)]),
        (
            "Q = X·W_Qᵀ, K = X·W_Kᵀ, V = X·W_Vᵀ in each head",
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
            [of(a, "probabilities", 3, VOCABULARY)],
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
            "d_weights = d_head·Vᵀ; softmax_backward gives d_scores",
            "10",
            [both(d, "weights", 4), both(d, "scores", 4)],
        ),
        (
            "d_Q = d_scores·K / √8, d_K = d_scoresᵀ·Q / √8, d_V = weightsᵀ·d_head",
            "10",
            [of(d, "Q", 5, head=0)],
        ),
        ("d_X = the sum over Q, K and V of both heads", "10", [of(d, "X", 4)]),
        (
            "d_E_token: each token gets the row of its position",
            "10",
            [heat_map(g["E_token"], VOCABULARY, None, "d_E_token", 4)],
        ),
    ]
    with_parameters = {
        2: "W_lm",
        3: "gamma and beta",
        5: "W_2 and b_2",
        7: "W_1 and b_1",
        8: "W_O",
        11: "W_Q, W_K and W_V",
    }
    count, steps = len(STATIONS), []
    for i, (formula, lesson, figures) in enumerate(forward + backward):
        back = i >= count
        at = 2 * count - 1 - i if back else i
        way = "Backward" if back else "Forward"
        more = (
            f" Gradients of {with_parameters[i - count]} are computed here."
            if back and i - count in with_parameters
            else ""
        )
        strip = station_strip(at, back, f"{formula}    (lesson {lesson})")
        strip.left = max(figure.left for figure in figures)  # so that it begins at the edge
        shown = stack(strip, *figures)
        largest = "; ".join(figure.alt.split("; ")[-1].split(", and")[0].rstrip(".") for figure in figures)
        said = f"{way}, {STATIONS[at]}, lesson {lesson}: {formula}. {largest[0].upper()}{largest[1:]}.{more}"
        steps.append((said, shown))
    names = [
        f"{'backward' if i >= count else 'forward'}: {STATIONS[2 * count - 1 - i if i >= count else i]}"
        for i in range(2 * count)
    ]
    still = stack(steps[count - 2][1], steps[count + 1][1])  # the same station on both passes
    return moving(steps, {"step": names}, still, pause=1600)


def station_strip(at, back, formula):
    """The stations of the network in a line, one of them highlighted, and its formula."""
    wide, edge_and_tint, parts = 69, BACKWARD if back else FORWARD, []
    for i, name in enumerate(STATIONS):
        edge, tint = edge_and_tint if i == at else (FAINT, "#eef2f6")
        x = 12 + i * wide
        parts.append(box(x, 34, wide - 9, 24, tint, edge, 2 if i == at else 1))
        parts.append(label(x + (wide - 9) / 2, 50, name.replace("feed forward", "feed-fwd."), 10))
        if i:
            ends = (x - 1, x - 8) if back else (x - 8, x - 1)
            parts.append(arrow(ends[0], 46, ends[1], 46, thickness=1))
        parts.append(target(x, 34, wide - 9, 24, 2 * len(STATIONS) - 1 - i if back else i))
    parts.append(label(12, 80, formula, 13, "start", BACKWARD[0] if back else FORWARD[0], "bold"))
    title = f"{'the backward' if back else 'the forward'} pass at {STATIONS[at]}"
    alt = f"The stations {', '.join(STATIONS)} in a line: {title}. {formula}."
    width = max(12 + wide * len(STATIONS), 24 + round(8.5 * len(formula)))
    return Figure(width, 90, heading(title) + "".join(parts), alt, f"{title}\n{formula}")


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
            said = f"Merge {number} joins {first} and {second}: {sum(map(len, words))} tokens."
            steps.append((said, tokens_after(number, words, pair)))
    return moving(steps, {"merges": numbers}, pause=900)


def tokens_after(number, words, pair=()):
    """The tokens of all words in a row; what the last merge made has a thick edge."""
    title = f"after {pluralized(number, 'merge')}" + f": {' + '.join(map(visible, pair))}" * bool(pair)
    return token_boxes({"": [token for word in words for token in word]}, title, new=b"".join(pair))
