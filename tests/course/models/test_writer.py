"""How SmolLM2 writes in lesson 24: the form, what the mask costs, samples that share their beginnings."""

import itertools
import math
import re

import pytest
from gguf_writer import tiny_model

from helpers.course import writer
from helpers.course.models import smollm2

FORMS = {  # with the same as a regular expression
    "a{1,2}b": [("a", 1, 2), ("b", 1, 1)],
    "a{0,2}a{1,1}": [("a", 0, 2), ("a", 1, 1)],
    "[ab]{0,1}c{2,2}[ab]{1,3}": [("ab", 0, 1), ("c", 2, 2), ("ab", 1, 3)],
    "[ab]{1,2}[bc]{1,2}": [("ab", 1, 2), ("bc", 1, 2)],
}
FORM = [("ab", 1, 3), ("0", 1, 1), (writer.END, 1, 1)]


@pytest.fixture(scope="module")
def tiny():
    return writer.Writer(tiny_model())


def step_by_step(model, tokens):
    """The probabilities after some tokens, without a cache that is kept."""
    cache = None
    for token in tokens:
        logits, cache = model.step(token, cache)
    exps = [math.exp(logit - max(logits)) for logit in logits]
    return [x / sum(exps) for x in exps]


@pytest.mark.parametrize("pattern", FORMS)
def test_what_follows_a_text_is_what_completes_it(pattern):
    every = ["".join(letters) for n in range(7) for letters in itertools.product("abc", repeat=n)]
    whole = {text for text in every if re.fullmatch(pattern, text)}
    for text in every:
        rests = writer.rests_of(text, FORMS[pattern])
        assert ([] in rests) == (text in whole)
        assert bool(rests) == any(one.startswith(text) for one in whole)


def test_a_conversation_ends_where_the_model_goes_on():
    assert writer.prompt_of("Hi") == smollm2.one_question("Hi")
    longer = writer.prompt_of("Hi", "Yes?", "Bye")
    assert longer.startswith(smollm2.one_question("Hi") + "Yes?<|im_end|>\n<|im_start|>user\nBye<|im_end|>")
    assert longer.endswith("<|im_start|>assistant\n")


def test_tokens_that_a_form_allows(tiny):
    allowed = {tiny.texts[i] for i in tiny.allowed("", [FORM])}
    assert allowed == {"a", "b", "ab"}
    assert {tiny.texts[i] for i in tiny.allowed("ab", [FORM])} == {"a", "b", "0"}
    assert {tiny.texts[i] for i in tiny.allowed("a0", [FORM])} == {writer.END}
    assert {tiny.texts[i] for i in tiny.allowed("a", [FORM, writer.literal("ac")])} == {
        "a",
        "b",
        "ab",
        "0",
        "c",
    }


def test_a_reply_is_the_most_likely_text_also_after_other_messages(tiny):
    model = tiny.model
    for texts in (["ab"], ["ab", "ba", "a"], ["ab", "ba", "b"]):
        tokens, due = model.encode(writer.prompt_of(*texts)), []
        while len(due) < 5:
            chances = step_by_step(model, tokens + due)
            if chances.index(max(chances)) == model.end:
                break
            due.append(chances.index(max(chances)))
        assert tiny.reply(*texts, n=5) == model.decode(due)


def test_the_tokens_of_a_form_have_the_probabilities_of_the_model(tiny):
    rows = tiny.tokens_in_form(["ab"], FORM)
    text = "".join(row[0] for row in rows)
    assert re.fullmatch(f"[ab]{{1,3}}0{writer.END}", text)
    tokens = tiny.model.encode(writer.prompt_of("ab"))
    for written, chance, wanted, best in rows:
        chances = step_by_step(tiny.model, tokens)
        assert chances[tiny.texts.index(written)] == pytest.approx(chance)
        assert max(chances) == pytest.approx(best) and best == pytest.approx(
            chances[tiny.texts.index(wanted)]
        )
        tokens = [*tokens, tiny.texts.index(written)]


def test_samples_with_the_mask_have_the_form_and_those_without_it_stop_outside(tiny):
    masked = tiny.samples("ab", FORM, 40, True)
    assert sum(times for _, times, _ in masked) == 40
    assert all(re.fullmatch(f"[ab]{{1,3}}0{writer.END}", text) and nats > 0 for text, _, nats in masked)
    free = tiny.samples("ab", FORM, 40, False)
    assert sum(times for _, times, _ in free) == 40
    for text, _, nats in free:
        assert nats == 0.0
        assert re.fullmatch(f"[ab]{{1,3}}0{writer.END}", text) or not re.fullmatch(
            "[ab]{0,3}|[ab]{1,3}0", text
        )


def test_the_cost_of_a_mask_is_that_of_each_token_added_up(tiny):
    for text, _, nats in tiny.samples("ab", [("a", 1, 1), ("0", 1, 1), (writer.END, 1, 1)], 3, True):
        tokens, cost = tiny.model.encode(writer.prompt_of("ab")), 0.0
        for character in text:
            i = tiny.texts.index(character)
            cost -= math.log(step_by_step(tiny.model, tokens)[i])
            tokens = [*tokens, i]
        assert nats == pytest.approx(cost)


def test_what_was_recorded_is_shown_without_the_model():
    recorded = smollm2.Recorded()
    recorded.results = {f"most_likely_text({writer.prompt_of('Hi')!r}, 16)": "Hello."}
    assert writer.Writer(recorded).reply("Hi") == "Hello."
    with pytest.raises(smollm2.NotRecorded):
        writer.Writer(recorded).reply("Bye")


def test_sampling_takes_its_numbers_from_the_seed(tiny):
    one, again, other = (tiny.samples("ab", FORM, 30, True, seed) for seed in (1, 1, 2))
    assert one == again != other
