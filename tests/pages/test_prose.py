"""A number in the text must stand in the code or the output of its own section, or be published elsewhere."""

import inspect
import math
import random
import re

import pytest
from published import PUBLISHED

import helpers
from helpers.course.exercises import EXERCISES
from helpers.course.show.compare import leaves
from helpers.course.state.network import draw_parameters
from helpers.course.training import toy_task
from helpers.gpt import BLOCK_PARAM_SHAPES
from notebooks import LESSONS, NAMES, folded, prose, sections

NUMBER = re.compile(r"(?<![\w.,])[-\u2212]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![A-Za-z0-9_])")
# They speak of the whole lesson, or of the whole network.
OVER_ALL = ("the head", "## The course", "## How a lesson works", "## Quiz")
OVER_ALL += ("## What goes on", "## Saved state", "## References")


def numbers(text):
    """The numbers in a text, as text: commas between thousands dropped, minus signs plain."""
    return {match.replace(",", "").replace("\u2212", "-") for match in NUMBER.findall(text)}


def published(text):
    """The rows of the table that a text uses."""
    line = " ".join(text.split())
    return [phrase for phrase in PUBLISHED if phrase in line and re.search(as_it_is(phrase), text)]


def as_it_is(phrase):
    """A pattern for the phrase, in one line or two, but not as a part of a longer number or word."""
    return rf"(?<![\w.,]){re.escape(phrase)}(?![A-Za-z0-9_]|[.,]\d)".replace(r"\ ", r"\s+")


def claims(text):
    """What the reader is told: prose without code blocks, links, list numbers, lesson numbers, years,
    section numbers."""
    for pattern in (
        r"(?s)```.*?```",
        r"\]\([^)]*\)",
        r"(?m)^\*\*\d+\. ",
        r"(?s)## References.*?(?=\*\*Keep this|\*\*Next|\Z)",
        r"\*\*Time\*\*: about \d+ minutes",
        r"(?i)lessons? \d\d(,? (to|and) \d\d)*",
        r"(?m)^# \d\d ",
        r"(?m)(?<![\d.])\d\d(, \d\d)? \|$",
        r"<[^>]*>",
        r"\^\d",
        r"(?<!\w)10\u207b?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+",
    ):
        text = re.sub(pattern, " ", text)
    for phrase in published(text):
        text = re.sub(as_it_is(phrase), " ", text)
    return text


# Words are held to the same rule as digits from eleven up. Up to ten they mostly count what the text
# itself shows or says ("three wishes", "the four wirings", "in ten lines"): of 311 in the lessons 113
# have no ground, which would drown the rest. With an article they name a size and no result ("a hundred
# readers"); "one hundred" is exact.
UNITS = "zero one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
SPELLED = {word: n for n, word in enumerate([*UNITS, *TEENS])}
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SPELLED |= {word: 10 * n for n, word in enumerate(TENS, 2)}
SPELLED |= {f"{ten}-{one}": SPELLED[ten] + SPELLED[one] for ten in TENS for one in UNITS[1:]}
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6}
BELOW_100 = "|".join(sorted(SPELLED, key=len, reverse=True))
WORDS = re.compile(rf"(?i)(?<![\w-])(?:{BELOW_100})(?:[ -](?:{'|'.join(SCALES)}))*(?![\w-])")


def spelled(text):
    """{words: (number, the scale it is rounded to)} of a text's numbers in words, from eleven up."""
    found = {}
    for words in WORDS.findall(re.sub(r"\s+", " ", text)):
        scales = [SCALES[word] for word in re.split("[ -]", words.lower()) if word in SCALES]
        below = re.sub(rf"[ -]({'|'.join(SCALES)})", "", words.lower())
        if SPELLED[below] * math.prod(scales) > 10:
            found[words] = SPELLED[below] * math.prod(scales), math.prod(scales)
    return found


def unfounded_words(text, known):
    """Those that no known number founds; "two thousand" is what is nearer to it than to other thousands."""
    values = [float(number) for number in known]
    for words, (number, scale) in spelled(text).items():
        if not any(abs(value - number) <= scale / 2 * (scale > 1) for value in values):
            yield words


def told(section):
    """The numbers that a section tells; the smallest ones count things."""
    return numbers(claims(section.prose)) - {"0", "1", "2"}


def ground(section):
    """Where they may come from: code, also that of folded solutions, what the code shows, the examples
    that are graded."""
    solutions = re.findall(r"(?s)```python\n(.*?)```", section.prose)
    text = "\n".join([section.code, section.shown, *solutions, *examples(section.code)])
    return numbers(re.sub(r"[\[\]()=:*/+]", " ", text))


def examples(code):
    """The first input and answer of each exercise that a section grades: the text tells the reader about
    them."""
    for number in re.findall(r'(?m)^grade\("(\d+\w?\.\w+)"', code):
        exercise = EXERCISES.get(number)
        if exercise and exercise.example:
            told = leaves([exercise.inputs[0], exercise.expected(exercise.inputs[0])])
            yield " ".join(f"{x} {rounded(x)}" for x in told)


def rounded(x):
    """As the text writes it: 8 for 8.0, and some answers are finite differences."""
    x = round(x, 6) if isinstance(x, float) else x
    return int(x) if isinstance(x, float) and x.is_integer() else x


def unfounded(found):
    """(heading, number) for each number in sections that neither the code nor the output of its own
    section holds."""
    everything = set().union(*map(ground, found))
    for section in found:
        known = everything if section.heading.startswith(OVER_ALL) else ground(section)
        yield from ((section.heading, number) for number in sorted(told(section) - known))
        yield from ((section.heading, words) for words in unfounded_words(claims(section.prose), known))


# Sizes told in words, which another seed or text would change: the words, the printed lines, and the claim.
IN_WORDS = {
    ("07", "With the other seeds it rises or falls by less than a hundredth"): (
        r"(?m)^seed (\d+) +([\d.]+) +([\d.]+)$",
        lambda rows: all(abs(r[1] - r[2]) < 0.01 for r in rows if r[0] != 42) and len(rows) > 4,
    ),
    ("12b", "All three together have the lowest loss in each run"): (
        r"(?m)^(?:as in|residual|norm|all).*? +([\d.]+) +([\d.]+) +([\d.]+)$",
        lambda rows: len(rows) == 5 and all(min(column) == column[-1] for column in zip(*rows)),
    ),
    ("17", "the sequence is more than four times as long"): (
        r"(?m)^(?:words with the space before them|characters) +\d+ +(\d+)",
        lambda rows: rows[1][0] > 4 * rows[0][0],
    ),
    ("18b", "at the end each load is close to one quarter"): (
        r"expert \d: .* to \(380, ([\d.]+)\), lowest ([\d.]+)",
        lambda rows: len(rows) >= 4 and all(abs(r[0] - 0.25) < 0.03 and r[1] > 0.1 for r in rows[-4:]),
    ),
}


@pytest.mark.parametrize("lesson, words", IN_WORDS)
def test_a_size_told_in_words_is_what_the_section_shows(lesson, words):
    pattern, holds = IN_WORDS[lesson, words]
    path = next(path for path in LESSONS if path.name.startswith(f"{lesson}_"))
    section = next(section for section in sections(path) if words in " ".join(section.prose.split()))
    rows = [
        [float(number.replace(",", "")) for number in found]
        for found in (match.groups() for match in re.finditer(pattern, section.shown))
    ]
    assert rows and holds(rows), rows


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_every_number_in_the_text_is_founded(path):
    found = [f"{heading}: {number}" for heading, number in unfounded(sections(path))]
    says = "told in a section whose code and outputs do not hold it: correct it, or see tests/published.py"
    assert not found, "\n".join([says, *found])


@pytest.mark.every_lesson
def test_no_published_number_is_left_over():
    used = {phrase for path in LESSONS for phrase in published(prose(path))}
    assert [phrase for phrase in PUBLISHED if phrase not in used] == []


def test_a_published_number_is_known_by_its_words():
    """A bare 12 would let any other 12 pass."""
    known = re.compile(r"[A-Za-z].*\d|\d.*[A-Za-z]|.{5}")
    assert [phrase for phrase in PUBLISHED if not known.search(phrase)] == []


def test_numbers_of_the_table_that_can_be_computed():
    def computed(phrase):
        return phrase in PUBLISHED

    assert computed(f"{helpers.count_parameters(draw_parameters(random.Random(42))):,}")
    recipe = f"steps={toy_task.STEPS}, lr={toy_task.LR}, betas={toy_task.BETAS}"
    assert recipe in LESSONS[0].read_text(encoding="utf-8")
    names = ("lr", "betas", "eps", "weight_decay")
    lr, betas, eps, decay = (default(helpers.adamw_step, name) for name in names)
    told = f"lr {lr}, betas {betas[0]} and {betas[1]}, eps {eps:.0e}, weight_decay {decay}"
    assert computed(told.replace("e-0", "e-"))
    assert computed("twelve parameters") and len(BLOCK_PARAM_SHAPES) == 12


def default(function, name):
    return inspect.signature(function).parameters[name].default


def quiz(path):
    """{question: [(option, the first word of its reason)]}"""
    questions = re.findall(
        r"(?s)\*\*(?:\d+\. )?([^\n]*)\*\*\n+((?:<details><summary>[A-D]\. .*?</details>\n*)+)", prose(path)
    )
    option = r"<summary>[A-D]\. (.*?)</summary>\s*(\w+)[.,]"
    return {question: re.findall(option, options) for question, options in questions}


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_every_quiz_option_has_a_reason_and_one_is_right(path):
    questions = quiz(path)
    for question, options in questions.items():
        openings = [opening for _, opening in options]
        assert len(openings) >= 3 and openings.count("Right") == 1, question
        assert set(openings) == {"Right", "No"}, question
    options = sum(map(len, questions.values()))
    assert options == sum(bool(re.match(r"[A-E]\. ", summary)) for summary, _ in folded(path))


def given_away(questions):
    """What a reader who knows nothing could go by: the place of the right option, or its length."""
    rights = [[opening for _, opening in options].index("Right") for options in questions.values()]
    lengths = [
        [len(re.sub(r"<[^>]*>", "", option)) for option, _ in options] for options in questions.values()
    ]
    if len(rights) < 2:
        return
    if len(set(rights)) == 1:
        yield f"always {'ABCD'[rights[0]]}"
    if all(found[right] == max(found) for found, right in zip(lengths, rights, strict=True)):
        yield "always the longest"


@pytest.mark.parametrize("path", LESSONS[1:], ids=NAMES[1:])
def test_the_right_option_is_not_given_away(path):
    assert list(given_away(quiz(path))) == []


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_folded_blocks_are_closed_and_rendered(path):
    """Markdown inside <details> is only rendered after a blank line."""
    text = prose(path)
    assert text.count("<details>") == text.count("</details>") == text.count("</summary>\n\n")
    assert not re.search(r"<summary>[^<]*`", text)
