"""Generation with a cache, and beam search: against the whole network, at every length."""

import itertools
import math

import second_gpt
from second_gpt import drawn_gpt
from tables import assert_close

from helpers import beam_search, decode_step, generate, gpt_forward, softmax

SIZES = [(1, 1, 4, 5), (2, 2, 6, 9), (3, 3, 6, 4)]  # layers, heads, width, hidden


def greedily(logits):
    return logits.index(max(logits))


def test_the_cache_gives_the_same_logits_at_every_length():
    for size in SIZES:
        config, parameters = drawn_gpt(*size)
        tokens, cache = [3, 1, 6, 1, 0, 5], None
        for n, token in enumerate(tokens, 1):
            logits, cache = decode_step(config, parameters, token, cache)
            assert_close(logits, gpt_forward(config, parameters, tokens[:n])["logits"][-1])
            assert_close(logits, second_gpt.forward(config, parameters, tokens[:n], [0])["logits"][-1])
        whole = gpt_forward(config, parameters, tokens)
        for name, heads in cache.items():
            assert_close(heads, whole[name])  # what is kept has its name there


def test_a_prompt_that_is_a_tuple_gives_the_same_as_a_list():
    config, parameters = drawn_gpt(*SIZES[0])
    prompt = [1, 4]
    as_list, as_tuple = (
        generate(config, parameters, given, choose=lambda logits: 3, length=4, end=4)
        for given in (prompt, tuple(prompt))
    )
    assert as_list == as_tuple == [1, 4, 3, 3]


def test_a_prompt_may_be_read_at_once_and_an_old_cache_goes_on_twice():
    config, parameters = drawn_gpt(*SIZES[1])
    whole = gpt_forward(config, parameters, [3, 1, 6])
    cache = {name: whole[name] for name in ("h.0.attn.K", "h.0.attn.V", "h.1.attn.K", "h.1.attn.V")}
    before = repr(cache)
    for token in (2, 5):
        assert_close(
            decode_step(config, parameters, token, cache)[0],
            gpt_forward(config, parameters, [3, 1, 6, token])["logits"][-1],
        )
    assert repr(cache) == before


def test_generate_agrees_with_the_forward_pass():
    for size in SIZES:
        config, parameters = drawn_gpt(*size)
        tokens = [3, 1]
        while len(tokens) < 7:  # one more than there are positions: the last is not read
            tokens.append(greedily(gpt_forward(config, parameters, tokens)["logits"][-1]))
        for length in (2, 3, 5, 7):
            assert generate(config, parameters, [3, 1], greedily, length) == tokens[:length]
        end = tokens[3]
        assert generate(config, parameters, [3, 1], greedily, 7, end) == tokens[: tokens.index(end, 2) + 1]


def test_choose_gets_the_logits_of_each_position():
    config, parameters = drawn_gpt(*SIZES[2])
    shown, script = [], iter([4, 0, 2, 5])

    def choose(logits):
        shown.append(logits)
        return next(script)

    assert generate(config, parameters, [1, 3], choose, 6) == [1, 3, 4, 0, 2, 5]
    assert_close(shown, gpt_forward(config, parameters, [1, 3, 4, 0, 2])["logits"][1:])


def test_a_prompt_that_ends_with_the_end_token_is_continued():
    config, parameters = drawn_gpt(*SIZES[0])
    assert len(generate(config, parameters, [2], lambda logits: 2, 6, end=2)) == 2


def most_likely_texts(config, parameters, prompt, length):
    """All texts of this length with the logs of their probabilities, the most likely first."""
    found = []
    for rest in itertools.product(range(config["vocab_size"]), repeat=length - len(prompt)):
        tokens = [*prompt, *rest]
        logits = gpt_forward(config, parameters, tokens[:-1])["logits"]
        score = sum(math.log(softmax(logits[t - 1])[tokens[t]]) for t in range(len(prompt), length))
        found.append((score, tokens))
    return sorted(found, reverse=True)


def test_a_wide_beam_finds_the_most_likely_text_and_a_narrow_one_is_greedy():
    better = 0
    for seed in range(6):
        config, parameters = drawn_gpt(1, 2, 4, 5, V=4, seed=seed)
        everything = most_likely_texts(config, parameters, [1], 4)
        wide = beam_search(config, parameters, [1], 64, 4)
        assert [tokens for _, tokens in wide] == [tokens for _, tokens in everything]
        assert_close([score for score, _ in wide], [score for score, _ in everything])
        ((score, narrow),) = beam_search(config, parameters, [1], 1, 4)
        assert narrow == generate(config, parameters, [1], greedily, 4)
        better += score < wide[0][0] - 1e-9
    assert better  # at least once greedy misses the most likely text


def test_a_beam_keeps_a_text_that_has_ended():
    config, parameters = drawn_gpt(1, 2, 4, 5, V=4)
    found = beam_search(config, parameters, [1], 16, 4, end=2)
    assert any(len(tokens) < 4 for _, tokens in found)
    for score, tokens in found:
        assert 2 not in tokens[1:-1]
        logits = gpt_forward(config, parameters, tokens[:-1])["logits"]
        assert_close(score, sum(math.log(softmax(logits[t - 1])[tokens[t]]) for t in range(1, len(tokens))))


def test_an_unlimited_beam_holds_every_sequence_and_their_probabilities_sum_to_1():
    """A sequence that has reached `end` stays in the beam while others continue."""
    config, parameters = drawn_gpt(1, 2, 4, 5, V=3)
    beams = beam_search(config, parameters, [1], 27, 4, end=2)
    found = sorted(tuple(tokens[1:]) for _, tokens in beams)
    whole = [s for n in (1, 2, 3) for s in itertools.product(range(3), repeat=n)]
    assert found == sorted(s for s in whole if 2 not in s[:-1] and (len(s) == 3 or s[-1] == 2))
    assert math.isclose(sum(math.exp(score) for score, _ in beams), 1, rel_tol=1e-9)


def test_a_beam_is_no_list_of_the_caller_even_when_nothing_is_generated():
    config, parameters = drawn_gpt(1, 2, 4, 5, V=3)
    prompt = [1, 0]
    ((_, tokens),) = beam_search(config, parameters, prompt, 1, 2)
    assert tokens == prompt and tokens is not prompt
