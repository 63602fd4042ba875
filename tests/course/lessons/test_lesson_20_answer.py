"""Lesson 20's answer as it appears, and what its tables compare."""

import pytest
from gguf_writer import gguf, tiny_llama, tiny_model

from helpers import softmax
from helpers.course.lessons import lesson_20_answer as one_answer
from helpers.course.lessons.lesson_20_llama_bugs import LLAMA_BUGS
from helpers.course.models import smollm2


def test_a_recorded_answer_appears_below_its_question(capsys):
    recorded = smollm2.Recorded()
    recorded.results = {"first_answer('Why?')": ["Be", "cause", "."]}
    one_answer.show_answer(recorded, "Why?")
    assert capsys.readouterr().out == "Why?\nBecause.\n"


def test_a_live_answer_is_what_the_quick_model_writes_next(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    path = smollm2.smollm2_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf(*tiny_llama()))
    model = smollm2.load_smollm2()
    capsys.readouterr()
    one_answer.show_answer(model, "ab")
    question, answer = capsys.readouterr().out.split("\n", 1)
    cache, tokens, due = None, model.encode(smollm2.one_question("ab")), []
    while len(due) < one_answer.MAX_TOKENS:
        for token in tokens:
            logits, cache = model.step(token, cache)
        tokens = [logits.index(max(logits))]
        if tokens == [model.end]:
            break
        due += tokens
    assert question == "ab" and answer[:3] == (model.decode(due) + "\n")[:3]  # its products round more


def test_the_first_logits_and_the_most_likely_tokens_after_a_text():
    model = tiny_model()
    first, said = one_answer.first_and_text(model, "abba", 3)
    cache, tokens, seen, due = None, model.encode("abba"), [], []
    while len(due) < 3 and model.end not in due:
        for token in tokens:
            logits, cache = model.step(token, cache)
        seen.append(logits)
        tokens = [logits.index(max(logits))]
        due += tokens
    assert first == seen[0] and said == model.decode(due)
    best = one_answer.five_likeliest(model, "abba")
    assert [best[0][1:3], len(best)] == [[first.index(max(first)), max(first)], 5]
    assert [p for *_, p in best] == sorted(softmax(first))[: -len(best) - 1 : -1]


def test_a_mistake_is_compared_with_the_logits_of_the_reference():
    model = tiny_model()
    logits, _ = one_answer.first_and_text(model, "ab", 1)
    found = one_answer.with_bugs(model, "ab", {3: logits[3] + 0.5, 1: logits[1] - 0.25})
    assert [name for name, *_ in found] == list(LLAMA_BUGS)
    name, apart, chance, said = found[0]
    assert name == "none" and apart == pytest.approx(0.5) and chance == softmax(logits)[3]
    assert said == one_answer.first_and_text(model, "ab", 3)[1]
    assert found[-1][0] == "gate and up exchanged" and found[-1][1] != pytest.approx(0.5, abs=1e-6)
