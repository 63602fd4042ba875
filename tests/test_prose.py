"""A number in the text must stand in the code or the output of the same notebook, or be published elsewhere."""

import inspect
import re

import pytest
from course import LESSONS, NAMES, code, folded, prose, shown
from published import PUBLISHED

import helpers

NUMBER = re.compile(r"(?<![\w.,])[-\u2212]?\d[\d,]*(?:\.\d+)?(?![\w])")


def numbers(text):
    """The numbers in a text, as text: commas between thousands dropped, minus signs plain."""
    found = (match.rstrip(",").replace(",", "").replace("\u2212", "-") for match in NUMBER.findall(text))
    return {number for number in found}


def claims(path):
    """What the reader is told: prose without code blocks, links, list numbers, lesson numbers, years, section numbers."""
    text = prose(path)
    for pattern in (
        r"(?s)```.*?```",
        r"\]\([^)]*\)",
        r"(?m)^\*\*\d+\. ",
        r"(?s)## References.*",
        r"\*\*Time\*\*: about \d+ minutes",
        r"[Ll]essons? \d\d(,? (to|and) \d\d)*",
        r"(?m)^# \d\d ",
        r"\d\d(, \d\d)? \|$",
        r"<[^>]*>",
    ):
        text = re.sub(pattern, " ", text, flags=re.M)
    for published in PUBLISHED:
        text = re.sub(rf"(?<![\d.,]){re.escape(published)}(?![\d]|[.,]\d)", " ", text)
    return text


def unfounded(text, path):
    """Numbers of the text that neither the code nor the output of the notebook holds."""
    return numbers(text) - numbers(re.sub(r"[\[\]()=:]", " ", code(path) + "\n" + shown(path))) - {"0", "1", "2"}


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_every_number_in_the_text_is_founded(path):
    assert unfounded(claims(path), path) == set()


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
@pytest.mark.parametrize("invented", ["the loss is 0.8765", "it has 9,999 parameters", "about \u22120.4321"])
def test_an_invented_number_is_noticed(path, invented):
    assert len(unfounded(claims(path) + "\n" + invented, path)) == 1


def test_numbers_of_the_table_that_can_be_computed():
    assert f"{50257 * 768 + 1024 * 768:,}" in PUBLISHED
    assert str(inspect.signature(helpers.random_matrix).parameters["sigma"].default) in PUBLISHED


def quiz(path):
    """{question: the openings of the reasons for its options}"""
    questions = re.findall(r"(?s)\*\*\d+\. ([^\n]*)\*\*\n+((?:<details><summary>[A-D]\. .*?</details>\n*)+)", prose(path))
    return {q: re.findall(r"</summary>\s*(\w+)[.,]", options) for q, options in questions}


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_every_quiz_option_has_a_reason_and_one_is_right(path):
    questions = quiz(path)
    assert len(questions) >= (2 if path == LESSONS[0] else 3)
    for question, openings in questions.items():
        assert len(openings) >= 3 and openings.count("Right") == 1, question
        assert set(openings) == {"Right", "No"}, question
    options = sum(len(openings) for openings in questions.values())
    assert options == sum(bool(re.match(r"[A-D]\. ", summary)) for summary, _ in folded(path))


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_folded_blocks_are_closed_and_rendered(path):
    """Markdown inside <details> is only rendered after a blank line."""
    text = prose(path)
    assert text.count("<details>") == text.count("</details>") == text.count("</summary>\n\n") > 0
    assert not re.search(r"<summary>[^<]*`", text)
