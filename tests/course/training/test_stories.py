"""The stories of lesson 16: their rule, their entropy, the measures, and what the shipped model can do."""

import inspect
import itertools
import math
import random
import re

import pytest
from cell_runner import run_cell

from helpers import count_ngrams, gpt_forward
from helpers.course.training import stories
from helpers.course.training.counts import interpolated_losses
from helpers.course.training.stories import RICH_RULE, RULE
from notebooks import LESSONS, cells

GIRLS, BOYS = {"mia", "zoe", "ana", "lea"}, {"tom", "ben", "sam", "max"}
SMALL = {
    "names": {"mia": "she", "tom": "he", "ben": "he"},
    "things": ["hat", "cup"],
    "plots": ["A has a THING . B wants the THING .", "A is sad . SHE(A) has no THING ."],
}


# --- the rule and its entropy


def test_a_small_rule_written_out_by_hand():
    people = {"mia": "she", "tom": "he", "ben": "he"}
    expected = {f"{a} is sad . {people[a]} has no {t} .": 1 / 12 for a in people for t in ("hat", "cup")}
    for a, b in itertools.permutations(people, 2):
        expected |= {f"{a} has a {t} . {b} wants the {t} .": 1 / 24 for t in ("hat", "cup")}
    found = {story: p for story, (p, _) in stories.all_stories(SMALL).items()}
    assert found.keys() == expected.keys()
    assert all(abs(found[story] - p) < 1e-15 for story, p in expected.items())


def test_the_strength_of_the_ngrams_is_not_chosen_on_what_is_measured():
    """With one strength, the loss of two documents of one length is the mean of their losses."""
    training = [
        [1, 3, 4, 3, 2],
        [1, 3, 4, 5, 2],
        [1, 4, 4, 3, 2],
        [1, 5, 3, 4, 2],
        [1, 3, 3, 3, 2],
        [1, 4, 2],
    ]
    seen, unseen = [1, 3, 4, 5, 2], [1, 5, 5, 4, 2]
    both, *each = (
        stories.ngram_baseline(training, part, 6, 3) for part in ([seen, unseen], [seen], [unseen])
    )
    assert math.isclose(both, sum(each) / 2)


# --- agreement, judged by a checker of another design: sentence by sentence, with regular expressions

HAS = re.compile(r"(\w+) has a (\w+) (\w+)")


def quarrels(story):
    """What disagrees in a story of the lesson's rule."""
    first, *rest = [sentence.strip() for sentence in story.rstrip(" .").split(" . ")]
    owner, colour, thing = HAS.fullmatch(first).groups()
    pronoun = {True: ("she", "her"), False: ("he", "him")}
    people, found = [owner], []
    for sentence in rest:
        words = sentence.split()
        for name in words:
            if name in GIRLS | BOYS and name not in people:
                people.append(name)
        found += [w for w in words if w in RULE["things"] and w != thing]
        found += [w for w in words if w in RULE["colours"] and w != colour]
        if "hides" in words or "him" in words or "her" in words:
            found += [
                w for w in words if w in ("he", "she", "him", "her") and w not in pronoun[owner in GIRLS]
            ]
        if words[-1] == "happy":
            found += [words[0]] if words[0] not in pronoun[people[1] in GIRLS] else []
        if words[-1] == "sad" or words[:2] == ["so", owner]:
            found += [w for w in words if w in GIRLS | BOYS and w not in people[:2]]
    places = {w for w in story.split() if w in RULE["places"]}
    return found + ([places] if len(places) > 1 else []) + (["people"] if len(people) != 2 else [])


def test_every_story_agrees():
    listed = list(stories.all_stories(RULE))
    assert len(listed) == 900
    assert [story for story in listed if quarrels(story)] == []
    assert all(stories.obeys(RULE, story) and stories.is_fluent(RULE, story) for story in listed)


@pytest.mark.parametrize(
    "old, new",
    [("so mia", "so zoe"), ("green kite to", "red kite to"), ("kite to", "hat to"), ("he is", "she is")],
)
def test_one_wrong_word_breaks_the_rule_and_no_grammar(old, new):
    right = "mia has a green kite . tom wants the kite . so mia gives the green kite to tom . he is happy ."
    assert stories.obeys(RULE, right) and not quarrels(right)
    wrong = right.replace(old, new)
    assert wrong != right and quarrels(wrong)
    assert stories.is_fluent(RULE, wrong) and not stories.obeys(RULE, wrong)


@pytest.mark.parametrize(
    "story", ["", "mia", "mia has a red ball .", "mia mia mia", "tom has red a ball . ."]
)
def test_what_is_no_story(story):
    assert not stories.obeys(RULE, story) and not stories.is_fluent(RULE, story)


def test_a_person_does_not_give_to_themself():
    story = "mia has a red hat . mia wants the hat . so mia gives the red hat to mia . she is happy ."
    assert stories.is_fluent(RULE, story) and not stories.obeys(RULE, story)


# --- kinds of words


def test_kinds_of_the_words_of_a_plot():
    plot = RULE["plots"][0]
    shown = [f"{word}:{kind}" for word, kind in zip(plot.split(), stories.kinds_of_words(RULE, plot))]
    assert " ".join(shown[:14]) == (
        "A:free has:grammar a:grammar COLOUR:free THING:free .:grammar B:free wants:free "
        "the:grammar THING:thing .:grammar so:grammar A:name gives:grammar"
    )


def test_words_that_are_not_free_are_certain():
    """From all stories listed: what follows the same words is one word, unless it is free."""
    listed, following = stories.all_stories(RULE), {}
    for story in listed:
        words = [*story.split(), "<EOS>"]
        for i, word in enumerate(words):
            following.setdefault(tuple(words[:i]), set()).add(word)
    for story, (_, plot) in listed.items():
        words = story.split()
        for i, kind in enumerate(stories.kinds_of_words(RULE, plot)):
            assert (len(following[tuple(words[:i])]) > 1) == (kind == "free"), (story, i, kind)


def test_owner_and_other_person_are_told_apart_by_hand():
    story = "tom has a red hat . mia wants the hat . so tom gives the red hat to mia . she is happy ."
    roles = stories.roles_of(story, stories.kinds_of_words(RULE, RULE["plots"][0]))
    assert [(word, role) for word, role in zip(story.split(), roles) if role in ("owner", "other")] == [
        ("tom", "owner"),
        ("mia", "other"),
    ]
    assert "name" not in roles and len(roles) == len(story.split()) + 1


# --- what is held out


def test_the_sets_hold_stories_their_tokens_and_their_kinds():
    sets, vocab = stories.story_sets(RULE)
    assert {name: part["stories"] for name, part in sets.items()} == stories.split_stories(RULE)
    for part in sets.values():
        for story, document, kinds in zip(part["stories"], part["documents"], part["kinds"]):
            assert [vocab[token] for token in document] == ["<BOS>", *story.split(), "<EOS>"]
            assert len(kinds) == len(document) - 1 and kinds[0] == "free"


def test_counts_by_position_and_last_word_by_hand():
    """After the 7 at position 2, a 5 follows in one of two documents; the 7 at position 1 is not counted."""
    training = [[1, 7, 7, 5], [1, 7, 7, 6]]
    loss = stories.position_baseline(training, [[1, 7, 7, 5]], V=8, alpha=1.0)
    expected = [(2 + 1) / (2 + 8), (2 + 1) / (2 + 8), (1 + 1) / (2 + 8)]
    assert math.isclose(loss, -sum(map(math.log, expected)) / 3)


def test_held_out_stories_are_held_out():
    sets = stories.split_stories(RULE)
    known = set(sets["train"])
    for part in ("test", "new triple", "new plot for a thing"):
        assert len(sets[part]) == 100 and not known & set(sets[part])
    for story in sets["train"] + sets["test"]:
        words = story.split()
        assert (words[0], words[3], words[4]) not in stories.NEW_TRIPLES
        assert not ("book" in words and "hides" in words)
    assert all("book" in s and "hides" in s for s in sets["new plot for a thing"])
    assert {w for s in known for w in s.split()} == {w for s in stories.all_stories(RULE) for w in s.split()}


# --- the model


def tiny():
    vocab = stories.word_vocab(stories.all_stories(RULE))
    documents = [stories.encode_story(story, vocab) for story in stories.split_stories(RULE)["train"][:8]]
    return documents, vocab, stories.story_config(vocab, documents)


def test_measure_by_hand():
    documents, vocab, config = tiny()
    parameters = stories.start_stories(documents, vocab, config)["parameters"]
    document = documents[0]
    kinds = ["name" if i % 2 else "rest" for i in range(len(document) - 1)]
    found = stories.measure_kinds(config, parameters, [document], [kinds])
    activations = gpt_forward(config, parameters, document[:-1], document[1:])
    right = [row.index(max(row)) == t for row, t in zip(activations["logits"], document[1:])]
    for kind, first in (("rest", 0), ("name", 1)):
        losses = activations["losses"][first::2]
        assert math.isclose(found[kind][0], sum(losses) / len(losses), rel_tol=1e-9)
        assert found[kind][1] == sum(right[first::2]) / len(right[first::2])
    assert math.isclose(found["all"][0], activations["loss"], rel_tol=1e-9)


def test_without_attention_the_heads_give_nothing():
    documents, vocab, config = tiny()
    parameters = stories.start_stories(documents, vocab, config)["parameters"]
    nothing = gpt_forward(config, stories.ablate_attention(parameters), documents[0][:-1])
    assert all(x == 0 for row in nothing["h.0.attn.output"] + nothing["h.1.attn.output"] for x in row)


def test_training_can_be_stopped_and_continued(monkeypatch):
    documents, vocab, config = tiny()
    kinds = [["word"] * (len(document) - 1) for document in documents]

    def trained(run, watched, **until):
        return stories.train_stories(
            run, documents, documents[:2], kinds[:2], watched, {"uniform": 3.7}, every=2, **until
        )

    start, watched = stories.start_stories(documents, vocab, config, {"steps": 5, "warmup_steps": 2}), []
    whole = trained(start, watched)
    assert [row["step"] for row in watched] == [0, 2, 4, 5]
    first = trained(start, parts := [], until=4)
    assert first["step"] == 4 and trained(first, parts)["parameters"] == whole["parameters"]
    assert [row["losses"] for row in parts] == [row["losses"] for row in watched]
    right, steps = stories.training_loop.training_step, []

    def stopped_at_three(run, documents, gradients_of):
        steps.append(run["step"])
        if len(steps) == 4:
            raise KeyboardInterrupt
        return right(run, documents, gradients_of)

    monkeypatch.setattr(stories.training_loop, "training_step", stopped_at_three)
    half, again = trained(start, watched := []), []
    assert half["step"] == 3
    again = trained(half, watched)
    assert again["parameters"] == whole["parameters"]
    assert [row["step"] for row in watched] == [0, 2, 3, 4, 5]


def test_an_unknown_word_is_named():
    with pytest.raises(AssertionError, match="dragon"):
        stories.encode_story("mia has a dragon .", stories.word_vocab(["mia has a hat ."]))


# --- the model that the course ships


@pytest.fixture(scope="module")
def kept():
    return stories.stories_model()


def test_the_shipped_model_is_small_and_says_what_it_is(kept):
    assert stories.SHIPPED.stat().st_size < 1_000_000
    documents, vocab, config = stories.rich_text()
    assert (kept["vocab"], kept["config"]) == (vocab, config)
    assert kept["step"] == stories.RICH_SETTINGS["steps"]


def test_the_shipped_model_beats_ten_grams_by_far(kept):
    documents, vocab, config = stories.rich_text()
    rng, seen = random.Random(77), {tuple(d) for d in documents}
    fresh = [stories.encode_story(stories.tell_story(RICH_RULE, rng), vocab) for _ in range(60)]
    fresh = [d for d in fresh if tuple(d) not in seen]
    kinds = [["word"] * (len(d) - 1) for d in fresh]
    loss, _ = stories.measure_kinds(config, kept["parameters"], fresh, kinds)["all"]
    count = inspect.unwrap(count_ngrams)  # its check looks at each of 120,000 tokens, for each table
    tables = [count(documents, n) for n in range(1, 11)]
    of_counts = []
    for strength in (0.1, 1, 10):
        losses = [interpolated_losses(document, tables, len(vocab), strength) for document in fresh]
        of_counts.append(sum(map(sum, losses)) / sum(map(len, losses)))
    entropy = 0.281  # of all 91,392 stories of the rule, in nats per token
    assert entropy - 0.05 < loss < min(of_counts) - 0.2


def test_the_shipped_model_tells_stories(kept):
    rng = random.Random(1)
    model = [kept[name] for name in ("config", "parameters", "vocab")]
    told = [stories.sample_story(*model, rng, "mia has a red") for _ in range(10)]
    assert all(story.startswith("mia has a red ") for story in told)
    assert sum(stories.is_fluent(RICH_RULE, story) for story in told) >= 8


# --- the lesson, changed by its reader


@pytest.mark.all_only  # it measures all heads
def test_the_lesson_runs_to_its_end_with_another_seed_and_person_and_a_stopped_training(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    monkeypatch.setitem(RULE, "names", dict(RULE["names"]))
    step_as_it_is = stories.training_loop.training_step

    def step(run, documents, gradients_of):
        if run["step"] == 3:
            raise KeyboardInterrupt
        return step_as_it_is(run, documents, gradients_of)

    monkeypatch.setattr(stories.training_loop, "training_step", step)
    lesson, beside_it = (path for path in LESSONS if path.stem.startswith("16"))
    monkeypatch.chdir(lesson.parent)
    monkeypatch.setitem(RULE["names"], "eva", "she")
    for path in (lesson, beside_it):
        namespace = {"__name__": "__main__"}
        for cell in cells(path, "code"):
            run_cell(cell["source"].replace('"seed": 42}', '"seed": 7}'), namespace)
        assert path == beside_it or namespace["run"]["step"] == 3
    assert "eva" in namespace["vocab"]
