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
    gelu_exact_slope,
    gelu_sigmoid,
    gelu_sigmoid_slope,
    gelu_slope,
    relu,
    relu_slope,
)
from .attention_heads import (
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
from .course.checks import CheckFailed, check
from .cache import beam_search, generate, gpt_next
from .differences import central_differences
from .course.display import closed, digits, table
from .course.figures import curves, heat_map, stack
from .course.grader import grade
from .documents import decode, read_documents
from .course.fast_gpt import fast_gradients
from .gpt import (
    block_backward,
    block_forward,
    block_output,
    gpt_backward,
    gpt_forward,
    gpt_letters,
    gpt_parameters,
    gpt_sizes,
    project_qkv,
)
from .course.in_network import network_with
from .course.maps import course_figure, network_map
from .layers import embedding, feed_forward, layer_norm, linear, rms_norm
from .losses import cross_entropy, perplexity, token_losses
from .matrices import add, dot, matmul, scale, transpose
from .course.mechanisms import (
    gradients_meet,
    graph,
    heads_split_and_join,
    query_meets_keys,
    residual_path,
    three_ways,
    wide_middle,
)
from .course.network import CONFIG, TARGETS, TOKENS, draw_parameters
from .ngrams import count_ngrams, ngram_losses
from .optimizers import adamw_start, adamw_step, adamw_vector, sgd_step
from .parameters import count_parameters, glorot_uniform, random_matrix, random_vector, tree_map
from .course.paste import paste_block
from .pdf import pdf_text
from .course.progress import progress, working
from .course.readme import course_map
from .sampling import greedy, keep_only, likeliest_first, min_p, sample, top_k, top_p, with_temperature
from .course.scene import SCENE, train_scene, trained_parameters
from .course.state import StateError, load_state, save_state, start_over
from .tape import OPERATIONS, Node, Tape, gelu_rows, relu_rows, softmax_rows, softmax_rows_backward
from .texts import clean, cut, leaks, near_duplicates, plain_words, shingles, unique
from .toy import toy_backward, toy_forward
from .training import (
    add_gradients,
    batch_gradients,
    clip_gradients,
    global_norm,
    learning_rate,
    list_characters,
    mean_loss,
    next_batch,
    split_documents,
    text_to_tokens,
    without_decay,
)
from .course.wall import gradient_report


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
