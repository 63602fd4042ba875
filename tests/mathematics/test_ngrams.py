"""What counting knows, by hand: documents are lists of tokens, 0 begins and 1 ends."""

import math

from tables import assert_close

from helpers import count_ngrams, ngram_losses

DOCUMENTS = [[0, 5, 5, 1], [0, 5, 1]]


def test_counts_by_hand():
    assert count_ngrams(DOCUMENTS, 1) == {(): {5: 3, 1: 2}}
    assert count_ngrams(DOCUMENTS, 2) == {(0,): {5: 2}, (5,): {5: 1, 1: 2}}
    assert count_ngrams(DOCUMENTS, 3) == {(0,): {5: 2}, (0, 5): {5: 1, 1: 1}, (5, 5): {1: 1}}


def test_losses_by_hand():
    """Two counts of 5 after 0, of 4 tokens, half a count more each: 2.5/4; after 5 nothing is known:
    0.5/2."""
    assert_close(ngram_losses([0, 5, 1], {(0,): {5: 2}}, 2, 4, 0.5), [-math.log(2.5 / 4), -math.log(0.5 / 2)])
    assert_close(ngram_losses([0, 3], {}, 2, 29, 0.1), [math.log(29)])
    assert_close(ngram_losses([0, 5, 6], {(5,): {6: 1}}, 2, 4, 0.5)[1], -math.log(1.5 / 3))
    assert_close(ngram_losses([0, 5, 6, 7], {(5, 6): {7: 3}}, 3, 4, 1)[2], -math.log(4 / 7))
