"""List-based functions of the course, and what makes its notebooks work. Standard library only.

This file and the commands also parse on old Pythons, so that those can be told what is missing.
"""

import sys

if sys.version_info < (3, 10):
    sys.exit(
        "This course needs Python 3.10 or newer, and this is Python %d.%d: install a newer one from "
        "python.org, then run the same command with it." % tuple(sys.version_info[:2])
    )

from .activations import (
    gelu,
    gelu_exact,
    gelu_exact_derivative,
    quick_gelu,
    quick_gelu_derivative,
    gelu_derivative,
    relu,
    relu_derivative,
)
from .attention import (
    attention,
    attention_scores,
    causal_mask,
    merge_heads,
    multi_head_attention,
    softmax,
    split_heads,
)
from .backward import (
    activation_backward,
    add_backward,
    attention_backward,
    attention_scores_backward,
    cross_entropy_backward,
    dot_backward,
    embedding_backward,
    feed_forward_backward,
    layer_norm_backward,
    linear_backward,
    matmul_backward,
    multi_head_attention_backward,
    perplexity_backward,
    rms_norm_backward,
    scale_backward,
    softmax_backward,
    token_losses_backward,
    transpose_backward,
)
from .course.argument_checks import checked, shape
from .course.show.compare import CheckFailed, check
from .generation import beam_search, generate, decode_step
from .finite_differences import numerical_gradient
from .course.show.display import closed, digits, table
from .course.show.plots import curves, heat_map, stack
from .course.exercises.grader import grade
from .course.lessons.reading.documents import decode_bytes, read_documents
from .course.lessons.fast_gpt import fast_gradients
from .gpt import (
    block_backward,
    block_forward,
    block_output,
    gpt_backward,
    gpt_forward,
    gpt_param_specs,
    init_gpt,
    gpt_param_shapes,
    project_qkv,
)
from .course.exercises.in_network import network_with
from .course.lessons.maps import course_figure, network_map
from .layers import embedding, feed_forward, layer_norm, linear, rms_norm
from .losses import cross_entropy, perplexity, token_losses
from .matrices import add, dot, matmul, scale, transpose
from .course.show.diagrams import (
    gradients_meet,
    graph,
    heads_split_and_join,
    query_meets_keys,
    residual_path,
    three_ways,
    wide_middle,
)
from .course.lessons.network import CONFIG, TARGETS, TOKENS, draw_parameters
from .ngrams import count_ngrams, ngram_losses
from .optimizers import adamw_init, adamw_step, adamw_vector, sgd_step
from .parameters import count_parameters, glorot_uniform, random_matrix, random_vector, tree_map
from .course.show.source import paste_block
from .course.lessons.reading.pdf import pdf_text
from .course.show.progress import progress, working
from .course.lessons.course_map import course_map
from .sampling import greedy, renormalize, argsort_descending, min_p, sample, top_k, top_p, softmax_with_temperature
from .course.lessons.toy_task import TOY_SENTENCES, train_toy, trained_parameters
from .course.lessons.state import load_state, save_state, start_over
from .course.lessons.files import StateError
from .tape import OPERATIONS, Node, Tape, gelu_rows, relu_rows, softmax_rows, softmax_rows_backward
from .texts import normalize_text, split_text, find_leaks, near_duplicates, comparison_key, shingles, deduplicate
from .toy import toy_backward, toy_forward
from .training import (
    accumulate_gradients,
    batch_gradients,
    clip_by_global_norm,
    global_norm,
    learning_rate,
    build_vocab,
    mean_loss,
    next_batch,
    train_val_test_split,
    encode,
    no_decay_names,
)
from .course.show.gradient_report import gradient_report


def _check_arguments(names):
    """Wrap every function with shapes in its signature; the modules keep the functions as they are."""
    for name, value in list(names.items()):
        strings = getattr(value, "__annotations__", {}).values()
        plain = isinstance(value, type(_check_arguments)) and not hasattr(value, "is_checked")
        if plain and any(isinstance(text, str) for text in strings):
            names[name] = checked(value)
    for name, (forward, backward) in OPERATIONS.items():
        OPERATIONS[name] = names[forward.__name__], backward
    Tape.watch = checked(Tape.watch)


_check_arguments(globals())
