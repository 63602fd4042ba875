"""Known mistakes put back into the helpers, one at a time: the named test must notice each of them.

A row says what is wrong, in which function, which text becomes which, and the test that catches it. The
function is changed where it lives, so that everything that calls it, in helpers and in tests, calls the
wrong one.
"""

import importlib
import inspect
import operator
import re
import textwrap
from contextlib import contextmanager

import pytest
from tables import WRONG

from helpers.course.argument_checks import declared

MUTATIONS = [
    # published slips: facts that training steps worked by hand have got wrong
    (
        "W_O where its transpose belongs",
        "toy.toy_backward",
        'a["concat"], p["W_O"])',
        'a["concat"], [list(c) for c in zip(*p["W_O"])])',
        "test_toy.test_backward_is_the_tape_s",
    ),
    (
        "any matrix where its transpose belongs",
        "backward.linear_backward",
        "matmul(d_out, W)",
        "matmul(d_out, transpose(W))",
        "test_backward.test_linear_backward_by_hand",
    ),
    (
        "gamma outside the averages",
        "backward.layer_norm_backward",
        "g = [d * gamma_i for d, gamma_i in zip(d_row, gamma, strict=True)]",
        "g = d_row",
        "test_backward.test_layer_norm_backward_by_hand",
    ),
    (
        "a derivative with the tanh form's share and the exact form's bell",
        "activations.gelu_derivative",
        "0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)",
        "x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)",
        "test_activations.test_the_mixed_slope_strays_by_83_hundred_thousandths",
    ),
    (
        "the mean's 1/n forgotten in the toy network",
        "toy.toy_backward",
        "[1 / n] * n",
        "[1.0] * n",
        "test_toy.test_backward_is_the_tape_s",
    ),
    (
        "the mean's 1/n forgotten",
        "backward.cross_entropy_backward",
        "[d_out / n] * n",
        "[d_out] * n",
        "test_backward.test_cross_entropy_backward_by_hand",
    ),
    (
        "softmax's Jacobian skipped",
        "backward.softmax_backward",
        "w * (d - average)",
        "d",
        "test_backward.test_softmax_backward_by_hand",
    ),
    (
        "numbers made up for the gradient of Q",
        "backward.attention_scores_backward",
        "return matmul(d_products, K),",
        "return [[0.01] * len(Q[0]) for _ in Q],",
        "test_backward.test_attention_scores_backward_by_hand",
    ),
    (
        "numbers made up for the gradient of X",
        "toy.toy_backward",
        "d_X = add(d_X, d_X_from)",
        "d_X = [[0.01] * len(row) for row in d_X]",
        "test_toy.test_backward_is_the_tape_s",
    ),
    (
        "a gradient for the last position, which no loss sees",
        "toy.toy_backward",
        '[[0.0] * len(p["W_lm"])',
        '[[0.01] * len(p["W_lm"])',
        "test_reference.test_what_no_loss_looks_at_has_no_gradient_at_all",
    ),
    (
        "a variance that divides by n - 1",
        "layers.layer_norm",
        "for x in row), 0.0) / len(row)",
        "for x in row), 0.0) / (len(row) - 1)",
        "test_layers.test_layer_norm_by_hand",
    ),
    (
        "eps left out in the backward pass",
        "backward.layer_norm_backward",
        "/ D + eps)",
        "/ D)",
        "test_backward.test_layer_norm_backward_by_hand",
    ),
    (
        "a column of W where a row belongs",
        "layers.linear",
        "for w in W]",
        "for w in zip(*W)]",
        "test_layers.test_linear_by_hand",
    ),
    (
        "seed 42 again in every lesson",
        "course.lessons.registry.draw_into",
        'rng.setstate(state["rng_state"])',
        "rng.seed(42)",
        "test_reference.test_every_parameter_and_activation_is_the_reference_s",
    ),
    (
        "a step that grows with the gradient",
        "optimizers.adamw_vector",
        " / (math.sqrt(v_hat) + eps)",
        "",
        "test_optimizers.test_the_first_step_is_lr_in_the_direction_of_the_sign_however_large_the_gradient",
    ),
    (
        "Adam, which has no decay",
        "optimizers.adamw_vector",
        "keep = 1 - lr * weight_decay",
        "keep = 1.0",
        "test_optimizers.test_without_a_gradient_there_is_only_decay_and_none_for_the_undecayed",
    ),
    (
        "scores divided by k instead of its root",
        "attention.attention_scores",
        "1 / math.sqrt(len(K[0]))",
        "1 / len(K[0])",
        "test_attention.test_scores_by_hand",
    ),
    (
        "the causal mask left out",
        "attention.attention",
        "attention_scores(Q, K, mask)",
        "attention_scores(Q, K)",
        "test_attention.test_what_comes_later_changes_nothing_earlier",
    ),
    # ours
    (
        "columns of A",
        "matrices.matmul",
        "for row in A]",
        "for row in zip(*A)]",
        "test_matrices.test_matmul_by_hand",
    ),
    (
        "scores not shifted",
        "attention.softmax",
        "math.exp(s - largest)",
        "math.exp(s)",
        "test_attention.test_softmax_does_not_overflow",
    ),
    (
        "no position attends to itself",
        "attention.causal_mask",
        "j <= i",
        "j < i",
        "test_attention.test_causal_mask_by_hand",
    ),
    (
        "heads in the wrong order",
        "attention.merge_heads",
        "zip(*heads, strict=True)",
        "zip(*heads[::-1], strict=True)",
        "test_attention.test_merge_heads_by_hand",
    ),
    (
        "a constant of GELU mistyped",
        "activations.gelu",
        "0.044715",
        "0.047715",
        "test_activations.test_the_tanh_form_strays_from_the_exact_one_by_473_millionths_at_most",
    ),
    (
        "eps beside the root",
        "layers.rms_norm",
        "/ len(row) + eps)",
        "/ len(row)) + eps",
        "test_layers.test_rms_norm_by_hand",
    ),
    (
        "the target's neighbour",
        "losses.token_losses",
        "row[target] - largest",
        "row[target - 1] - largest",
        "test_losses.test_token_losses_by_hand",
    ),
    (
        "a sum for the mean",
        "losses.cross_entropy",
        " / len(losses)",
        "",
        "test_losses.test_cross_entropy_is_the_mean_of_the_losses",
    ),
    (
        "nats taken for bits",
        "losses.perplexity",
        "math.exp(loss)",
        "2.0**loss",
        "test_losses.test_perplexity_counts_the_tokens_that_are_guessed_among",
    ),
    (
        "the diagonal of the Jacobian alone",
        "backward.softmax_backward",
        "w * (d - average)",
        "w * (d - w * d)",
        "test_backward.test_softmax_backward_by_hand",
    ),
    (
        "the scale forgotten in the backward pass",
        "backward.attention_scores_backward",
        "scale(d_out, 1 / math.sqrt(len(K[0])))",
        "d_out",
        "test_backward.test_attention_scores_backward_by_hand",
    ),
    (
        "heads cut out number by number",
        "attention.split_heads",
        "row[h * k : (h + 1) * k]",
        "row[h::H]",
        "test_backward.test_split_heads_by_hand",
    ),
    (
        "a repeated token's gradients overwritten",
        "backward.embedding_backward",
        "[a + b for a, b in zip(d_E[i], d_row, strict=True)]",
        "list(d_row)",
        "test_backward.test_embedding_backward_by_hand",
    ),
    (
        "a bias that takes the mean",
        "backward.linear_backward",
        "[sum(column, 0.0) for",
        "[sum(column, 0.0) / len(column) for",
        "test_backward.test_linear_backward_by_hand",
    ),
    (
        "the derivative at the activated number",
        "backward.activation_backward",
        "d * derivative(x)",
        "d * derivative(gelu(x))",
        "test_backward.test_activation_backward_by_hand",
    ),
    (
        "the residual connection forgotten",
        "toy.toy_backward",
        "add(d_skip, d_branch)",
        "d_branch",
        "test_toy.test_backward_is_the_tape_s",
    ),
    (
        "another eps in the backward pass than in the forward pass",
        "toy.toy_backward",
        "= 1e-5",
        "= 1e-4",
        "test_toy.test_the_eps_of_toy_backward_is_that_of_toy_forward",
    ),
    (
        "the last head's gradient alone",
        "backward.multi_head_attention_backward",
        "d_X = add(d_X, d_input)",
        "d_X = d_input",
        "test_backward.test_two_heads_backward_by_hand",
    ),
    (
        "half the divisor",
        "finite_differences.numerical_gradient",
        "(2 * h)",
        "h",
        "test_finite_differences.test_quadratics_are_exact",
    ),
    (
        "one tolerance for tensors of every size",
        "course.show.gradient_report.gradient_report",
        "relative * largest",
        "relative",
        "test_gradient_report.test_each_tensor_has_a_tolerance_of_its_own",
    ),
    (
        "a step along the gradient",
        "optimizers.sgd_step",
        "p_i - lr * g_i for",
        "p_i + lr * g_i for",
        "test_optimizers.test_sgd_step_by_hand",
    ),
    (
        "no bias correction",
        "optimizers.adamw_vector",
        "m_hat = m_i / correction_1",
        "m_hat = m_i",
        "test_optimizers.test_three_steps_with_fractions",
    ),
    (
        "eps under the root",
        "optimizers.adamw_vector",
        "math.sqrt(v_hat) + eps",
        "math.sqrt(v_hat + eps)",
        "test_optimizers.test_adamw_is_the_published_algorithm_with_fifty_digits",
    ),
    (
        "decay through the gradient",
        "optimizers.adamw_vector",
        "(1 - beta_1) * g_i",
        "(1 - beta_1) * (g_i + weight_decay * p_i)",
        "test_optimizers.test_adamw_is_the_published_algorithm_with_fifty_digits",
    ),
    (
        "eps that takes no part in the correction",
        "optimizers.adamw_vector",
        "+ eps)",
        "+ eps / math.sqrt(correction_2))",
        "test_optimizers.test_adamw_is_the_published_algorithm_with_fifty_digits",
    ),
    # the tape
    (
        "a gradient that overwrites what came back before",
        "tape._accumulate",
        "gradient if argument.gradient is None else _add(argument.gradient, gradient)",
        "gradient",
        "test_tape.test_a_node_used_twice_gets_both_gradients",
    ),
    (
        "a backward pass in the order of the forward pass",
        "tape.Tape.backward",
        "reversed(self.steps)",
        "self.steps",
        "test_tape.test_paths_of_different_length_meet",
    ),
    (
        "a forgotten consumer",
        "tape.Tape.backward",
        "zip_longest(arguments, gradients)",
        "zip(arguments[:1], gradients)",
        "test_tape.test_what_is_tied_gets_the_sum_of_both_its_uses",
    ),
    (
        "the heads of a list forgotten",
        "tape._accumulate",
        "elif _nodes(argument):",
        "elif False:",
        "test_tape.test_the_gradients_are_the_scalar_tape_s",
    ),
    (
        "a second backward pass",
        "tape.Tape._check_before_backward",
        "if self.used:",
        "if False:",
        "test_tape.test_bad_use_is_refused_in_one_sentence[backward_twice]",
    ),
    (
        "no look at what was changed",
        "tape.Tape._check_before_backward",
        "if value != copy:",
        "if False:",
        "test_tape.test_bad_use_is_refused_in_one_sentence[a_parameter_changed]",
    ),
    # the block of GPT-2, line by line
    *[
        (what, f"gpt.{function}", old, new, f"test_gpt.{catcher}")
        for function, catcher, changes in [
            (
                "project_qkv",
                "test_forward_agrees_with_the_second_gpt",
                [
                    (
                        "attention without its norm",
                        'normed = layer_norm(X, p["ln_1.weight"], p["ln_1.bias"])',
                        "normed = X",
                    ),
                    (
                        "no bias for queries, keys, values",
                        'p["attn.c_attn.weight"], p["attn.c_attn.bias"])',
                        'p["attn.c_attn.weight"])',
                    ),
                    (
                        "keys for queries",
                        '"attn.Q": parts[:H], "attn.K": parts[H : 2 * H]',
                        '"attn.Q": parts[H : 2 * H], "attn.K": parts[:H]',
                    ),
                    ("queries for values", "parts[2 * H :]", "parts[:H]"),
                    ("cut into too wide heads", "split_heads(qkv, 3 * H)", "split_heads(qkv, 3) * H"),
                ],
            ),
            (
                "block_forward",
                "test_forward_agrees_with_the_second_gpt",
                [
                    (
                        "a block that attends to later positions",
                        "causal_mask(len(X))",
                        "[[0.0] * len(X) for _ in X]",
                    ),
                    ("weights without softmax", "softmax(row) for row", "row for row"),
                    (
                        "heads joined backwards",
                        'zip(weights, a["attn.V"], strict=True)]',
                        'zip(weights[::-1], a["attn.V"][::-1], strict=True)]',
                    ),
                ],
            ),
            (
                "block_output",
                "test_forward_agrees_with_the_second_gpt",
                [
                    (
                        "the first norm in the second place",
                        'layer_norm(resid_mid, p["ln_2.weight"]',
                        'layer_norm(resid_mid, p["ln_1.weight"]',
                    ),
                    (
                        "no bias after attention",
                        'p["attn.c_proj.weight"], p["attn.c_proj.bias"])',
                        'p["attn.c_proj.weight"])',
                    ),
                    (
                        "no residual connection around attention",
                        "resid_mid = add(X, attention_output)",
                        "resid_mid = attention_output",
                    ),
                    (
                        "the network without its norm",
                        'normed = layer_norm(resid_mid, p["ln_2.weight"], p["ln_2.bias"])',
                        "normed = resid_mid",
                    ),
                    ("the norm of what came in", "layer_norm(resid_mid, ", "layer_norm(X, "),
                    (
                        "no bias before GELU",
                        'p["mlp.c_fc.weight"], p["mlp.c_fc.bias"])',
                        'p["mlp.c_fc.weight"])',
                    ),
                    ("no GELU", "[gelu(h) for h in row]", "[h for h in row]"),
                    (
                        "no bias after GELU",
                        'p["mlp.c_proj.weight"], p["mlp.c_proj.bias"])',
                        'p["mlp.c_proj.weight"])',
                    ),
                    (
                        "no residual connection around the network",
                        "add(resid_mid, feed_forward_output)",
                        "feed_forward_output",
                    ),
                    (
                        "one residual connection around both",
                        "add(resid_mid, feed_forward_output)",
                        "add(X, feed_forward_output)",
                    ),
                ],
            ),
            (
                "block_backward",
                "test_backward_agrees_with_the_scalar_tape",
                [
                    (
                        "through the wrong matrix",
                        'a["mlp.activated"], p["mlp.c_proj',
                        'a["mlp.hidden"], p["mlp.c_proj',
                    ),
                    (
                        "the derivative at the activated number, in a block",
                        'activation_backward(d_activated, a["mlp.hidden"])',
                        'activation_backward(d_activated, a["mlp.activated"])',
                    ),
                    (
                        "the block's input met the network",
                        'linear_backward(d_hidden, a["ln_2"]',
                        'linear_backward(d_hidden, a["ln_1"]',
                    ),
                    (
                        "a norm of the wrong row",
                        'layer_norm_backward(d_ln_2, a["resid_mid"]',
                        "layer_norm_backward(d_ln_2, X",
                    ),
                    (
                        "only through the network",
                        "d_resid_mid = add(d_out, d_branch)",
                        "d_resid_mid = d_branch",
                    ),
                    ("only around the network", "d_resid_mid = add(d_out, d_branch)", "d_resid_mid = d_out"),
                    ("past the first sum", "linear_backward(d_resid_mid, ", "linear_backward(d_out, "),
                    ("the Jacobian of softmax skipped", "softmax_backward(d, row) for", "d for"),
                    ("keys and queries exchanged", "d_scores, q, k)", "d_scores, k, q)"),
                    ("values before keys", "[*d_Q, *d_K, *d_V]", "[*d_Q, *d_V, *d_K]"),
                    (
                        "the second norm's output met attention",
                        'linear_backward(d_qkv, a["ln_1"]',
                        'linear_backward(d_qkv, a["ln_2"]',
                    ),
                    ("the other norm's scale", 'X, p["ln_1.weight"])', 'X, p["ln_2.weight"])'),
                    ("only through attention", "d_X = add(d_resid_mid, d_branch)", "d_X = d_branch"),
                    ("only around attention", "d_X = add(d_resid_mid, d_branch)", "d_X = d_resid_mid"),
                    ("around everything", "d_X = add(d_resid_mid, d_branch)", "d_X = add(d_out, d_branch)"),
                ],
            ),
            (
                "gpt_forward",
                "test_forward_agrees_with_the_second_gpt",
                [
                    ("every position the first", "embedding(list(range(T)),", "embedding([0] * T,"),
                    (
                        "block 0 everywhere",
                        'p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES',
                        'p[f"h.0.{name}"] for name in BLOCK_PARAM_SHAPES',
                    ),
                    ("every block on the embeddings", 'X = inside["out"]', 'X = a["X"]'),
                    ("no norm at the end", 'layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])', "X"),
                    (
                        "the last targets first",
                        'token_losses(a["logits"][:n], targets)',
                        'token_losses(a["logits"][-n:], targets)',
                    ),
                    ("a sum for the mean of a GPT", 'sum(a["losses"], 0.0) / n', 'sum(a["losses"], 0.0)'),
                ],
            ),
            (
                "gpt_backward",
                "test_backward_agrees_with_the_scalar_tape",
                [
                    ("padding takes its share", "[1 / n] * n", "[1 / T] * n"),
                    ("padding is predicted, too", '[0.0] * len(p["wte', '[0.01] * len(p["wte'),
                    ("the last norm of the wrong rows", "a[inputs[-1]]", "a[inputs[0]]"),
                    ("from the first block on", "in reversed(range(", "in (range("),
                    ("the wrong block's input", "inside, a[inputs[i]])", "inside, a[inputs[i + 1]])"),
                    (
                        "the gradient of the logits' use of the table alone",
                        "add(d_wte_output, d_wte_input)",
                        "d_wte_output",
                    ),
                    ("the lookup's gradient alone", "add(d_wte_output, d_wte_input)", "d_wte_input"),
                    ("every gradient for position 0", "list(range(T)), p", "[0] * T, p"),
                ],
            ),
            (
                "init_gpt",
                "test_parameters_are_drawn_in_order_and_those_that_add_are_smaller",
                [
                    ("layers forgotten in the start", "math.sqrt(2 * config", "math.sqrt(2 + 0 * config"),
                    ("one addition a layer", "math.sqrt(2 * config", "math.sqrt(1 * config"),
                    ("ones for biases", "else 0.0] * shape[0]", "else 1.0] * shape[0]"),
                ],
            ),
        ]
        for what, old, new in changes
    ],
    # writing
    *[
        (f"{what} in {path}", path, old, new, f"test_{catcher}")
        for path, catcher, changes in [
            (
                "sampling.sample",
                "sampling.test_a_draw_is_fair",
                [
                    ("a favour for the first", "rng.random(), 0.0", "rng.random(), 0.02"),
                    ("the next one", "u < cumulative", "u < cumulative - p"),
                ],
            ),
            (
                "sampling.top_p",
                "sampling.test_top_p_by_hand",
                [("one too many", "cumulative < p", "cumulative <= p")],
            ),
            ("sampling.top_k", "sampling.test_top_k_by_hand", [("the least likely", "[:k]", "[-k:]")]),
            (
                "sampling.min_p",
                "sampling.test_min_p_by_hand",
                [("a share of 1", "p * max(probabilities)", "min(p, max(probabilities))")],
            ),
            (
                "sampling.softmax_with_temperature",
                "sampling.test_temperature_by_hand",
                [("multiplied", ") / temperature", ") * temperature")],
            ),
            (
                "generation.decode_step",
                "generation.test_the_cache_gives_the_same_logits_at_every_length",
                [
                    ("every token at position 0", '[position], p["wpe.weight"]', '[0], p["wpe.weight"]'),
                    (
                        "one position too early",
                        '[position], p["wpe.weight"]',
                        '[max(position - 1, 0)], p["wpe.weight"]',
                    ),
                    ("the newest key in front", "keys = [old + row", "keys = [row + old"),
                    (
                        "the newest position does not attend to itself",
                        "attention(*head) for",
                        "attention(head[0], *(part[:-1] or part for part in head[1:])) for",
                    ),
                    (
                        "block 0 everywhere, in a step",
                        'p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES',
                        'p[f"h.0.{name}"] for name in BLOCK_PARAM_SHAPES',
                    ),
                    (
                        "no residual connection around attention, in a step",
                        "X = block_output(block, X, heads)",
                        "X = block_output(block, [[0.0] * len(X[0])], heads)",
                    ),
                ],
            ),
            (
                "generation.beam_search",
                "generation.test_a_wide_beam_finds_the_most_likely_text_and_a_narrow_one_is_greedy",
                [
                    ("the last step's score alone", "log_prob + logit - log_total", "logit - log_total"),
                    ("the least likely beams", "-beam[0]", "beam[0]"),
                ],
            ),
            (
                "course.lessons.fast_gpt.product",
                "generation.test_products_of_any_width",
                [("the last numbers forgotten", "for part in (first, rest)", "for part in (first, first)")],
            ),
            (
                "course.lessons.fast_gpt.mean_gradients",
                "generation.test_fast_gradients_agree_with_gpt_backward",
                [("equal shares", "len(some) / len(losses)", "1 / len(parts)")],
            ),
        ]
        for what, old, new in changes
    ],
    # training
    (
        "clipping tensor by tensor",
        "training.clip_by_global_norm",
        "lambda g: [factor * g_i for g_i in g]",
        "lambda g: [min(1.0, max_norm / (global_norm(g) or 1.0)) * g_i for g_i in g]",
        "test_training.test_clipping_by_hand",
    ),
    (
        "a rate one step late",
        "training.learning_rate",
        "lr * (step + 1) / warmup_steps",
        "lr * step / warmup_steps",
        "test_training.test_rates_by_hand",
    ),
    (
        "a cosine that ends one step early",
        "training.learning_rate",
        "(step - warmup_steps) / (steps - warmup_steps)",
        "(step + 1 - warmup_steps) / (steps - warmup_steps)",
        "test_training.test_no_step_stands_still_and_none_is_too_long",
    ),
    (
        "gradients added and not divided",
        "training.batch_gradients",
        "weight = len(targets) / n_targets",
        "weight = 1.0",
        "test_training.test_a_batch_s_gradients_are_those_of_the_mean_over_all_its_tokens",
    ),
    (
        "the mean of the means",
        "training.batch_gradients",
        "weight = len(targets) / n_targets",
        "weight = 1 / len(documents)",
        "test_training.test_a_batch_s_gradients_are_those_of_the_mean_over_all_its_tokens",
    ),
    (
        "decay on biases and norms",
        "training.no_decay_names",
        "if not isinstance(entry[0], list)",
        "if entry is None",
        "test_training.test_only_matrices_decay",
    ),
    (
        "a new order for every batch",
        "training.next_batch",
        "order[:size], order[size:]",
        "order[:size], []",
        "test_training.test_a_deck_gives_every_document_once_before_any_comes_again",
    ),
    (
        "alpha forgotten in the total",
        "ngrams.ngram_losses",
        " + alpha * V",
        "",
        "test_ngrams.test_losses_by_hand",
    ),
    (
        "a random number generator that is not kept",
        "course.lessons.training_loop.training_step",
        '"rng_state": rng.getstate()',
        '"rng_state": run["rng_state"]',
        "test_training_loop.test_the_order_and_the_rng_go_on",
    ),
    # what keeps a pasted function from being silently wrong
    *[
        (
            f"no look at what does not fit in a pasted {path.partition('.')[2]}",
            path,
            text,
            "assert True or ",
            f"test_bad_calls.test_a_bare_function_is_never_silently_wrong[{path.partition('.')[2]}]",
        )
        for path, text in [
            ("matrices.dot", "assert "),
            ("matrices.matmul", "assert "),
            ("layers.linear", "assert "),
            ("backward.dot_backward", "assert "),
            ("backward.matmul_backward", "assert "),
            ("backward.linear_backward", "assert "),
            ("backward.attention_scores_backward", "assert "),
            ("attention.split_heads", "assert "),
            ("toy.toy_backward", "assert "),
        ]
    ],
    (
        "no look at what does not fit in a pasted gpt_backward",
        "gpt.gpt_backward",
        "assert ",
        "assert True or ",
        "test_bad_calls.test_a_bare_gpt_backward_knows_the_activations_of_other_targets",
    ),
    (
        "a zip that cuts off",
        "matrices.add",
        "zip(row_A, row_B, strict=True)",
        "zip(row_A, row_B)",
        "test_bad_calls.test_a_bare_function_is_never_silently_wrong[add]",
    ),
    (
        "columns of unequal length",
        "matrices.transpose",
        "zip(*A, strict=True)",
        "zip(*A)",
        "test_bad_calls.test_a_bare_function_is_never_silently_wrong[transpose]",
    ),
    (
        "the last token for a negative one",
        "backward.token_losses_backward",
        "assert 0 <= target < len(row), ",
        "assert True, ",
        "test_bad_calls.test_a_bare_function_does_not_count_from_the_end[token_losses_backward]",
    ),
    (
        "the last id for a negative one",
        "layers.embedding",
        "assert min(ids) >= 0, ",
        "assert True, ",
        "test_bad_calls.test_a_bare_function_does_not_count_from_the_end[embedding]",
    ),
    # byte pairs
    (
        "merges by length instead of rank",
        "byte_pairs.apply_merges",
        "min(known, key=ranks.get)",
        "max(known, key=lambda pair: len(pair[0] + pair[1]))",
        "test_byte_pairs.test_merges_are_applied_by_their_rank",
    ),
    (
        "the leftmost merge instead of the lowest rank",
        "byte_pairs.apply_merges",
        "min(known, key=ranks.get)",
        "known[0]",
        "test_byte_pairs.test_merges_are_applied_by_their_rank",
    ),
    (
        "a token joined twice",
        "byte_pairs.merge_pair",
        "i += 2 if found else 1",
        "i += 1",
        "test_byte_pairs.test_a_pair_is_joined_by_hand",
    ),
    (
        "each word counted once",
        "byte_pairs.most_frequent_pair",
        "counts[pair] += count",
        "counts[pair] += 1",
        "test_byte_pairs.test_the_most_frequent_pair_by_hand",
    ),
    (
        "the last of equal pairs",
        "byte_pairs.most_frequent_pair",
        "max(counts, key",
        "max(reversed(counts), key",
        "test_byte_pairs.test_the_most_frequent_pair_by_hand",
    ),
    (
        "counts that a merge loses",
        "byte_pairs.train_byte_pairs",
        "merged[merge_pair(word, pair)] += count",
        "merged[merge_pair(word, pair)] += 1",
        "test_byte_pairs.test_the_published_words_give_their_merges",
    ),
    (
        "merges of the first count",
        "byte_pairs.train_byte_pairs",
        "words = merged",
        "words = {w: c for w, c in words.items() if pair not in zip(w, w[1:])}",
        "test_byte_pairs.test_the_published_words_give_their_merges",
    ),
    (
        "tokens decoded one by one",
        "byte_pairs.decode_tokens",
        'b"".join(tokens).decode("utf-8", errors="replace")',
        '"".join(token.decode("utf-8", errors="replace") for token in tokens)',
        "test_byte_pairs.test_a_character_may_be_spread_over_tokens",
    ),
    (
        "characters in place of bytes",
        "byte_pairs.split_bytes",
        'bytes([byte]) for byte in text.encode("utf-8")',
        'c.encode("utf-8") for c in text',
        "test_byte_pairs.test_the_bytes_of_a_text_by_hand",
    ),
    (
        "merges across pieces",
        "byte_pairs.encode_pieces",
        "for piece in pieces for",
        'for piece in ["".join(pieces)] for',
        "test_byte_pairs.test_no_token_crosses_from_piece_to_piece",
    ),
    (
        "a token that nothing makes",
        "course.lessons.gpt2_tokens.parse_merges",
        "if missing:",
        "if False:",
        "test_byte_pairs.test_a_token_that_nothing_makes_is_refused",
    ),
    # a text of one's own
    (
        "a text that has changed judged without a word",
        "course.lessons.names_model.documents_of_model",
        """if digest_of(list(sets)) != text["digest"]:""",
        "if False:",
        "test_training_loop.test_a_split_is_found_again_by_its_seed",
    ),
    (
        "one split for all, whatever lesson 14 has chosen",
        "course.lessons.names_model.split_documents",
        "random.Random(seed)",
        "random.Random(1)",
        "test_training_loop.test_a_split_is_found_again_by_its_seed",
    ),
    (
        "a step of 16 bits that overflows and cannot be saved",
        "course.lessons.own_model.half_step",
        """optimizer = {**run["optimizer"], "step": after["step"]}""",
        """optimizer = run["optimizer"]""",
        "test_train_command.test_a_step_whose_gradients_overflow_changes_no_weight",
    ),
    (
        "sums in the order in which they come back",
        "course.lessons.data_parallel.Team.gradients",
        "parts += [(losses, unpacked(data, parameters)) for losses, data in connection.recv()]",
        "parts[:0] = [(losses, unpacked(data, parameters)) for losses, data in connection.recv()]",
        "test_data_parallel.test_a_process_that_is_killed_is_done_without",
    ),
    (
        "windows that lose a target at each seam",
        "course.lessons.own_text.windows",
        "range(0, len(tokens) - 1, length)",
        "range(0, len(tokens) - 1, length + 1)",
        "test_train_command.test_windows_make_each_token_but_the_first_a_target_once",
    ),
    (
        "duplicates that reach the test set",
        "course.lessons.own_text.lines_of_list",
        "kept = deduplicate(lines)",
        "kept = lines",
        "test_train_command.test_lines_of_a_list_by_hand",
    ),
    (
        "indentation lost",
        "course.lessons.own_text.clean_text",
        "indentation(line) + normalize_text(line)",
        "normalize_text(line)",
        "test_train_command.test_clean_text_keeps_indentation_and_joins_blank_lines",
    ),
    (
        "the shorter context's share forgotten",
        "course.lessons.counts.interpolated_losses",
        "(row.get(document[i], 0) + strength * p)",
        "(row.get(document[i], 0) + p)",
        "test_counts.test_interpolation_by_hand",
    ),
    (
        "a text that begins anew where the positions end",
        "course.lessons.own_writing.write_tokens",
        "seen = seen[-(P // 2 + 1) :]",
        "seen = tokens[:1]",
        "test_say.test_a_running_text_goes_on_where_the_positions_end",
    ),
    (
        "min-p that keeps all",
        "course.lessons.own_writing.sampling_rule",
        "probabilities = min_p(probabilities, smallest)",
        "probabilities = min_p(probabilities, 0)",
        "test_say.test_the_rules_by_hand",
    ),
    # the signature of a function
    (
        "a letter that does not fit",
        "matrices.matmul",
        'B: "n p"',
        'B: "m p"',
        "test_bad_calls.test_the_sound_call_gives_what_the_signature_declares_and_changes_nothing[matmul]",
    ),
    (
        "another result",
        "matrices.matmul",
        '-> "m p"',
        '-> "p m"',
        "test_bad_calls.test_the_sound_call_gives_what_the_signature_declares_and_changes_nothing[matmul]",
    ),
    (
        "a letter that asks nothing",
        "matrices.matmul",
        'A: "m n"',
        'A: "m k"',
        "test_bad_calls.test_a_refusal_says_both_shapes_and_what_to_do[matmul]",
    ),
    (
        "a bias that fits the wrong side",
        "layers.linear",
        'b: "m"',
        'b: "n"',
        "test_bad_calls.test_the_sound_call_gives_what_the_signature_declares_and_changes_nothing[linear]",
    ),
    (
        "any eps",
        "layers.layer_norm",
        "float >= 0",
        "float",
        "test_bad_calls.test_what_is_out_of_range_is_refused[layer_norm]",
    ),
    (
        "any logits",
        "losses.token_losses",
        "T V finite",
        "T V",
        "test_bad_calls.test_what_is_out_of_range_is_refused[token_losses]",
    ),
    # looking inside
    (
        "the induction score moved by one: the copy itself",
        "course.lessons.looking_inside.induction_score",
        "weights[t][t - n + 1]",
        "weights[t][t - n]",
        "test_looking_inside.test_scores_by_hand",
    ),
    (
        "the previous-token score of the token itself",
        "course.lessons.looking_inside.previous_score",
        "weights[t][t - 1]",
        "weights[t][t]",
        "test_looking_inside.test_scores_by_hand",
    ),
    (
        "the score of SmolLM2's heads moved by one",
        "course.lessons.looking_inside.head_scores",
        "rows[t][t - n + 1]",
        "rows[t][t - n + 2]",
        "test_looking_inside.test_scores_by_hand",
    ),
    (
        "another head ablated than the one that was named",
        "course.lessons.looking_inside.ablation",
        "name in heads",
        "name not in heads",
        "test_looking_inside.test_an_ablated_head_adds_nothing_and_the_others_what_they_did",
    ),
    (
        "the whole run patched, and not one row",
        "course.lessons.looking_inside.patch",
        "[*rows[:position], saved[target][position], *rows[position + 1 :]]",
        "saved[target]",
        "test_looking_inside.test_a_patch_changes_one_row_of_one_activation",
    ),
    (
        "a head's rows of the output projection of another head",
        "course.lessons.looking_inside.look_inside_gpt",
        "columns[h * k : (h + 1) * k]",
        "columns[:k]",
        "test_looking_inside.test_the_model_of_stories_is_gpt_forward_with_names_inside",
    ),
    (
        "the first letters counted as repeats",
        "course.lessons.looking_inside.repeat_loss",
        "[period_of(tokens) :]",
        "[period_of(tokens) - 1 :]",
        "test_looking_inside.test_the_loss_on_repeats_leaves_the_first_letters_out",
    ),
    (
        "the rotation of queries and keys not undone in the backward pass",
        "course.lessons.looking_inside.copy_gradients",
        'f["rope_backward"](d_A, positions, base)',
        'f["rope"](d_A, positions, base)',
        "test_looking_inside.test_gradients_of_the_small_model_by_finite_differences",
    ),
    (
        "a patch of SmolLM2 after the wrong block",
        "course.lessons.looking_inside.Probe.read",
        "patch[0] == self.block",
        "patch[0] == self.block - 1",
        "test_looking_inside.test_a_probe_ablates_and_patches",
    ),
    (
        "induction heads among those for comparison",
        "course.lessons.looking_inside.other_heads",
        "scores[head] < below and head not in heads",
        "scores[head] >= below",
        "test_looking_inside.test_other_heads_are_other_heads_of_the_same_blocks",
    ),
    # the stories
    (
        "the wrong person's pronoun",
        "course.lessons.stories.fill",
        "pronouns[choice[who]]",
        'pronouns[choice["A"]]',
        "test_stories.test_slots_and_fill",
    ),
    (
        "one word in two slots of a story",
        "course.lessons.stories.tell_story",
        "rng.sample(list(rule[kind]), len(slots))",
        "rng.choices(list(rule[kind]), k=len(slots))",
        "test_stories.test_told_stories_come_as_often_as_they_should",
    ),
    (
        "<EOS> forgotten in the entropy",
        "course.lessons.stories.entropy_of_rule",
        "len(plot.split()) + 1",
        "len(plot.split())",
        "test_stories.test_entropy_by_hand",
    ),
    (
        "the choice of the plot forgotten in the entropy",
        "course.lessons.stories.entropy_of_rule",
        'math.log(len(rule["plots"])) + ',
        "",
        "test_stories.test_entropy_by_hand",
    ),
    (
        "pronouns that need not agree",
        "course.lessons.stories.is_of_plot",
        'fill(plot, choice, rule["names"]).split() == words',
        "True",
        "test_stories.test_a_wrong_pronoun_is_noticed",
    ),
    (
        "a word that was free where plots part, called grammar",
        "course.lessons.stories.kinds_of_words",
        "if parts or slot",
        "if slot",
        "test_stories.test_words_that_are_not_free_are_certain",
    ),
    (
        "right where the logit is the smallest",
        "course.lessons.stories.measure_kinds",
        "logits.index(max(logits))",
        "logits.index(min(logits))",
        "test_stories.test_measure_by_hand",
    ),
    (
        "the other head ablated",
        "course.lessons.stories.ablate_head",
        "range(head * k, (head + 1) * k)",
        "range((head + 1) * k, (head + 2) * k)",
        "test_stories.test_an_ablated_head_gives_nothing_and_the_others_stay",
    ),
    (
        "RoPE on values, too",
        "llama.cached_attention",
        "zip(values, V, strict=True)",
        "zip(values, [rope(v, positions) for v in V], strict=True)",
        "test_llama.test_the_logits_are_those_of_a_second_implementation",
    ),
    (
        "new tokens that begin at position 0 after a cache",
        "llama.cached_attention",
        "range(S, S + T)",
        "range(T)",
        "test_llama.test_attention_with_a_cache_by_hand",
    ),
    (
        "the first rows of the mask for the last tokens",
        "llama.cached_attention",
        "causal_mask(S + T)[S:]",
        "[row[: S + T] for row in causal_mask(S + T + T)][:T]",
        "test_llama.test_attention_with_a_cache_by_hand",
    ),
    (
        "a wrong function of the reader in the model",
        "course.exercises.in_llama.compared",
        "if difference:",
        "if False:",
        "test_llama.test_a_wrong_function_stays_out_and_a_right_one_beside_it_stays_in",
    ),
    (
        "RoPE on pairs by halves instead of neighbours",
        "rope.rope",
        "row[i : i + 2]",
        "(row[i // 2], row[(i + k) // 2])",
        "test_llama.test_rope_by_hand",
    ),
    (
        "the wrong set of keys for a head",
        "attention.grouped_query_attention",
        "K[h * G // H]",
        "K[h % G]",
        "test_llama.test_the_logits_are_those_of_a_second_implementation",
    ),
    (
        "gate and up exchanged",
        "llama.llama_block",
        'p["ffn_gate.weight"], p["ffn_up.weight"]',
        'p["ffn_up.weight"], p["ffn_gate.weight"]',
        "test_llama.test_the_logits_are_those_of_a_second_implementation",
    ),
    (
        "the eps of the file forgotten",
        "llama.llama_block",
        'p["ffn_norm.weight"], config["eps"]',
        'p["ffn_norm.weight"]',
        "test_llama.test_the_logits_are_those_of_a_second_implementation",
    ),
    (
        "the gradient of RoPE rotated forward",
        "backward.rope_backward",
        "-position for",
        "position for",
        "test_backward.test_rope_backward_by_hand",
    ),
    (
        "one head's gradient for a set of keys",
        "backward.grouped_query_attention_backward",
        "add(d_K[g], d_k)",
        "d_k",
        "test_backward.test_grouped_query_attention_backward_by_differences",
    ),
    (
        "the gate's gradient without the derivative of silu",
        "backward.swiglu_backward",
        "d * u * silu_derivative(g)",
        "d * u",
        "test_backward.test_swiglu_backward_by_hand",
    ),
    (
        "RoPE on the values of the model with six switches, too",
        "course.lessons.six_steps.six_step_model",
        "Q, K = rotated(Q), rotated(K)",
        "Q, K, V = rotated(Q), rotated(K), rotated(V)",
        "test_six_steps.test_all_steps_are_the_llama_of_lesson_20",
    ),
    (
        "gate and up exchanged in the model with six switches",
        "course.lessons.six_steps.six_step_model",
        '("gate", "up", "down")',
        '("up", "gate", "down")',
        "test_six_steps.test_all_steps_are_the_llama_of_lesson_20",
    ),
    (
        "an output matrix of its own that is not used",
        "course.lessons.six_steps.six_step_model",
        'if config["tied"] else "output.weight"',
        'if config["tied"] else "token_embd.weight"',
        "test_six_steps.test_all_steps_are_the_llama_of_lesson_20",
    ),
    (
        "SwiGLU with as many units as GELU had",
        "course.lessons.six_steps.after_steps",
        "round(2 * config",
        "round(3 * config",
        "test_six_steps.test_the_counts_of_the_steps_by_hand",
    ),
    (
        "weights of 64 bits in a training that is told in digits",
        "course.lessons.six_steps.train_model",
        '"single_precision": True, ',
        "",
        "test_six_steps.test_training_lowers_the_loss_and_keeps_numbers_of_32_bits",
    ),
    (
        "an output matrix that is not the table",
        "course.lessons.smollm2.Model.logits",
        '"token_embd.weight"',
        '"blk.0.attn_q.weight"',
        "test_gguf.test_a_model_in_a_file_gives_the_logits_of_the_second_implementation",
    ),
    (
        "a 4-bit block read high half first",
        "quantization.decode_q4_1",
        "[byte & 15 for byte in packed] + [byte >> 4 for byte in packed]",
        "[byte >> 4 for byte in packed] + [byte & 15 for byte in packed]",
        "test_quantization.test_a_block_of_4_bits_by_hand",
    ),
    (
        "a packed block read high half first",
        "course.lessons.packed.PackedMatrix.pack",
        "[p.translate(LOW) for p in packed] + [p.translate(HIGH) for p in packed]",
        "[p.translate(HIGH) for p in packed] + [p.translate(LOW) for p in packed]",
        "test_gguf.test_a_model_in_a_file_gives_the_logits_of_the_second_implementation",
    ),
    (
        "bf16 cut off, not rounded",
        "quantization.round_bf16",
        "bits += 0x7FFF + (bits >> 16 & 1)",
        "bits += 0",
        "test_quantization.test_bf16_keeps_eight_digits_of_two",
    ),
    (
        "a step that is not skipped at inf",
        "quantization.unscale_gradients",
        "if not all(map(math.isfinite, scaled)):",
        "if math.nan in scaled:",
        "test_quantization.test_loss_scaling_by_hand",
    ),
    (
        "scales shared by the groups of two rows",
        "quantization.round_matrix",
        "for i in range(0, n, group) for x in method(row[i : i + group], bits)] for row in W]",
        "for x in method(row, bits)] for row in W]",
        "test_quantization.test_groups_by_hand",
    ),
    (
        "the last of equal experts",
        "experts.route",
        "probabilities.index(max(probabilities))",
        "len(probabilities) - 1 - probabilities[::-1].index(max(probabilities))",
        "test_experts.test_the_route_by_hand",
    ),
    (
        "tokens at the least probable expert",
        "experts.dispatch",
        "row.index(max(row))",
        "row.index(min(row))",
        "test_experts.test_each_token_is_at_its_most_probable_expert",
    ),
    (
        "an expert's output without its probability",
        "experts.mixture",
        "probabilities[t][e] * y_i for y_i in y",
        "y_i for y_i in y",
        "test_experts.test_the_mixture_by_hand",
    ),
    (
        "an expert's gradient without its probability",
        "experts.mixture_backward",
        "probabilities[t][e] * d for d in d_out[t]",
        "d for d in d_out[t]",
        "test_experts.test_mixture_backward_by_hand",
    ),
    (
        "a router without gradient",
        "experts.mixture_backward",
        "d_x, dot(d_out[t], y)",
        "d_x, 0.0",
        "test_experts.test_mixture_backward_is_what_finite_differences_give",
    ),
    (
        "loads divided by the number of experts",
        "experts.expert_loads",
        "/ len(probabilities) for",
        "/ len(probabilities[0]) for",
        "test_experts.test_the_loads_by_hand",
    ),
    (
        "loads multiplied by loads",
        "experts.balance_loss",
        "dot(expert_loads(probabilities), means)",
        "dot(expert_loads(probabilities), expert_loads(probabilities))",
        "test_experts.test_the_balance_loss_by_hand",
    ),
    (
        "the N of the load-balancing loss forgotten in its gradient",
        "experts.balance_loss_backward",
        "d_out * N * load",
        "d_out * load",
        "test_experts.test_balance_loss_backward_is_what_finite_differences_give",
    ),
    (
        "the load-balancing loss left out of the gradients",
        "course.lessons.experts.gradients",
        "if balance:",
        "if balance < 0:",
        "test_experts.test_the_model_s_gradients_are_what_finite_differences_give",
    ),
    (
        "the router's gradient left out of the vectors",
        "course.lessons.experts.gradients",
        'd = FAST["add"](d_ln_2, d)',
        "d = d_ln_2",
        "test_experts.test_the_model_s_gradients_are_what_finite_differences_give",
    ),
    (
        "patches whose numbers are read by columns",
        "pictures.cut_patches",
        "[number for row in picture[y : y + n] for number in row[x : x + n]]",
        "[picture[y + j][x + i] for i in range(n) for j in range(n)]",
        "test_pictures.test_patches_by_hand",
    ),
    (
        "a box that is divided by its rows only",
        "pictures.shrink_picture",
        "/ (len(box) * len(box[0]))",
        "/ len(box)",
        "test_pictures.test_a_smaller_picture_by_hand",
    ),
    (
        "positions that are not added",
        "pictures.picture_forward",
        'add(linear(patches, p["patch.weight"], p["patch.bias"]), p["wpe.weight"])',
        'linear(patches, p["patch.weight"], p["patch.bias"])',
        "test_pictures.test_the_model_is_its_formula",
    ),
    (
        "attention with keys for values",
        "pictures.encoder_block",
        'a["attn.V"], strict=True)',
        'a["attn.K"], strict=True)',
        "test_pictures.test_the_model_is_its_formula",
    ),
    (
        "the gradient of a mean that is not divided",
        "pictures.picture_backward",
        "d / N for d in d_mean",
        "d for d in d_mean",
        "test_pictures.test_every_gradient_is_the_measured_one",
    ),
    (
        "the factor of LoRA used twice",
        "lora.merge_lora",
        "scale(matmul(B, A), c)",
        "scale(matmul(B, A), c * c)",
        "test_lora.test_a_layer_by_hand",
    ),
    (
        "the factor of LoRA forgotten in the layer",
        "lora.lora_linear",
        "scale(correction, c)",
        "correction",
        "test_lora.test_a_layer_by_hand",
    ),
    (
        "the factor of LoRA forgotten in a gradient",
        "lora.lora_backward",
        "scale(matmul(d_W, transpose(A)), c)",
        "matmul(d_W, transpose(A))",
        "test_lora.test_the_gradients_are_the_measured_ones",
    ),
    (
        "a correction that starts elsewhere",
        "lora.init_lora",
        "[[0.0] * r for _ in range(m)]",
        "[[1.0] * r for _ in range(m)]",
        "test_lora.test_a_correction_starts_at_zero_and_only_b_moves_first",
    ),
    (
        "overlapping tensors read",
        "course.lessons.gguf.read_tensors",
        "if begin < end:",
        "if begin < 0:",
        "test_gguf.test_a_hostile_file_is_refused_in_one_sentence[overlapping tensors]",
    ),
    # rewards and preferences
    *[
        (what, path, old, new, f"test_preferences.test_{catcher}")
        for path, catcher, changes in [
            (
                "preferences.advantages",
                "an_advantage_is_the_reward_minus_the_mean",
                [
                    ("the sign of an advantage", "reward - mean for", "mean - reward for"),
                    ("the baseline forgotten", "reward - mean for", "reward for"),
                ],
            ),
            (
                "preferences.group_advantages",
                "grpo_does_not_react_to_the_scale_of_the_rewards",
                [
                    ("GRPO's deviation of a sample", "/ len(centred)", "/ (len(centred) - 1)"),
                    ("GRPO's variance for its deviation", "math.sqrt(", "("),
                ],
            ),
            (
                "preferences.policy_gradient_loss",
                "the_policy_gradient_loss_by_hand",
                [
                    (
                        "the mean loss of a text for its sum",
                        "math.fsum(some) for",
                        "math.fsum(some) / len(some) for",
                    ),
                    ("the sum over texts", "/ len(terms)", "/ 1"),
                ],
            ),
            (
                "preferences.kl_divergence",
                "kl_is_zero_for_equal_distributions_and_has_a_direction",
                [("the direction of KL", "math.log(a / b)", "math.log(b / a)")],
            ),
            (
                "preferences.penalized_reward",
                "a_text_that_the_new_model_prefers_pays",
                [("the direction of the penalty", "beta * (new - old)", "beta * (old - new)")],
            ),
            (
                "preferences.dpo_margin",
                "dpo_s_margin_by_hand",
                [
                    ("DPO's pair exchanged", "(new_liked - old_liked) -", "(old_liked - new_liked) +"),
                    ("DPO without the first model", "(new_liked - old_liked)", "new_liked"),
                ],
            ),
            (
                "preferences.dpo_loss",
                "dpo_s_loss_begins_at_ln_2_and_does_not_overflow",
                [("DPO's loss of the other sign", "max(-margin, 0.0)", "max(margin, 0.0)")],
            ),
            (
                "preferences.dpo_loss_backward",
                "the_derivative_of_dpo_s_loss",
                [("DPO's derivative of the other sign", "if margin > 0", "if margin < 0")],
            ),
            (
                "preferences.masked_loss",
                "a_masked_loss_is_the_mean_of_what_counts",
                [
                    ("the mask on the question", "if m)", "if not m)"),
                    ("a masked loss divided by all tokens", "/ sum(mask)", "/ len(mask)"),
                ],
            ),
            (
                "course.lessons.answers.conversation",
                "the_mask_of_a_conversation_is_1_for_the_answer_and_the_end",
                [
                    (
                        "the mask one token late",
                        "[1] * (len(tokens) - len(prompt))",
                        "[0] + [1] * (len(tokens) - len(prompt) - 1)",
                    )
                ],
            ),
            (
                "course.lessons.rewards.token_weights",
                "the_weights_of_tokens_are_the_derivatives_of_the_policy_gradient_loss",
                [("weights without 1/n", "w / len(documents)", "w")],
            ),
            (
                "gpt.gpt_backward",
                "gpt_backward_takes_the_gradient_of_another_loss",
                [("another loss's gradient not used", "d_losses or [1 / n] * n", "[1 / n] * n")],
            ),
        ]
        for what, old, new in changes
    ],
]


def find(path):
    """The function at "module.function" of the helpers, or at "module.Class.method"."""
    module, name = re.fullmatch(r"((?:[a-z_0-9]+\.)*[a-z_0-9]+)\.((?:[A-Z]\w*\.)?\w+)", path).groups()
    return operator.attrgetter(name)(importlib.import_module(f"helpers.{module}"))


@contextmanager
def mutated(path, old, new):
    """Within this context the function is the one that its source gives with old replaced by new.

    What it is made of is exchanged, for everything that holds it to see, also for a checked function
    around it.
    """
    bare = inspect.unwrap(find(path))
    source = textwrap.dedent(inspect.getsource(bare))
    assert source.count(old) == 1, (
        f"{path} holds {old!r} {source.count(old)} times; a mutation changes one place"
    )
    scope = {}
    exec(compile(source.replace(old, new), f"<mutated {path}>", "exec"), bare.__globals__, scope)
    wrong = inspect.unwrap(scope[bare.__name__])
    right = bare.__code__, bare.__defaults__, bare.__annotations__
    try:
        bare.__code__, bare.__defaults__, bare.__annotations__ = (
            wrong.__code__,
            wrong.__defaults__,
            wrong.__annotations__,
        )
        declared.cache_clear()
        yield
    finally:
        bare.__code__, bare.__defaults__, bare.__annotations__ = right
        declared.cache_clear()


def run(catcher):
    """Run the test at "file.test": with the helper itself, where it is a claim that has near misses.

    "file.test[name]" runs only what begins with this name among the values of a test with parameters.
    """
    module, name = catcher.split(".")
    name, _, only = name.rstrip("]").partition("[")
    test = getattr(importlib.import_module(module), name)
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names, values = mark.args[:2]
            values = [
                value for value in values if not hasattr(value, "marks")
            ]  # the helper, without the near misses
            rows = [value if "," in names else (value,) for value in values]
            chosen = [row for row in rows if not only or getattr(row[0], "__name__", row[0]) == only]
            assert chosen, f"{catcher} is no test"
            for row in chosen:
                test(*row)
            return
    test()


# It fails where a test has become weaker, or where the row has to follow a change of the helper: it runs
# with --all.
pytestmark = pytest.mark.all_only


@pytest.mark.parametrize("what, path, old, new, catcher", MUTATIONS, ids=[row[0] for row in MUTATIONS])
def test_mistake_is_caught(what, path, old, new, catcher):
    run(catcher)  # right as it is
    with mutated(path, old, new), pytest.raises(WRONG):
        run(catcher)
    run(catcher)  # and right again


def test_a_change_that_its_test_does_not_notice_would_be_reported():
    with mutated("matrices.scale", "c * a", "a * c"), pytest.raises(pytest.fail.Exception):
        with pytest.raises(WRONG):
            run("test_matrices.test_scale_by_hand")


def test_a_row_whose_text_is_gone_is_reported():
    with pytest.raises(AssertionError, match="0 times"):
        with mutated("matrices.scale", "c / a", "a * c"):
            pass
