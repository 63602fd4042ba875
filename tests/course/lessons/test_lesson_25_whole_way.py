"""The figure of a chat model from text to text names exercises that are there."""

from helpers.course import NOTEBOOKS
from helpers.course.exercises import EXERCISES
from helpers.course.lessons.lesson_25_whole_way import ROWS, all_functions, whole_way
from helpers.course.state.registry import notebook_paths
from notebooks import code


def test_each_function_is_written_in_the_lesson_of_its_box():
    lessons = {path.stem.partition("_")[0]: code(path) for path in notebook_paths(NOTEBOOKS)}
    missing = [
        (lesson, name)
        for _, steps in ROWS
        for _, lesson, names in steps
        for name in names
        if f"def {name}(" not in lessons[lesson]
    ]
    assert missing == []


def test_what_the_reader_has_written_is_marked_and_counted():
    solutions = {exercise.solution.__name__ for exercise in EXERCISES.values()}
    text, alt = repr(whole_way(["my_rope", "my_softmax"])), whole_way(["my_rope"]).alt
    assert set(all_functions()) <= solutions
    assert text.count("(yours)") == 2 and alt.count("(yours)") == 1
    assert f"2 of {len(all_functions())} functions are yours." in whole_way(["my_rope", "my_softmax"]).svg()
