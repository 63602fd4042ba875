"""The maps that open the lessons: their shapes are those of the lesson's model, and they mark its part.

Each map stands in a recorded output, where tests/pages/test_figures.py looks at how it is drawn.
"""

import ast
import re

import pytest
from figures import image, images, outline, parts, texts

import helpers
from helpers.course import NOTEBOOKS
from helpers.course.lessons.maps import (
    BACK,
    BACKWARD,
    MODELS,
    ONWARD,
    STEPS,
    THERE,
    TODAY,
    course_figure,
    network_map,
)
from helpers.course.show.svg import ACCENT
from helpers.course.state.names_task import smallest_config
from helpers.course.state.registry import SIDE_LESSONS
from notebooks import LESSONS, NAMES, cells, shown_by

BOXES = ("#eef2f6", "#fde8d0")


def badges(figure):
    """(lesson, whether it is filled) of each circle; the number is the text right after the circle."""
    found = parts(image(figure).svg)
    return [
        (number.element.text, circle.get("fill") == ACCENT)
        for circle, number in zip(found, found[1:])
        if circle.kind == "circle"
    ]


def here(figure):
    """The lessons that the text form, and those that the filled circles say the reader is at."""
    lines = [line for line in repr(figure).splitlines() if "<- you are here" in line]
    return [re.match(r"\w+", line)[0] for line in lines], [n for n, filled in badges(figure) if filled]


@pytest.mark.parametrize("lesson", sorted({"00", *MODELS, *dict(TODAY)}))
def test_no_word_is_wider_than_the_box_that_it_stands_in(lesson):
    found = [(part, outline(part)) for part in parts(image(network_map(lesson)).svg)]
    boxes = [room for part, room in found if part.kind == "rect" and part.get("fill") in BOXES]
    words = [(part, room) for part, room in found if part.kind == "text"]
    wider = [
        part.element.text
        for left, top, right, bottom in boxes
        for part, (a, b, c, d) in words
        if abs(a + c - left - right) < 1 and top < b and d < bottom and c - a > right - left
    ]
    assert wider == []


# --- the network of Part I


@pytest.mark.parametrize("lesson", ["", "00", *(f"{n:02}" for n in range(1, 12))])
def test_the_steps_of_the_lesson_are_marked_and_no_others(lesson):
    """Lesson 06 has two: it expands, and projects back."""
    steps = [] if lesson in ("", "00") else [lesson] * (1 + (lesson == "06"))
    figure = network_map(lesson)
    assert here(figure) == (steps, steps)
    assert (f"You are here: lesson {lesson}." in figure.alt) == bool(steps) or lesson == "00"
    assert sorted(number for number, _ in badges(figure)) == sorted(
        [f"{n:02}" for n in range(1, 12)] + ["06"]
    )


def test_the_map_shows_every_step_with_its_shape_in_order():
    # what design and lessons call the results, and the shapes of five tokens
    expected = [
        ("tokens", "[5]"),
        ("X", "[5][16]"),
        ("Q, K, V", "6 x [5][8]"),
        ("heads", "2 x [5][8]"),
        ("attention", "[5][16]"),
        ("hidden", "[5][64]"),
        ("activated", "[5][64]"),
        ("feed forward", "[5][16]"),
        ("normed", "[5][16]"),
        ("probabilities", "[5][6]"),
    ]
    figure = network_map()
    shown = texts(figure)
    for name, size in expected:
        assert shown[shown.index(name) + 1] == size and f"{name} {size}" in figure.alt
    places = [repr(figure).index(f"  {name}  ") for name, _ in expected]
    assert places == sorted(places) and len(STEPS) == len(expected)
    assert {step[0] for step in BACKWARD} == {"09", "10", "11"}


@pytest.mark.parametrize("lesson", ["12", "12b"])
def test_automatic_differentiation_marks_both_backward_passes(lesson):
    assert sorted(here(network_map(lesson))[1]) == ["09", "10", lesson]
    assert "automatic differentiation" in repr(network_map(lesson))


# --- the models of Parts II and III

# by hand: tokens, stream, heads, feed-forward, logits, table
SHAPES = {
    "13": ("[5]", "[5][16]", "2 heads [5][8]", "16 \u2192 64 \u2192 16", "[5][6]", "wte [6][16]"),
    "13b": ("[8]", "[8][16]", "1 head [8][16]", "16 \u2192 16 \u2192 16", "[8][5]", "wte [5][16]"),
    "14": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "14b": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][27]", "wte [27][16]"),
    "14c": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "15": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "15b": ("[1]", "[1][16]", "2 heads [1][8]", "16 \u2192 64 \u2192 16", "[1][29]", "wte [29][16]"),
    "17": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][1259]", "wte [1259][16]"),
    "18": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "18b": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 16 \u2192 16", "[T][29]", "wte [29][16]"),
    "19": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "19b": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "20": (
        "[1]",
        "[1][576]",
        "RoPE; 9 Q, 3 KV",
        "576 \u2192 1536 \u2192 576",
        "[1][49152]",
        "E [49152][576]",
    ),
    "21": ("[T]", "[T][16]", "2 heads [T][8]", None, "[T][8]", "W_lm [8][16]"),
    "21b": ("[T]", "[T][16]", "2 heads [T][8]", None, "[T][8]", "W_lm [8][16]"),
    "22": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "22b": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "23": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "24": ("[T]", "[T][16]", "4 heads [T][4]", "16 \u2192 32 \u2192 16", "[T][14]", "wte [14][16]"),
}
NETWORKS, BLOCKS = {"18b": "1 of 4 experts", "20": "SwiGLU"}, {"13": 2, "13b": 2, "20": 30, "21": 2, "21b": 2}
# Forward mode, sizes, names, languages, losses, codes, pictures, a matrix, a layer, a figure of all.
WITHOUT_A_MAP = {"12c", "13c", "15c", "17b", "18c", "19c", "20b", "22c", "23b", "24b", "25_"}


def test_every_part_has_the_shape_that_the_lesson_gives_it():
    for lesson, (tokens, stream, heads, widths, logits, table) in SHAPES.items():
        figure = network_map(lesson)
        shown, alt = texts(figure), figure.alt
        network = NETWORKS.get(lesson, "feed-forward")
        assert (network in shown) == bool(widths)  # the model of 21 has none
        sizes = {"tokens": tokens, "attention": heads} | ({network: widths} if widths else {})
        for name, shape in sizes.items():
            assert shown[shown.index(name) + 1] == shape and shape in alt
        assert shown[shown.index("logits") + 1] == logits and f"residual stream {stream}" in shown
        assert any(table in text for text in shown)
        words = [f"tokens {tokens} ", f" {stream}: the residual stream", heads, f"logits {logits}", table]
        assert all(word in alt and word in repr(figure) for word in words)
        blocks = BLOCKS.get(lesson, 1)
        branches = 2 if widths else 1
        assert shown.count("norm") == branches + 1 and shown.count("+") == branches
        assert any(text.startswith(f"{blocks} block") for text in shown)


def test_the_sizes_are_those_of_the_models_that_the_lessons_train():
    vocabulary, config = helpers.course.state.names_task.course_text()[1:]
    for lesson in ("14", "14c", "15", "15b"):
        assert MODELS[lesson][0] == config and len(vocabulary) == 29
    lines = (NOTEBOOKS / "elements.txt").read_text(encoding="utf-8").split()
    vocabulary = helpers.build_vocab(lines)
    documents = [helpers.encode(line, vocabulary) for line in lines]
    assert MODELS["14b"][0] == smallest_config(documents, vocabulary)
    (lesson_13b,) = [path for path in LESSONS if path.stem.startswith("13b")]
    plan = next(text for text in map(shown_by, cells(lesson_13b, "code")) if "'n_head'" in text)
    assert MODELS["13b"][0] == ast.literal_eval(plan[plan.index("{") :])
    assert MODELS["13"][0] == helpers.course.state.registry.course_state("13_gpt2")["gpt"]["config"]


@pytest.mark.parametrize("lesson", SHAPES)
def test_the_map_of_a_model_says_where_the_reader_is(lesson):
    figure = network_map(lesson)
    assert here(figure) == ([lesson], [lesson])
    assert figure.alt.endswith(f" You are here: lesson {lesson}.")
    assert max(map(len, repr(figure).splitlines())) <= 120


@pytest.mark.every_lesson
@pytest.mark.parametrize(
    "path",
    [path for path in LESSONS if path.stem[:2] >= "12" and path.stem[:3] not in WITHOUT_A_MAP],
    ids=lambda p: p.stem,
)
def test_the_first_map_of_a_lesson_is_that_of_its_own_model(path):
    lesson = path.stem.split("_")[0]
    outputs = [output for cell in cells(path, "code") for output in cell["outputs"]]
    markup = "".join("".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    alts = [image.alt for image in images(markup)]
    assert next(alt for alt in alts if "You are here" in alt) == network_map(lesson).alt


# --- the course


@pytest.mark.every_lesson
def test_every_lesson_is_on_the_path_and_the_path_is_in_order():
    figure = course_figure()
    numbers = [name.split("_")[0] for name in NAMES]
    assert [line.split()[0] for line in repr(figure).splitlines()[1:-1]] == numbers
    assert sorted(number for number, _ in badges(figure)) == numbers
    main = [number for number, _ in [*THERE, *BACK, *ONWARD, *TODAY]]
    assert main == sorted(main) == [number for number in numbers if number.isdigit()]


def test_a_lesson_without_a_short_name_has_that_of_its_file(monkeypatch):
    monkeypatch.setitem(SIDE_LESSONS, "04z_other_heads", "04_multi_head_attention")
    figure = course_figure()
    assert "04z  other heads" in repr(figure) and "04z other heads," in figure.alt
