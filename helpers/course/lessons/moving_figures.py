"""Figures that move, each of one lesson: how a training, attention or a whole step changes the numbers."""

from ...toy import toy_forward
from ..show.player import moving, target
from ..show.plots import curves, heat_map, stack
from ..show.svg import ACCENT, FAINT, INK, Figure, heading, label, path, signed
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
