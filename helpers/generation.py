"""Text generation with a GPT-2 and a key-value cache.

Under the causal mask a new token changes no activation of an earlier position. So each step computes the
new position only, and attends to the keys and values in the cache.
"""

from .attention import attention
from .gpt import BLOCK_PARAM_SHAPES, GPT_CONFIG, block_output, gpt_param_shapes, init_gpt, project_qkv
from .layers import embedding, layer_norm, linear
from .losses import token_losses
from .matrices import add


def cache_shapes(config: "GPT_CONFIG") -> "dict":
    """The shapes of a key-value cache, by name: keys and values of S positions for each block.

    The names are those of gpt_forward's activations.

    >>> cache_shapes({"n_layer": 1})
    {'h.0.attn.K': 'H S k', 'h.0.attn.V': 'H S k'}
    """
    return {f"h.{i}.attn.{name}": "H S k" for i in range(config["n_layer"]) for name in "KV"}


def decode_step(
    config: "GPT_CONFIG",
    parameters: "gpt_param_shapes(config)",
    token: "int >= 0",
    cache: "cache_shapes(config)" = None,
) -> ("V", "dict"):
    """One decoding step: the logits for the token after this one, and the cache with this token added.

    cache holds the keys and values of the S tokens before this one, S < n_positions; None means S = 0. It
    is not changed: the result is a new cache of S + 1 positions.
    Source: Shazeer 2019, section 2.4.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> logits, cache = decode_step(config, parameters, 4)
    >>> logits, cache = decode_step(config, parameters, 1, cache)
    >>> len(logits), len(cache["h.0.attn.K"][0])
    (5, 2)
    """
    p, H, P = parameters, config["n_head"], len(parameters["wpe.weight"])
    last, position = len(p["wte.weight"]) - 1, len(cache["h.0.attn.K"][0]) if cache else 0
    assert 0 <= token <= last, f"token is {token}; give a whole number from 0 to {last}"
    assert position < P, f"cache has {position} tokens, and there are {P} positions: begin a new text"
    X = add(embedding([token], p["wte.weight"]), embedding([position], p["wpe.weight"]))  # [1][D]
    new_cache = {}
    for i in range(config["n_layer"]):
        block = {name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        new = project_qkv(block, X, H)
        keys, values = new["attn.K"], new["attn.V"]  # of this token: [H][1][k]
        if cache:
            keys = [old + row for old, row in zip(cache[f"h.{i}.attn.K"], keys, strict=True)]  # [H][S + 1][k]
            values = [old + row for old, row in zip(cache[f"h.{i}.attn.V"], values, strict=True)]
        new_cache |= {f"h.{i}.attn.K": keys, f"h.{i}.attn.V": values}
        heads = [attention(*head) for head in zip(new["attn.Q"], keys, values, strict=True)]  # needs no mask
        X = block_output(block, X, heads)["out"]
    normed = layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])
    return linear(normed, p["wte.weight"])[0], new_cache


def generate(
    config: "GPT_CONFIG",
    parameters: "gpt_param_shapes(config)",
    prompt: "T < V",
    choose: "V -> int",
    length: "int > 0",
    end: "int >= 0" = None,
) -> "n < V":
    """Generate tokens after a prompt until `end` or until the sequence has `length` tokens.

    The result begins with the prompt. choose takes the logits of the next token and returns a token id.
    length is at most n_positions + 1: the last token needs no position, because nothing follows it.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> generate(config, parameters, [1, 4], choose=lambda logits: 3, length=5)
    [1, 4, 3, 3, 3]
    """
    V = config["vocab_size"]
    _assert_length_fits(config, prompt, length)
    tokens, uncached, cache = list(prompt), prompt, None  # uncached: tokens whose keys are not in the cache
    while len(tokens) < length and (tokens[-1] != end or len(tokens) == len(prompt)):
        for token in uncached:
            logits, cache = decode_step(config, parameters, token, cache)
        token = choose(logits)
        assert token in range(V), f"choose gives {token!r:.40}; it must give a whole number from 0 to {V - 1}"
        tokens.append(token)
        uncached = [token]
    return tokens


def beam_search(
    config: "GPT_CONFIG",
    parameters: "gpt_param_shapes(config)",
    prompt: "T < V",
    width: "int > 0",
    length: "int > 0",
    end: "int >= 0" = None,
) -> "list":
    """Beam search: after each step, keep the `width` most probable sequences.

    The result is a list of (log probability, tokens), the most probable first. The log probability is that
    of the tokens after the prompt. A sequence that has reached `end` stays in the beam unchanged. With width
    1 this is greedy decoding. length is at most n_positions + 1.
    Source: Reddy 1977; Sutskever, Vinyals and Le 2014, section 3.2.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> beams = beam_search(config, init_gpt(config, random.Random(42)), [1], width=3, length=3)
    >>> len(beams), len(beams[0][1]), beams[0][0] >= beams[1][0]
    (3, 3, True)
    """
    _assert_length_fits(config, prompt, length)
    beams = [(0.0, list(prompt), prompt, None)]  # log probability, tokens, those not in the cache, cache
    while any(len(tokens) < length and uncached for _, tokens, uncached, _ in beams):
        candidates = []
        for log_prob, tokens, uncached, cache in beams:
            if not uncached:  # it has reached `end`
                candidates.append((log_prob, tokens, [], cache))
                continue
            for token in uncached:
                logits, cache = decode_step(config, parameters, token, cache)
            log_total = token_losses([logits], [0])[0] + logits[0]  # log Σ exp(logit)
            for i, logit in enumerate(logits):
                uncached = [] if i == end else [i]
                candidates.append((log_prob + logit - log_total, tokens + [i], uncached, cache))
        beams = sorted(candidates, key=lambda beam: -beam[0])[:width]
    return [(log_prob, tokens) for log_prob, tokens, _, _ in beams]


def _assert_length_fits(config, prompt, length):
    """Generation reads every token but the last, and each token that it reads needs a position."""
    longest = config["n_positions"] + 1
    assert len(prompt) <= length <= longest, (
        f"prompt has {len(prompt)} tokens and length is {length}; generation ends at {longest} tokens"
    )
