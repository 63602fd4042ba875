"""Lesson 21b's patches and records: by hand, and as its text tells them."""

import pytest

from helpers import softmax
from helpers.course.lessons import lesson_21_circuits as circuits
from helpers.course.lessons import lesson_21b_patching as lesson


def test_a_patch_changes_one_row_of_one_activation():
    parameters = circuits.start_copying(5)
    _, saved = circuits.look_inside(parameters, [1, 4, 2, 1, 4])
    _, plain = circuits.look_inside(parameters, [3, 4, 2, 3, 4])
    _, patched = circuits.look_inside(parameters, [3, 4, 2, 3, 4], lesson.patch(saved, ("0.1", 1)))
    assert patched["0.1"] == [plain["0.1"][0], saved["0.1"][1], *plain["0.1"][2:]]
    assert patched["0.0"] == plain["0.0"]
    assert patched["0"][0] == plain["0"][0] and patched["0"][1] != plain["0"][1]
    # the whole stream of a run patched into another gives the run
    stream = [("0", t) for t in range(5)]
    _, whole = circuits.look_inside(parameters, [3, 4, 2, 3, 4], lesson.patch(saved, *stream))
    assert whole["1"] == saved["1"] and whole["0.0"] == plain["0.0"]


def test_keys_or_values_at_one_letter_come_from_another_sequence():
    """Nothing changes if the sequence is the same, or the letter does not occur in it."""
    parameters = circuits.start_copying(4)
    tokens, other = [3, 1, 6, 1], [3, 2, 6, 1]
    plain = softmax(circuits.look_inside(parameters, tokens)[0][-1])
    for letter, sequence in ("g", tokens), ("c", other):
        for _, chance in lesson.with_parts(parameters, tokens, sequence, letter):
            assert chance == pytest.approx(plain["abcdefgh".index(letter)])
    found = lesson.with_parts(parameters, tokens, other, "b")  # the b at the end has read a c before it
    assert found[0][1] == pytest.approx(plain[1]) and len({chance for _, chance in found}) == 3


def test_the_record_holds_what_the_lesson_shows():
    for prompt, *_ in lesson.PATCHES:
        assert [len(row) for row in circuits.smollm2_results(f"patch {prompt}")] == [4] * 30


@pytest.mark.parametrize("country", ["France", "Germany"])
def test_the_country_moves_in_block_23(country):
    """As the text of the lesson says."""
    rows = circuits.smollm2_results(f"patch The capital of {country} is")
    at_country, at_last = ([row[i] for row in rows] for i in (1, 3))
    assert min(at_country[:23]) > 0.35 and max(at_country[23:]) < 0.005
    assert max(at_last[:23]) < 0.005 and min(at_last[23:]) > 0.3


def test_the_adjective_moves_less_suddenly():
    rows = circuits.smollm2_results("patch The opposite of hot is")
    at_word, at_last = ([row[i] for row in rows] for i in (1, 3))
    assert at_word[21] > 0.4 and at_word[22] < 0.05
    assert max(at_last[:25]) < 0.05 and at_last[25] > 0.1


def test_one_head_moves_the_country():
    """As the text of the lesson says; the rows are of heads 0 to 8, of all nine, and of none."""
    for prompt, other in (("France", 0.47), ("Germany", 0.35)):
        rows = circuits.smollm2_results(f"heads The capital of {prompt} is")
        as_it_is = circuits.smollm2_results(f"patch The capital of {prompt} is")[0][2:]
        assert rows[10][1:3] == pytest.approx(as_it_is, abs=5e-3)  # what was patched after block 0 is little
        assert rows[10][1:3] == rows[10][3:] and rows[10][0] == 0
        assert rows[4][2] == pytest.approx(other, abs=0.005) and rows[4][3] == pytest.approx(0.15, abs=0.005)
        assert all(row[2] < 0.005 and row[3] > 0.715 for h, row in enumerate(rows[:9]) if h != 4)
        assert sum(row[0] for row in rows[:9]) == pytest.approx(rows[9][0], abs=1e-3)  # a linear layer adds
    direct = [row[0] for row in circuits.smollm2_results("heads The capital of France is")]
    assert [round(x, 1) for x in direct[4::5]] == [3.0, 3.5]
