"""Words, weights and similarities by hand."""

import math

import pytest
from tables import assert_close

from helpers import cosine_similarity, inverse_document_frequency, tf_idf, words_of

DOCUMENTS = ["The sea, the SEA!", "A sea.", "No lake; no sea.", "No-one."]


def test_words_are_lower_case_without_punctuation():
    assert [words_of(text) for text in DOCUMENTS] == [
        ["the", "sea", "the", "sea"],
        ["a", "sea"],
        ["no", "lake", "no", "sea"],
        ["no", "one"],
    ]


def test_a_document_counts_once_for_a_word():
    idf = inverse_document_frequency(DOCUMENTS)
    counts = {"the": 1, "sea": 3, "a": 1, "no": 2, "lake": 1, "one": 1}
    assert list(idf) == list(counts)  # in the order of the text, on every run
    assert_close(list(idf.values()), [math.log(4 / n) for n in counts.values()])


def test_tf_idf_counts_each_word_of_a_text():
    assert tf_idf("No unknown lake, no one!", {"no": 0.5, "lake": 2.0, "sea": 3.0}) == [1.0, 2.0, 0.0]
    assert tf_idf("An unknown lake", {"no": 0.5, "lake": 2.0}) == [0.0, 2.0]


def test_cosine_similarity_by_hand():
    assert cosine_similarity([1.0, 1.0], [1.0, 0.0]) == pytest.approx(math.sqrt(0.5))
    assert cosine_similarity([2.0, 0.0], [-3.0, 0.0]) == -1.0
    assert cosine_similarity([0.0, 0.0], [1.0, 2.0]) == 0.0
