"""Llama, forward: RMSNorm, rotary positions, grouped queries, SwiGLU, no biases, and one table at both ends.

A config is a dict with the keys of LLAMA_CONFIG. Parameters are one dict, with the names of llama.cpp's GGUF
files. A matrix has one row per output, as everywhere in this course, and as in these files.
"""

from .attention import causal_mask, grouped_query_attention, merge_heads, split_heads
from .layers import embedding, linear, rms_norm, swiglu
from .matrices import add
from .rope import rope

LLAMA_CONFIG = {
    "vocab_size": "int V > 0",
    "n_embd": "int D > 0",
    "n_layer": "int L > 0 < 10000",
    "n_head": "int H > 0",
    "n_kv_head": "int G > 0",
    "n_inner": "int F > 0",
    "rope_base": "float > 0 finite",
    "eps": "float >= 0 finite",
}
LLAMA_ATTENTION_SHAPES = {
    "attn_norm.weight": "D",
    "attn_q.weight": "D D",
    "attn_k.weight": "G*k D",
    "attn_v.weight": "G*k D",
    "attn_output.weight": "D D",
}
LLAMA_BLOCK_SHAPES = {
    **LLAMA_ATTENTION_SHAPES,
    "ffn_norm.weight": "D",
    "ffn_gate.weight": "F D",
    "ffn_up.weight": "F D",
    "ffn_down.weight": "D F",
}


def llama_param_shapes(config: "LLAMA_CONFIG") -> "dict":
    """The shape of every parameter in letters, by name, in the names of llama.cpp's GGUF files.

    k is the width of a head, D / H; G is the number of heads that store keys and values.
    Source: Touvron et al. 2023, section 2.2, for the architecture; the table is used at both ends.

    >>> config = {"vocab_size": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_kv_head": 1, "n_inner": 6}
    >>> shapes = llama_param_shapes({**config, "rope_base": 10000.0, "eps": 1e-5})
    >>> shapes["token_embd.weight"], shapes["blk.0.attn_k.weight"], len(shapes)
    ('V D', 'G*k D', 11)
    """
    D, H, G = config["n_embd"], config["n_head"], config["n_kv_head"]
    assert D % H == 0 and D // H % 2 == 0 and H % G == 0, (
        f"config has n_embd {D}, n_head {H}, n_kv_head {G}; n_embd / n_head must be an even whole number, "
        "and n_head a multiple of n_kv_head"
    )
    blocks = {
        f"blk.{i}.{name}": shape
        for i in range(config["n_layer"])
        for name, shape in LLAMA_BLOCK_SHAPES.items()
    }
    return {"token_embd.weight": "V D", **blocks, "output_norm.weight": "D"}


def llama_param_sizes(config: "LLAMA_CONFIG") -> "dict":
    """The shape of every parameter in numbers, by name.

    >>> config = {"vocab_size": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_kv_head": 1, "n_inner": 6}
    >>> sizes = llama_param_sizes({**config, "rope_base": 10000.0, "eps": 1e-5})
    >>> sizes["token_embd.weight"], sizes["blk.0.attn_k.weight"], sizes["output_norm.weight"]
    ([5, 4], [2, 4], [4])
    """
    V, D, F, H, G = (config[name] for name in ("vocab_size", "n_embd", "n_inner", "n_head", "n_kv_head"))
    size = {"V": V, "D": D, "F": F, "G*k": G * (D // H)}
    return {
        name: [size[letter] for letter in shape.split()] for name, shape in llama_param_shapes(config).items()
    }


def llama_cache_shapes(config: "LLAMA_CONFIG") -> "dict":
    """The shapes of a key-value cache, by name: keys and values of S positions for each block.

    >>> llama_cache_shapes({"n_layer": 1})
    {'blk.0.K': 'G S k', 'blk.0.V': 'G S k'}
    """
    return {f"blk.{i}.{name}": "G S k" for i in range(config["n_layer"]) for name in "KV"}


def cached_attention(
    Q: "H T k",
    K: "G T k",
    V: "G T k",
    keys: "list of list of k",
    values: "list of list of k",
    base: "float > 0 finite",
) -> ("H T k", "list", "list"):
    """Grouped-query attention of T new tokens with RoPE and a KV cache; also the longer keys and values.

    keys and values are those of the S tokens before, [G][S][k]: G empty lists where there are none. They are
    not changed. The keys in them are rotated already.
    Source: Su et al. 2021, section 3.2; Ainslie et al. 2023, section 2.2.

    >>> zero = [[[0.0, 0.0]]]  # a query of zeros gives all keys the same weight
    >>> cached_attention(zero, zero, [[[30, 2]]], [[[3, 4]]], [[[10, 2]]], 10000.0)
    ([[[20.0, 2.0]]], [[[3, 4], [0.0, 0.0]]], [[[10, 2], [30, 2]]])
    """
    S, T = len(keys[0]), len(K[0])
    positions = list(range(S, S + T))
    Q, K = ([rope(head, positions, base) for head in heads] for heads in (Q, K))
    keys = [[*old, *new] for old, new in zip(keys, K, strict=True)]  # [G][S + T][k]
    values = [[*old, *new] for old, new in zip(values, V, strict=True)]
    mask = causal_mask(S + T)[S:] if T > 1 else None  # the last token attends to all: no mask
    return grouped_query_attention(Q, keys, values, mask), keys, values


def llama_attention(
    config: "LLAMA_CONFIG",
    parameters: "LLAMA_ATTENTION_SHAPES",
    X: "T D",
    keys: "G S k" = None,
    values: "G S k" = None,
) -> ("T D", "list", "list"):
    """The attention of a block of a Llama; also the keys and values, with those of the rows of X appended.

    keys and values are those of the S tokens before, None where there are none; they are not changed.
    Source: Touvron et al. 2023, section 2.2; Ainslie et al. 2023, for the groups.

    >>> config = {"n_head": 1, "n_kv_head": 1, "rope_base": 10000.0, "eps": 0.0}
    >>> p = {f"attn_{name}.weight": [[1, 0], [0, 1]] for name in ("q", "k", "v", "output")}
    >>> out, keys, values = llama_attention(config, p | {"attn_norm.weight": [1, 1]}, [[1, 7]])
    >>> out, values
    ([[0.2, 1.4]], [[[0.2, 1.4]]])
    """
    p, H, G = parameters, config["n_head"], config["n_kv_head"]
    normed = rms_norm(X, p["attn_norm.weight"], config["eps"])  # [T][D]
    Q = split_heads(linear(normed, p["attn_q.weight"]), H)  # [T][D] -> [H][T][k]
    K = split_heads(linear(normed, p["attn_k.weight"]), G)  # [T][G·k] -> [G][T][k]
    V = split_heads(linear(normed, p["attn_v.weight"]), G)
    keys, values = keys or [[] for _ in range(G)], values or [[] for _ in range(G)]
    heads, keys, values = cached_attention(Q, K, V, keys, values, config["rope_base"])
    return linear(merge_heads(heads), p["attn_output.weight"]), keys, values


def llama_block(
    config: "LLAMA_CONFIG",
    parameters: "LLAMA_BLOCK_SHAPES",
    X: "T D",
    keys: "G S k" = None,
    values: "G S k" = None,
) -> ("T D", "list", "list"):
    """A block of a Llama: x + attention(norm(x)), then x + swiglu(norm(x)); also the longer keys and values.

    Source: Touvron et al. 2023, section 2.2.

    >>> config = {"n_head": 1, "n_kv_head": 1, "rope_base": 10000.0, "eps": 0.0}
    >>> zeros = {name: [[0.0, 0.0]] * 2 for name in LLAMA_BLOCK_SHAPES}
    >>> p = zeros | {"attn_norm.weight": [1, 1], "ffn_norm.weight": [1, 1]}
    >>> llama_block(config, p, [[3, 4]])[0]  # both branches add 0
    [[3.0, 4.0]]
    """
    p = parameters
    attended, keys, values = llama_attention(config, p, X, keys, values)
    X = add(X, attended)
    normed = rms_norm(X, p["ffn_norm.weight"], config["eps"])
    fed = swiglu(normed, p["ffn_gate.weight"], p["ffn_up.weight"], p["ffn_down.weight"])
    return add(X, fed), keys, values


def llama_forward(
    config: "LLAMA_CONFIG",
    parameters: "llama_param_shapes(config)",
    tokens: "T < V",
    cache: "llama_cache_shapes(config)" = None,
) -> ("T D", "dict"):
    """Read tokens with a Llama: the normalized vector at each of them, and the cache with them added.

    cache holds the keys and values of the tokens before, None if there are none. It is not changed.
    llama_logits turns a vector into the logits of the next token.
    Source: Touvron et al. 2023, section 2.2.

    >>> config = {"vocab_size": 3, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_kv_head": 1, "n_inner": 1}
    >>> config |= {"rope_base": 10000.0, "eps": 0.0}
    >>> sizes = llama_param_sizes(config)
    >>> p = {name: [[0.0] * size[-1]] * size[0] for name, size in sizes.items()}
    >>> p |= {name: [1.0, 1.0] for name in sizes if "norm" in name} | {"token_embd.weight": [[1, 7]] * 3}
    >>> X, cache = llama_forward(config, p, [2, 0])
    >>> X, len(cache["blk.0.K"][0])
    ([[0.2, 1.4], [0.2, 1.4]], 2)
    """
    p, new_cache = parameters, {}
    X = embedding(tokens, p["token_embd.weight"])  # [T][D]
    for i in range(config["n_layer"]):
        block = {name: p[f"blk.{i}.{name}"] for name in LLAMA_BLOCK_SHAPES}
        old = (cache[f"blk.{i}.K"], cache[f"blk.{i}.V"]) if cache else ()
        X, new_cache[f"blk.{i}.K"], new_cache[f"blk.{i}.V"] = llama_block(config, block, X, *old)
    return rms_norm(X, p["output_norm.weight"], config["eps"]), new_cache


def llama_logits(E: "V D", x: "D") -> "V":
    """The logits of the next token: the dot product of a vector with every token's embedding (tied).

    >>> llama_logits([[1, 0], [0, 1], [1, 1]], [2, 5])
    [2.0, 5.0, 7.0]
    """
    return linear([x], E)[0]
