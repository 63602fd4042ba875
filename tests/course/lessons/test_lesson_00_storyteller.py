"""What lesson 00 shows first: the reader's words are read as the model knows them, or refused."""

import pytest

from helpers.course import storyteller
from helpers.course.training.stories import RICH_RULE


def test_capitals_and_marks_are_accepted():
    told = storyteller.continue_story("Mia has a red", 1)
    assert told == storyteller.continue_story("mia  HAS a red ", 1) and told.startswith("Mia has a red ")
    assert storyteller.continue_story("Tom has a hat. He", 1).startswith("Tom has a hat. He ")
    assert max(map(len, told.splitlines())) <= 100


@pytest.mark.parametrize(
    "beginning, named", [("The dragon", '"dragon"'), ("<EOS>", '"<"'), ("mia " * 50, "at most 41 words")]
)
def test_what_the_model_cannot_read_is_refused_in_one_sentence_that_says_what_to_do(beginning, named):
    assert named in storyteller.continue_story(beginning, 1)
    assert named in repr(storyteller.words_that_follow(beginning))


def test_each_listed_word_can_be_used_and_no_name_or_thing_is_left_out():
    words = storyteller.known_words().split()
    assert {*RICH_RULE["names"], *RICH_RULE["things"], *RICH_RULE["animals"]} < {*words}
    assert not any("does not know" in storyteller.continue_story(word, 1) for word in words[::8])


def test_the_model_looks_back_for_the_thing():
    table = storyteller.words_that_follow(
        "Mia has a white drum. Zoe wants the", "Mia has a white book. Zoe wants the"
    )
    assert [row[1].split()[0] for row in table.rows] == ["drum", "book"]
