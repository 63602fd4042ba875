"""Lesson 16: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from .exercise import Exercise, from_source


def my_read_out(weights, words, reader, read):
    row = weights[words.index(reader)]
    return sum(w for w, word in zip(row, words) if word == read)


ROW, TOTAL = "weights[words.index(reader)]", "sum(w for w, word in zip(row, words) if word == read)"
READ_OUT_MISTAKES = {
    "the column of the reader is taken; its row holds the weights that it gives": (
        (ROW, "[row[words.index(reader)] for row in weights]"),
    ),
    "only the first position that holds the word is counted": (TOTAL, "row[words.index(read)]"),
    "only the last position that holds the word is counted": (TOTAL, "row[-1 - words[::-1].index(read)]"),
    "the mean over the positions is returned, and not the sum": (TOTAL, f"{TOTAL} / words.count(read)"),
    "the largest of the weights is returned, and not their sum": (TOTAL, TOTAL.replace("sum", "max")),
    "the row after the reader's is taken": (ROW, f"{ROW[:-1]} + 1]"),
    "the row before the reader's is taken": (ROW, f"{ROW[:-1]} - 1]"),
    "the last row is taken, whatever the reader is": (ROW, "weights[-1]"),
    "the weights of all positions are added, and not only those of the reader": (
        (ROW, "[sum(column) for column in zip(*weights)]"),
    ),
    "the positions are counted, and their weights are not added": ("sum(w for", "sum(1 for"),
    "the weight of all other words is returned": ("word == read", "word != read"),
    "each weight is paired with the next word: position 0 is also a word of the list": (
        TOTAL,
        "sum(w for w, word in zip(row, words[1:]) if word == read)",
    ),
    "only the positions before the reader are counted, and not its own": (
        TOTAL,
        "sum(w for w, word in zip(row, words[: words.index(reader)]) if word == read)",
    ),
    "words that only contain the letters are counted, too": ("word == read", "read in word"),
    "reader and read are exchanged": (("index(reader)", "index(read)"), ("== read", "== reader")),
}


def my_effect(probabilities_of, story, old, new):
    words = story.split()
    changed = [new if word == old else word for word in words]
    return probabilities_of(changed)[new] - probabilities_of(words)[new]


CHANGED, EFFECT = "[new if word == old else word for word in words]", "probabilities_of(words)[new]"
FIRST = "[new if i == words.index(old) else word for i, word in enumerate(words)]"
DIFFERENCE = f"probabilities_of(changed)[new] - {EFFECT}"
EFFECT_MISTAKES = {
    "the probability of the old word is measured: take that of the new one, after minus before": (
        "probabilities_of(changed)[new] - probabilities_of(words)[new]",
        "probabilities_of(words)[old] - probabilities_of(changed)[old]",
    ),
    "the sign is wrong: it is the probability after the change, minus that before": (
        (f"probabilities_of(changed)[new] - {EFFECT}", f"{EFFECT} - probabilities_of(changed)[new]"),
    ),
    "letters inside other words are replaced, too; replace whole words": (
        (CHANGED, "story.replace(old, new).split()"),
    ),
    "the word is looked for between spaces, so the first and the last word stay as they are": (
        (CHANGED, "story.replace(f' {old} ', f' {new} ').split()"),
    ),
    "only the first of the words is replaced": (CHANGED, FIRST),
    "only the first place where the letters stand is replaced": (
        CHANGED,
        "story.replace(old, new, 1).split()",
    ),
    "the full stops are left out: they are words of the story": (
        ("story.split()", "story.replace('.', '').split()"),
    ),
    "the model gets `<BOS>` before the story; it gets only the words": (
        ("story.split()", "['<BOS>', *story.split()]"),
    ),
    "the probability of old is subtracted; both probabilities are those of new": (
        "(words)[new]",
        "(words)[old]",
    ),
    "the probabilities are those of old, and not of new": (
        ("(changed)[new]", "(changed)[old]"),
        ("(words)[new]", "(words)[old]"),
    ),
    "the probability after the change is returned, without that before subtracted": (f" - {EFFECT}", ""),
    "the effect has lost its sign": ((DIFFERENCE, f"abs({DIFFERENCE})"),),
    "a negative effect is replaced by 0": ((DIFFERENCE, f"max(0.0, {DIFFERENCE})"),),
    "the two probabilities are divided; subtract them": (f"- {EFFECT}", f"/ ({EFFECT} or 1)"),
    "the model gets a text, and not a list of words": (
        (CHANGED, "story.replace(old, new)"),
        (EFFECT, "probabilities_of(story)[new]"),
    ),
    "the difference is divided by the probability before the change": (
        (DIFFERENCE, f"({DIFFERENCE}) / ({EFFECT} or 1)"),
    ),
    "the logarithms of the probabilities are subtracted": (
        (DIFFERENCE, f"math.log(probabilities_of(changed)[new]) - math.log({EFFECT} or 1e-9)"),
    ),
    "the two words are exchanged: new becomes old, too": (
        CHANGED,
        "[new if word == old else old if word == new else word for word in words]",
    ),
    "old and new are exchanged": ("new if word == old else word", "old if word == new else word"),
    "the story is not changed": (CHANGED, "words"),
}


WEIGHTS = [[1.0, 0.0, 0.0, 0.0], [0.75, 0.25, 0.0, 0.0], [0.125, 0.375, 0.5, 0.0], [0.1, 0.2, 0.3, 0.4]]
# Models: the share of a word in the words, and in the letters; and one in which later words count more.
SHARE = from_source("lambda words: {word: words.count(word) / len(words) for word in words}")
LETTERS = from_source(
    "lambda words: {word: words.count(word) / len(''.join(words)) for word in [*words, 'she', 'he']}"
)
LATE = from_source(
    "lambda words: {word: sum(i for i, w in enumerate(words, 1) if w == word) / 100"
    " for word in [*words, 'ben', 'tom', 'kite', 'hat']}"
)
RARE = from_source("lambda words: {word: 1 / (1 + words.count(word)) for word in [*words, 'tom', 'ben']}")
EXERCISES = {
    "16.b": Exercise(
        my_read_out,
        [
            [WEIGHTS, ["a", "hat", "a", "box"], "box", "a"],
            [WEIGHTS, ["mia", "so", "mia", "ben"], "so", "mia"],
            [WEIGHTS, ["tom", "the", "she", "he"], "she", "he"],
            [WEIGHTS, ["tom", "the", "then", "is"], "then", "the"],
            [WEIGHTS, ["kite", "kite", "kite", "wants"], "wants", "kite"],
            [WEIGHTS, ["zoe", "ben", "to", "ben"], "to", "ben"],
            [WEIGHTS, ["she", "sees", "ben", "he"], "ben", "ben"],
        ],
        READ_OUT_MISTAKES,
    ),
    "16.c": Exercise(
        my_effect,
        [
            [SHARE, "mia sees tom mia", "mia", "tom"],
            [LETTERS, "the man has that hat . he wants the hat", "he", "she"],
            [RARE, "mia sees tom", "mia", "tom"],
            [LATE, "tom has a kite . ben wants the kite", "kite", "ben"],
            [LATE, "ben sees ben . ben wants tom", "ben", "tom"],
            [LATE, "mia takes a hat . so ben is sad", "hat", "takes"],
        ],
        EFFECT_MISTAKES,
    ),
}
