"""The map of GPT-2 that opens lessons 13 to 15b: its shapes are those of the lesson's model."""

import ast
import html
import re

import pytest
from test_plots import (
    ACCENT,
    badges,
    coordinates_are_rounded,
    drawn,
    image,
    is_cut_off,
    lie_on_each_other,
    texts,
)

import helpers
from helpers.course import NOTEBOOKS
from helpers.course.lessons.maps import MODELS, network_map
from helpers.course.state.names_task import smallest_config
from notebooks import LESSONS, cells, shown_by

# by hand: tokens, stream, heads, feed-forward, logits, table
SHAPES = {
    "13": ("[5]", "[5][16]", "2 heads [5][8]", "16 \u2192 64 \u2192 16", "[5][6]", "wte [6][16]"),
    "13b": ("[8]", "[8][16]", "1 head [8][16]", "16 \u2192 16 \u2192 16", "[8][5]", "wte [5][16]"),
    "14": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "14b": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][27]", "wte [27][16]"),
    "14c": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "15": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "15b": ("[1]", "[1][16]", "2 heads [1][8]", "16 \u2192 64 \u2192 16", "[1][29]", "wte [29][16]"),
    "17": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][129]", "wte [129][16]"),
    "18": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "18b": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 16 \u2192 16", "[T][29]", "wte [29][16]"),
    "19": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
    "20": (
        "[1]",
        "[1][576]",
        "RoPE; 9 Q, 3 K and V",
        "576 \u2192 1536 \u2192 576",
        "[1][49152]",
        "E [49152][576]",
    ),
    "21": ("[T]", "[T][24]", "4 heads [T][6]", "24 \u2192 96 \u2192 24", "[T][67]", "wte [67][24]"),
    "22": ("[T]", "[T][16]", "2 heads [T][8]", "16 \u2192 64 \u2192 16", "[T][29]", "wte [29][16]"),
}
NETWORKS, BLOCKS = {"18b": "1 of 4 experts", "20": "SwiGLU"}, {"13": 2, "13b": 2, "20": 30, "21": 2}
WITHOUT_A_MAP = {"20b", "22b"}  # a model of pictures, and a lesson on one matrix
# the boxes that a lesson marks
MARKED = {
    "13": ["norm", "norm", "embed", "logits"],
    "13b": ["attention"],
    "14": ["loss", "gradients", "clip", "AdamW", "next batch"],
    "14b": ["tokens", "files", "lines", "deduplicate", "split", "encode"],
    "14c": ["loss", "gradients", "clip", "AdamW", "next batch"],
    "15": ["last row of logits", "temperature", "sample", "append it"],
    "15b": ["tokens", "KV cache"],
    "17": ["tokens", "text", "pieces", "bytes", "merges", "ids"],
    "18": ["norm", "norm", "embed", "attention", "feed-forward", "logits"],
    "18b": ["1 of 4 experts"],
    "19": ["parameters", "groups", "scales", "codes", "a file"],
    "20": ["norm", "norm", "attention", "embed", "logits", "KV cache"],
    "21": ["attention"],
    "22": ["names", "rewards", "advantages", "gradients", "AdamW"],
}


def test_every_part_has_the_shape_that_the_lesson_gives_it():
    for lesson, (tokens, stream, heads, widths, logits, table) in SHAPES.items():
        figure, alt = network_map(lesson), image(network_map(lesson))[0]
        shown = texts(figure)
        network = NETWORKS.get(lesson, "feed-forward")
        for name, shape in {"tokens": tokens, "attention": heads, network: widths}.items():
            assert shown[shown.index(name) + 1] == shape and shape in alt
        assert shown[shown.index("logits") + 1] == logits and f"residual stream {stream}" in shown
        assert any(table in text for text in shown)
        words = [f"tokens {tokens} ", f" {stream}: the residual stream", heads, f"logits {logits}", table]
        assert all(word in alt and word in repr(figure) for word in words)
        blocks = BLOCKS.get(lesson, 1)
        assert sum(text == "norm" for text in shown) == 3 and shown.count("+") == 2
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


def marked_boxes(figure):
    """The names in the boxes that are drawn as the lesson's own; a box's name comes right after it."""
    elements = list(drawn(figure, "svg")[0])
    filled = [i for i, e in enumerate(elements) if e.get("fill") == "#fde8d0" and e.get("stroke") == ACCENT]
    return [elements[i + 1].text for i in filled]


def test_what_a_lesson_adds_is_marked_and_nothing_else():
    for lesson, names in MARKED.items():
        assert sorted(marked_boxes(network_map(lesson))) == sorted(names)


def test_the_map_of_gpt2_says_where_the_reader_is():
    for lesson in SHAPES:
        figure = network_map(lesson)
        assert f"you are here: lesson {lesson}" in texts(figure)
        assert image(figure)[0].endswith(f" You are here: lesson {lesson}.")
        assert [line.split(":")[0] for line in repr(figure).splitlines() if "<- you are here" in line] == [
            lesson
        ]
        assert [number for number, filled in badges(figure) if filled] == [lesson]
        parts = {number for number, filled in badges(figure) if not filled and number != "+"}
        assert parts == {"01", "02", "03", "04", "05", "06", "07", "08"}


def test_the_map_of_gpt2_is_drawn_with_care():
    for lesson in SHAPES:
        figure = network_map(lesson)
        assert coordinates_are_rounded(figure) and not is_cut_off(figure) and not lie_on_each_other(figure)
        assert figure.width <= 840 and max(map(len, repr(figure).splitlines())) <= 120
        assert "?." not in image(figure)[0] and ":;" not in image(figure)[0]


def test_the_toy_map_marks_both_backward_passes_for_automatic_differentiation():
    for lesson in ("12", "12b"):
        filled = [number for number, here in badges(network_map(lesson)) if here]
        assert sorted(filled) == ["09", "10", lesson]
        assert any("automatic differentiation" in line for line in repr(network_map(lesson)).splitlines())


@pytest.mark.every_lesson
@pytest.mark.parametrize(
    "path",
    [path for path in LESSONS if path.stem[:2] >= "12" and path.stem[:3] not in WITHOUT_A_MAP],
    ids=lambda p: p.stem,
)
def test_a_lesson_of_part_two_opens_with_the_map_of_its_own_model(path):
    lesson = path.stem.split("_")[0]
    recorded = [
        alt
        for cell in cells(path, "code")
        for output in cell["outputs"]
        for alt in re.findall('alt="([^"]*)"', "".join(output.get("data", {}).get("text/html", "")))
    ]
    assert html.unescape(recorded[0]) == network_map(lesson).alt
