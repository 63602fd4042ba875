"""What counting knows, by hand: documents are lists of tokens, 0 begins and 1 ends."""

import math

import pytest
from tables import assert_close

from helpers import count_ngrams, ngram_losses

DOCUMENTS = [[0, 5, 5, 1], [0, 5, 1]]


def test_counts_by_hand():
    assert count_ngrams(DOCUMENTS, 1) == {(): {5: 3, 1: 2}}
    assert count_ngrams(DOCUMENTS, 2) == {(0,): {5: 2}, (5,): {5: 1, 1: 2}}
    assert count_ngrams(DOCUMENTS, 3) == {(0,): {5: 2}, (0, 5): {5: 1, 1: 1}, (5, 5): {1: 1}}


def test_every_token_but_the_first_is_counted_once():
    for n in (1, 2, 3, 7):
        assert sum(sum(row.values()) for row in count_ngrams(DOCUMENTS, n).values()) == 5
    assert count_ngrams([], 2) == {}


def test_losses_by_hand():
    """Two counts of 5 after 0, of 4 tokens, half a count more each: 2.5/4; after 5 nothing is known:
    0.5/2."""
    assert_close(ngram_losses([0, 5, 1], {(0,): {5: 2}}, 2, 4, 0.5), [-math.log(2.5 / 4), -math.log(0.5 / 2)])
    assert_close(ngram_losses([0, 3], {}, 2, 29, 0.1), [math.log(29)])
    assert_close(ngram_losses([0, 5, 6], {(5,): {6: 1}}, 2, 4, 0.5)[1], -math.log(1.5 / 3))
    assert_close(ngram_losses([0, 5, 6, 7], {(5, 6): {7: 3}}, 3, 4, 1)[2], -math.log(4 / 7))


@pytest.mark.parametrize("n", (1, 2, 3))
@pytest.mark.parametrize("context", ([0], [0, 5], [5, 5], [3, 3]))
def test_the_shares_of_all_tokens_add_up_to_one(n, context):
    counts = count_ngrams(DOCUMENTS, n)
    shares = [math.exp(-ngram_losses([*context, token], counts, n, 7, 0.3)[-1]) for token in range(7)]
    assert_close(sum(shares), 1.0)
