"""Generation with a cache, and the fast arithmetic: against the whole network, at every length."""

import itertools
import math
import random

import pytest
import second_gpt
from tables import assert_close, refuses

from helpers import (
    adamw_init,
    adamw_step,
    beam_search,
    decode_step,
    generate,
    gpt_backward,
    gpt_forward,
    init_gpt,
    softmax,
)
from helpers.course.engine import fast_generate, fast_gradients, product

SIZES = [(1, 1, 4, 5), (2, 2, 6, 9), (3, 3, 6, 4)]  # layers, heads, width, hidden


def model(layers, heads, width, hidden, V=7, P=6, seed=1):
    """A GPT-2 whose every number matters: no bias 0, no stretch 1, weights large enough to make attention
    choose."""
    config = {
        "vocab_size": V,
        "n_positions": P,
        "n_embd": width,
        "n_layer": layers,
        "n_head": heads,
        "n_inner": hidden,
    }
    rng = random.Random(seed)

    def stirred(nest):
        return [stirred(x) for x in nest] if isinstance(nest, list) else nest + rng.gauss(0, 0.5)

    return config, {name: stirred(nest) for name, nest in init_gpt(config, rng).items()}


def greedily(logits):
    return logits.index(max(logits))


def test_the_cache_gives_the_same_logits_at_every_length():
    for size in SIZES:
        config, parameters = model(*size)
        tokens, cache = [3, 1, 6, 1, 0, 5], None
        for n, token in enumerate(tokens, 1):
            logits, cache = decode_step(config, parameters, token, cache)
            assert_close(logits, gpt_forward(config, parameters, tokens[:n])["logits"][-1])
            assert_close(logits, second_gpt.forward(config, parameters, tokens[:n], [0])["logits"][-1])
        whole = gpt_forward(config, parameters, tokens)
        for name, heads in cache.items():
            assert_close(heads, whole[name])  # what is kept has its name there


def test_a_prompt_that_is_a_tuple_gives_the_same_as_a_list():
    config, parameters = model(*SIZES[0])
    prompt = [1, 4]
    as_list, as_tuple = (
        generate(config, parameters, given, choose=lambda logits: 3, length=4, end=4)
        for given in (prompt, tuple(prompt))
    )
    assert as_list == as_tuple == [1, 4, 3, 3]


def test_a_prompt_may_be_read_at_once_and_an_old_cache_goes_on_twice():
    config, parameters = model(*SIZES[1])
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
        config, parameters = model(*size)
        tokens = [3, 1]
        while len(tokens) < 7:  # one more than there are positions: the last is not read
            tokens.append(greedily(gpt_forward(config, parameters, tokens)["logits"][-1]))
        for write in (generate, fast_generate):
            assert write(config, parameters, [3, 1], greedily, 7) == tokens
        for length in (2, 3, 5):
            assert generate(config, parameters, [3, 1], greedily, length) == tokens[:length]
        end = tokens[3]
        assert generate(config, parameters, [3, 1], greedily, 7, end) == tokens[: tokens.index(end, 2) + 1]


def test_choose_gets_the_logits_of_each_position():
    config, parameters = model(*SIZES[2])
    shown, script = [], iter([4, 0, 2, 5])

    def choose(logits):
        shown.append(logits)
        return next(script)

    assert generate(config, parameters, [1, 3], choose, 6) == [1, 3, 4, 0, 2, 5]
    assert_close(shown, gpt_forward(config, parameters, [1, 3, 4, 0, 2])["logits"][1:])


def test_a_prompt_that_ends_with_the_end_token_is_continued():
    config, parameters = model(*SIZES[0])
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
        config, parameters = model(1, 2, 4, 5, V=4, seed=seed)
        everything = most_likely_texts(config, parameters, [1], 4)
        wide = beam_search(config, parameters, [1], 64, 4)
        assert [tokens for _, tokens in wide] == [tokens for _, tokens in everything]
        assert_close([score for score, _ in wide], [score for score, _ in everything])
        ((score, narrow),) = beam_search(config, parameters, [1], 1, 4)
        assert narrow == generate(config, parameters, [1], greedily, 4)
        better += score < wide[0][0] - 1e-9
    assert better  # at least once greedy misses the most likely text


def test_a_beam_keeps_a_text_that_has_ended():
    config, parameters = model(1, 2, 4, 5, V=4)
    for score, tokens in beam_search(config, parameters, [1], 16, 4, end=2):
        assert 2 not in tokens[1:-1]
        logits = gpt_forward(config, parameters, tokens[:-1])["logits"]
        assert_close(score, sum(math.log(softmax(logits[t - 1])[tokens[t]]) for t in range(1, len(tokens))))


@pytest.mark.parametrize(
    "function, arguments, words",
    [
        (generate, [[1, 2, 3], greedily, 8], ["length is 8", "ends at 7"]),
        (generate, [[1] * 8, greedily, 8], ["8 tokens"]),
        (generate, [[1, 7], greedily, 5], ["prompt[1] is 7", "0 to 6"]),
        (generate, [[1], lambda logits: 7, 5], ["choose gives 7"]),
        (generate, [[1], lambda logits: None, 5], ["what choose gives is None"]),
        (beam_search, [[1, 2], 2, 8], ["ends at 7"]),
        (decode_step, [7], ["token is 7"]),
        (decode_step, [1, "full"], ["6 positions", "begin a new text"]),
    ],
)
def test_bad_arguments_of_generation_are_refused(function, arguments, words):
    config, parameters = model(*SIZES[0])
    if "full" in arguments:
        whole = gpt_forward(config, parameters, [1] * 6)
        arguments = [1, {name: whole[name] for name in ("h.0.attn.K", "h.0.attn.V")}]
    refuses(function, [config, parameters, *arguments], ValueError, function.__name__, *words)


# --- the fast arithmetic


def batch(config, parameters, documents):
    """The mean loss over all tokens and its gradients, one document after the other."""
    tokens, loss, total = sum(len(d) - 1 for d in documents), 0.0, None
    for d in documents:
        activations = gpt_forward(config, parameters, d[:-1], d[1:])
        gradients = gpt_backward(config, parameters, activations, d[:-1], d[1:])
        share = (len(d) - 1) / tokens
        loss += share * activations["loss"]
        scaled = {name: weighted(nest, share) for name, nest in gradients.items()}
        total = scaled if total is None else {name: plus(total[name], scaled[name]) for name in total}
    return loss, total


def weighted(nest, share):
    return [weighted(x, share) for x in nest] if isinstance(nest, list) else share * nest


def plus(a, b):
    return [plus(x, y) for x, y in zip(a, b, strict=True)] if isinstance(a, list) else a + b


def test_fast_gradients_agree_with_gpt_backward():
    for size in SIZES:
        config, parameters = model(*size)
        for documents in ([[3, 1]], [[3, 1, 6, 1, 0, 5, 2]], [[1, 2, 3], [4, 0, 4, 4, 6], [5, 5]]):
            before = repr((parameters, documents))
            loss, gradients = fast_gradients(config, parameters, documents)
            expected_loss, expected = batch(config, parameters, documents)
            assert_close(loss, expected_loss)
            assert gradients.keys() == expected.keys()
            for name in expected:
                assert_close(gradients[name], expected[name])
            assert repr((parameters, documents)) == before


def test_fast_gradients_find_their_names_whatever_the_order_of_the_parameters():
    config, parameters = model(*SIZES[1])
    turned = dict(reversed(parameters.items()))
    assert fast_gradients(config, turned, [[1, 2, 3]]) == fast_gradients(config, parameters, [[1, 2, 3]])


def test_25_fast_steps_have_the_losses_of_gpt_backward():
    config, parameters = model(*SIZES[1])
    rng, runs = random.Random(5), []
    texts = [[[rng.randrange(7) for _ in range(rng.randint(2, 7))] for _ in range(2)] for _ in range(25)]
    for gradients_of in (fast_gradients, batch):
        p, optimizer, losses = parameters, adamw_init(parameters), []
        for documents in texts:
            loss, gradients = gradients_of(config, p, documents)
            p, optimizer = adamw_step(p, gradients, optimizer, lr=0.01)
            losses.append(loss)
        runs.append(losses)
    assert_close(runs[0], runs[1], within=1e-9)
    assert min(runs[0]) < runs[0][0]


def test_a_logit_far_ahead_loses_nothing():
    config, parameters = model(*SIZES[0])
    parameters["wte.weight"] = [[900 * x for x in row] for row in parameters["wte.weight"]]
    loss, _ = fast_gradients(config, parameters, [[1, 2, 3, 4]])
    assert loss > 750 and math.isclose(loss, gpt_forward(config, parameters, [1, 2, 3], [2, 3, 4])["loss"])


def test_products_of_any_width():
    """Whole numbers: exact. Behind 500 numbers a product is put together of two."""
    rng = random.Random(6)
    for n in (1, 2, 17, 499, 500, 501, 1200):
        A, B = ([[rng.randint(-9, 9) for _ in range(n)] for _ in range(m)] for m in (2, 3))
        assert product(A, B) == [[sum(a * b for a, b in zip(row, column)) for column in B] for row in A]


@pytest.mark.parametrize(
    "documents", [[[1]], [[1] * 8], [[1, 7]], [[1, 2], [1, -1]], [[1, 2.0, 0.5]], [[]], []], ids=str
)
def test_documents_that_do_not_fit_are_refused(documents):
    config, parameters = model(*SIZES[0])
    refuses(fast_gradients, [config, parameters, documents], ValueError, "fast_gradients", "documents")
