"""Writing with a GPT-2: one token at a time, with the keys and values of all earlier positions kept.

What changes when one token comes? Under the causal mask nothing at the earlier positions: only the new
one has to be computed, and all that it asks of the others are their keys and values.
"""

from .attention import attention
from .gpt import BLOCK_PARAM_SHAPES, GPT_CONFIG, block_output, gpt_param_specs, init_gpt, project_qkv
from .layers import embedding, layer_norm, linear
from .losses import token_losses
from .matrices import add


def cache_shapes(config: "GPT_CONFIG") -> "dict":
    """What a cache holds: the keys and values of every head, under the names that gpt_forward gives them."""
    return {f"h.{i}.attn.{name}": "H S k" for i in range(config["n_layer"]) for name in "KV"}


def decode_step(
    config: "GPT_CONFIG",
    parameters: "gpt_param_specs(config)",
    token: "int >= 0",
    cache: "cache_shapes(config)" = None,
) -> ("V", "dict"):
    """Read one token more: the logits of what comes behind it, and the cache with its keys and values added.

    The old one stays as it is. cache holds the keys and values [H][S][k] of the S tokens before, under
    the names that gpt_forward gives them; None: there are none. The result's cache holds one position
    more. ValueError when every position is taken.
    Source: Shazeer 2019, section 2.4.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> logits, cache = decode_step(config, parameters, 4)
    >>> logits, cache = decode_step(config, parameters, 1, cache)
    >>> len(logits), len(cache["h.0.attn.K"][0])
    (5, 2)
    """
    p, H, P, V = parameters, config["n_head"], len(parameters["wpe.weight"]), len(parameters["wte.weight"])
    position = len(cache["h.0.attn.K"][0]) if cache else 0
    assert 0 <= token < V, f"token is {token}; give a whole number from 0 to {V - 1}"
    assert position < P, f"cache has {position} tokens, and there are {P} positions: begin a new text"
    X, longer = add(embedding([token], p["wte.weight"]), embedding([position], p["wpe.weight"])), {}  # [1][D]
    for i in range(config["n_layer"]):
        block = {name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        new = project_qkv(block, X, H)
        K, values = new["attn.K"], new["attn.V"]  # of the new token alone: [H][1][k]
        if cache:
            K = [old + row for old, row in zip(cache[f"h.{i}.attn.K"], K, strict=True)]  # [H][S + 1][k]
            values = [old + row for old, row in zip(cache[f"h.{i}.attn.V"], values, strict=True)]
        longer |= {f"h.{i}.attn.K": K, f"h.{i}.attn.V": values}
        heads = [attention(*head) for head in zip(new["attn.Q"], K, values, strict=True)]  # no mask
        X = block_output(block, X, heads)["out"]
    return linear(layer_norm(X, p["ln_f.weight"], p["ln_f.bias"]), p["wte.weight"])[0], longer


def generate(
    config: "GPT_CONFIG",
    parameters: "gpt_param_specs(config)",
    prompt: "T < V",
    choose: "V -> int",
    length: "int > 0",
    end: "int >= 0" = None,
) -> "n < V":
    """Go on with a prompt, token by token, until `end` has come or there are `length` tokens in all.

    The result has at most `length` tokens. choose goes from logits [V] to the id of a token, length is at
    most one more than there are positions: the last token is not read.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> generate(config, parameters, [1, 4], choose=lambda logits: 3, length=5)
    [1, 4, 3, 3, 3]
    """
    most, V = config["n_positions"] + 1, config["vocab_size"]
    assert len(prompt) <= length <= most, (
        f"prompt has {len(prompt)} tokens, length is {length}, and the table ends at {most}"
    )
    tokens, unread, cache = list(prompt), prompt, None
    while len(tokens) < length and (tokens[-1] != end or tokens == prompt):
        for token in unread:
            logits, cache = decode_step(config, parameters, token, cache)
        unread = [choose(logits)]
        assert unread[0] in range(V), (
            f"choose gives {unread[0]!r:.40}; it must give a whole number from 0 to {V - 1}"
        )
        tokens += unread
    return tokens


def beam_search(
    config: "GPT_CONFIG",
    parameters: "gpt_param_specs(config)",
    prompt: "T < V",
    width: "int > 0",
    length: "int > 0",
    end: "int >= 0" = None,
) -> "list":
    """The likeliest texts that a search along `width` beginnings at a time finds, each with the log of
    its probability.

    The result is a list of (log probability, tokens), the likeliest first. length is at most one more
    than there are positions. A text that has come to `end` keeps its place and grows no more. With width
    1 it is greedy writing.
    Source: Reddy 1977; Sutskever, Vinyals and Le 2014, section 3.2.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> found = beam_search(config, init_gpt(config, random.Random(42)), [1], width=3, length=3)
    >>> len(found), len(found[0][1]), found[0][0] >= found[1][0]
    (3, 3, True)
    """
    most = config["n_positions"] + 1
    assert len(prompt) <= length <= most, (
        f"prompt has {len(prompt)} tokens, length is {length}, and the table ends at {most}"
    )
    beams = [
        (0.0, list(prompt), prompt, None)
    ]  # log probability, text, what of it is not yet read, the cache of the rest
    while any(len(tokens) < length and unread for _, tokens, unread, _ in beams):
        longer = []
        for score, tokens, unread, cache in beams:
            for token in unread:
                logits, cache = decode_step(config, parameters, token, cache)
            if unread:
                log_total = token_losses([logits], [0])[0] + logits[0]  # of the sum of all e to the logit
                longer += [
                    (score + s - log_total, tokens + [i], [i] * (i != end), cache)
                    for i, s in enumerate(logits)
                ]
            else:
                longer.append((score, tokens, unread, cache))
        beams = sorted(longer, key=lambda beam: -beam[0])[:width]
    return [(score, tokens) for score, tokens, _, _ in beams]
