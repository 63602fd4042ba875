"""What counting knows, by hand: documents are lists of tokens, 0 begins and 1 ends."""

import math

import pytest
from tables import assert_close, leaves_alone, true_of

from helpers import count_ngrams, ngram_losses

DOCUMENTS = [[0, 5, 5, 1], [0, 5, 1]]


def not_from_the_beginning(documents, n):
    """Counts only where a whole context stands."""
    counts = {}
    for d in documents:
        for i in range(n - 1, len(d)):
            row = counts.setdefault(tuple(d[i + 1 - n : i]), {})
            row[d[i]] = row.get(d[i], 0) + 1
    return counts


def over_the_edge(documents, n):
    """Counts through all documents as if they were one."""
    return count_ngrams([[token for document in documents for token in document]], n)


def one_more(documents, n):
    return count_ngrams(documents, n + 1)


@true_of(
    count_ngrams,
    not_of={"whole contexts only": not_from_the_beginning, "over the edge": over_the_edge, "n + 1": one_more},
)
def test_counts_by_hand(count):
    assert count(DOCUMENTS, 1) == {(): {5: 3, 1: 2}}
    assert count(DOCUMENTS, 2) == {(0,): {5: 2}, (5,): {5: 1, 1: 2}}
    assert count(DOCUMENTS, 3) == {(0,): {5: 2}, (0, 5): {5: 1, 1: 1}, (5, 5): {1: 1}}


def test_every_token_but_the_first_is_counted_once():
    for n in (1, 2, 3, 7):
        assert sum(sum(row.values()) for row in count_ngrams(DOCUMENTS, n).values()) == 5
    assert count_ngrams([], 2) == {}
    leaves_alone(count_ngrams, [DOCUMENTS, 2])


def amount_above_alone(document, counts, n, V, alpha):
    losses = ngram_losses(document, counts, n, V, alpha)
    totals = [
        sum(counts.get(tuple(document[max(0, i + 1 - n) : i]), {}).values()) for i in range(1, len(document))
    ]
    return [
        loss + math.log(total / (total + alpha * V)) if total else loss for loss, total in zip(losses, totals)
    ]


@true_of(
    ngram_losses,
    not_of={
        "the amount added above alone": amount_above_alone,
        "amount and V": lambda d, c, n, V, a: ngram_losses(d, c, n, V + 1, a),
    },
)
def test_losses_by_hand(losses):
    """Two counts of 5 after 0, of 4 tokens, half a count more each: 2.5/4; after 5 nothing is known:
    0.5/2."""
    assert_close(losses([0, 5, 1], {(0,): {5: 2}}, 2, 4, 0.5), [-math.log(2.5 / 4), -math.log(0.5 / 2)])
    assert_close(losses([0, 3], {}, 2, 29, 0.1), [math.log(29)])
    after_5, after_5_6 = (
        losses([0, 5, 6], {(5,): {6: 1}}, 2, 4, 0.5),
        losses([0, 5, 6, 7], {(5, 6): {7: 3}}, 3, 4, 1),
    )
    assert_close([after_5[1], after_5_6[2]], [-math.log(1.5 / 3), -math.log(4 / 7)])


@pytest.mark.parametrize("n", (1, 2, 3))
@pytest.mark.parametrize("context", ([0], [0, 5], [5, 5], [3, 3]))
def test_the_shares_of_all_tokens_add_up_to_one(n, context):
    counts = count_ngrams(DOCUMENTS, n)
    shares = [math.exp(-ngram_losses([*context, token], counts, n, 7, 0.3)[-1]) for token in range(7)]
    assert_close(sum(shares), 1.0)
