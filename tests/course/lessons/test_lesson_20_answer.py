"""Lesson 20's answer as it appears, what its figure says for numbers worked out by hand, and fewer bits."""

import re

import pytest
from figures import parts
from gguf_writer import gguf, tiny_llama, tiny_model

from helpers.course.lessons import lesson_20_answer as one_answer
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


def test_the_last_block_of_the_lens_is_the_answer_of_the_model():
    model = tiny_model()
    tokens = model.encode("abba")
    columns = one_answer.blocks_of_answer(model, tokens)
    assert {len(column) for column in columns} == {2}
    cache = None
    for column in columns[:5]:
        for token in tokens:
            logits, cache = model.step(token, cache)
        tokens = [logits.index(max(logits))]
        assert column[-1][0] == model.decode(tokens) and 0 < column[-1][1] <= 1
    exactly = [one_answer.most_likely([1.0, 3.0, 3.0]), one_answer.most_likely([-1.0])]
    assert exactly == [1, 0]


COLUMNS = [[[" a", 0.5], ["Yes", 0.25], ["Yes", 1.0]], [[".", 0.75], [" the", 0.5], [".", 0.5]]]


def test_the_figure_says_from_which_block_on_a_token_is_the_most_likely():
    figure = one_answer.answer_in_steps(COLUMNS)
    assert [words for words, _ in figure.steps] == [
        "Token 1 of the answer: “Yes”, with the probability 1.00. "
        "It is the most likely token after blocks 1 to 2.",
        "Token 2 of the answer: “.”, with the probability 0.50. "
        "It is the most likely token after blocks 0, 2. After block 1 that is “␣the”.",
    ]
    for t, numbers in ((0, ["0.50", "0.25", "1.00"]), (1, ["0.75", "0.50", "0.50"])):
        drawn = parts(figure.steps[t][1].svg())
        texts = [part.element.text or "" for part in drawn if part.kind == "text"]
        assert [text for text in texts if text.startswith(("0.", "1."))] == numbers  # of the chosen token
        bold = [part.element.text for part in drawn if part.get("font-weight") == "bold"]
        assert bold[1:] == ["Yes", "Yes", "Yes", ".", ".", "."]  # names of columns, and what is written
        assert [part.get("data-to") for part in drawn if part.get("data-to")] == ["0", "1"]
    rows = re.findall(r"block +\d.*", repr(figure.still))
    assert [row.split() for row in rows[-3:]] == [
        ["block", "2", "Yes", "."],
        ["block", "1", "Yes", "␣the"],
        ["block", "0", "␣a", "."],
    ]


def test_four_bits_are_the_file_and_two_bits_are_worse():
    model = tiny_model()
    exact, coarse = (one_answer.with_bits(model, bits, "ab") for bits in (4, 2))
    cache, losses = None, []
    tokens = model.encode("ab")
    for _ in range(5):
        for token in tokens:
            logits, cache = model.step(token, cache)
        tokens = [logits.index(max(logits))]
        losses += tokens
    assert exact[1] == model.decode(losses) and exact[0] != pytest.approx(coarse[0], rel=0.01)


def test_the_sizes_are_those_of_the_file():
    model = tiny_model(**{"llama.context_length": 77})
    found = dict(one_answer.sizes(model))
    assert found["context_length"] == 77 and found["n_embd"] == 64
    numbers = sum(tensor.shape[0] * (tensor.shape[1:] or [1])[0] for tensor in model.tensors.values())
    assert found["all parameters"] == numbers
