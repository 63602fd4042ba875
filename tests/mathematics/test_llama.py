"""A Llama: cached attention by hand, and the whole model against a second implementation."""

import math

from second_llama import CONFIG, close, drawn, second_llama

from helpers import cached_attention, llama_forward, llama_logits, llama_param_sizes


def test_attention_with_a_cache_by_hand():
    zero, turned = [[[0.0, 0.0], [0.0, 0.0]]], [[1.0, 0.0], [1.0, 0.0]]
    heads, keys, values = cached_attention(
        zero, [turned], [[[4.0, 0.0], [10.0, 0.0]]], [[[7.0, 7.0]]], [[[2.0, 0.0]]], 1.0
    )
    assert close(heads, [[[3, 0], [16 / 3, 0]]])  # the first sees 2 and 4, the second all three
    assert values == [[[2, 0], [4, 0], [10, 0]]]
    assert close(keys, [[[7, 7], [math.cos(1), math.sin(1)], [math.cos(2), math.sin(2)]]])


def test_the_logits_are_those_of_a_second_implementation():
    for config in (CONFIG, {**CONFIG, "n_kv_head": 6}, {**CONFIG, "n_kv_head": 3, "n_layer": 1}):
        p, tokens = drawn(config), [3, 1, 6, 1, 0]
        X, _ = llama_forward(config, p, tokens)
        logits = [llama_logits(p["token_embd.weight"], x) for x in X]
        assert close(logits, second_llama(config, p, tokens), 1e-9)


def test_reading_in_parts_with_the_cache_changes_nothing():
    p, tokens = drawn(CONFIG), [3, 1, 6, 1, 0, 2]
    whole, _ = llama_forward(CONFIG, p, tokens)
    for cuts in ([1, 1, 1, 1, 1, 1], [2, 3, 1], [4, 2]):
        rows, cache, start = [], None, 0
        for n in cuts:
            before = repr(cache)
            X, longer = llama_forward(CONFIG, p, tokens[start : start + n], cache)
            assert repr(cache) == before
            rows, cache, start = rows + X, longer, start + n
        assert close(rows, whole, 1e-12) and len(cache["blk.1.K"]) == 2 and len(cache["blk.1.K"][0]) == 6


def test_smollm2_has_as_many_parameters_as_its_authors_say():
    config = {**CONFIG, "vocab_size": 49152, "n_embd": 576, "n_layer": 30, "n_head": 9, "n_kv_head": 3}
    sizes = llama_param_sizes({**config, "n_inner": 1536})
    assert sum(math.prod(size) for size in sizes.values()) == 134_515_008
