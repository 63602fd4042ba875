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
    gelu_derivative,
    gelu_exact,
    gelu_exact_derivative,
    quick_gelu,
    quick_gelu_derivative,
    relu,
    relu_derivative,
    silu,
    silu_derivative,
)
from .attention import (
    attention,
    attention_scores,
    causal_mask,
    grouped_query_attention,
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
    grouped_query_attention_backward,
    layer_norm_backward,
    linear_backward,
    matmul_backward,
    multi_head_attention_backward,
    perplexity_backward,
    rms_norm_backward,
    rope_backward,
    scale_backward,
    softmax_backward,
    swiglu_backward,
    token_losses_backward,
    transpose_backward,
)
from .byte_pairs import (
    apply_merges,
    decode_tokens,
    encode_pieces,
    merge_pair,
    most_frequent_pair,
    split_bytes,
    train_byte_pairs,
)
from .course.argument_checks import checked, checked_on_error, shape
from .course.exercises.autograd_checks import row_with, unchecked, walk_with
from .course.exercises.grader import grade
from .course.exercises.in_llama import llama_with, my_answers, yours
from .course.exercises.in_network import network_with
from .course.lessons.answers import (
    NEW_WORDS,
    QUESTION,
    all_facts,
    conversation,
    first_word,
    fraction_right,
    next_words,
    sentence_of,
    tune_on_answers,
    with_new_words,
)
from .course.lessons.bug_hunt import backward_with, mixed_derivative, mysteries, random_numbers, suspects
from .course.lessons.course_map import course_map
from .course.lessons.dropout import dropout_gradients
from .course.lessons.experts import experts_forward, letter_map, load_curves, train_experts
from .course.lessons.fast_gpt import fast_gradients, fast_loss
from .course.lessons.files import StateError
from .course.lessons.gguf import parse_gguf, read_gguf
from .course.lessons.glossary import glossary
from .course.lessons.gpt2_tokens import byte_letters, gpt2_tokens, gpt2_vocabulary, read_merges, split_pieces
from .course.lessons.half_precision import HalfPrecision
from .course.lessons.llama_bugs import LLAMA_BUGS
from .course.lessons.looking_inside import (
    COPY_HEADS,
    ablation,
    attention_maps,
    copy_scores,
    copying_figure,
    first_loss,
    head_maps,
    induction_score,
    letters,
    look_inside,
    look_inside_gpt,
    next_word,
    patch,
    patch_lines,
    period_of,
    previous_score,
    repeat_loss,
    repeated_letters,
    rest_of_story,
    rich_stories,
    right_words,
    score_lines,
    smollm2_ablations,
    smollm2_lens,
    smollm2_on_ordinary_text,
    smollm2_scores,
    start_copying,
    train_copying,
    watched_sequences,
)
from .course.lessons.lora import (
    block_matrices,
    element_sets,
    merge_all,
    tune_all,
    tune_lora,
    tune_matrices,
    two_losses,
)
from .course.lessons.maps import course_figure, network_map
from .course.lessons.names_model import (
    MAX_LINE_LENGTH,
    NOTEBOOKS,
    course_sets,
    documents_of_model,
    read_lines,
    smallest_config,
    text_of_model,
)
from .course.lessons.network import CONFIG, TARGETS, TOKENS, draw_parameters
from .course.lessons.own_writing import generate_by_counts
from .course.lessons.packed import with_fewer_bits
from .course.lessons.pictures import (
    bad_pictures,
    draw_digit,
    draw_digits,
    fit_digit,
    picture_scores,
    said_of_file,
    start_hidden,
    start_linear,
    start_pictures,
    train_pictures,
    write_png,
)
from .course.lessons.reading.documents import BOMS, decode_bytes, read_documents
from .course.lessons.reading.pdf import pdf_text
from .course.lessons.reading.pictures import read_picture
from .course.lessons.rewards import (
    dpo,
    draw_names,
    gain_curves,
    imitate,
    liked_and_disliked,
    log_probabilities,
    measure_names,
    reward_curves,
    spell_name,
    token_weights,
    update,
    watch_steps,
    weighted_gradients,
    written_names,
)
from .course.lessons.safetensors import write_safetensors
from .course.lessons.six_steps import (
    SIX_STEPS,
    after_steps,
    count_steps,
    draw_model,
    gpt2_config,
    gradient_check,
    model_loss,
    rename_gpt2,
    rope_by_halves,
    six_step_model,
    six_step_sizes,
    train_model,
)
from .course.lessons.smollm2 import fast, load_smollm2
from .course.lessons.state import load_state, save_state, start_over
from .course.lessons.stories import (
    PRONOUNS,
    RICH_RULE,
    RULE,
    STORY_SETTINGS,
    ablate_attention,
    ablate_head,
    all_stories,
    encode_story,
    entropy_of_rule,
    fill,
    is_fluent,
    kinds_of_words,
    loss_on_new_stories,
    measure_kinds,
    ngram_baseline,
    obeys,
    read_aloud,
    sample_story,
    slots_of,
    split_stories,
    stairs_of,
    start_stories,
    stories_model,
    story_config,
    train_rich_stories,
    train_stories,
    word_vocab,
)
from .course.lessons.toy_task import TOY_SENTENCES, encode_words, train_toy, trained_parameters, tree_mean
from .course.lessons.training_loop import SETTINGS, scale_initial_weights, start_run, train, training_step
from .course.show.compare import CheckFailed, check, leaves
from .course.show.diagrams import (
    gradients_meet,
    graph,
    heads_split_and_join,
    hidden_layer_figure,
    query_meets_keys,
    residual_path,
    three_ways,
)
from .course.show.display import closed, digits, table
from .course.show.gradient_report import gradient_report
from .course.show.number_formats import byte_boxes, number_line
from .course.show.picture_row import pictures_in_a_row
from .course.show.plots import curves, heat_map, stack
from .course.show.progress import progress, working
from .course.show.rope_figure import rotated_pairs
from .course.show.source import paste_block
from .course.show.tokens import token_boxes
from .experts import (
    balance_loss,
    balance_loss_backward,
    dispatch,
    expert_loads,
    mixture,
    mixture_backward,
    route,
)
from .finite_differences import numerical_gradient
from .generation import beam_search, cache_shapes, decode_step, generate
from .gpt import (
    BLOCK_PARAM_SHAPES,
    block_backward,
    block_forward,
    block_output,
    gpt_activation_shapes,
    gpt_backward,
    gpt_forward,
    gpt_param_shapes,
    gpt_param_sizes,
    init_gpt,
    project_qkv,
)
from .layers import embedding, feed_forward, layer_norm, linear, rms_norm, swiglu
from .llama import (
    LLAMA_BLOCK_SHAPES,
    cached_attention,
    llama_attention,
    llama_block,
    llama_cache_shapes,
    llama_forward,
    llama_logits,
    llama_param_shapes,
    llama_param_sizes,
)
from .lora import init_lora, lora_backward, lora_linear, merge_lora
from .losses import cross_entropy, perplexity, token_losses
from .matrices import add, dot, matmul, scale, transpose
from .ngrams import count_ngrams, ngram_losses
from .optimizers import adamw_init, adamw_step, adamw_vector, sgd_step
from .parameters import (
    count_parameters,
    glorot_uniform,
    random_matrix,
    random_vector,
    single_precision,
    tree_map,
)
from .pictures import (
    cut_patches,
    encoder_block,
    init_pictures,
    picture_backward,
    picture_forward,
    shrink_picture,
)
from .preferences import (
    advantages,
    dpo_loss,
    dpo_loss_backward,
    dpo_margin,
    group_advantages,
    kl_divergence,
    masked_loss,
    penalized_reward,
    policy_gradient_loss,
)
from .quantization import (
    decode_q4_1,
    decode_q8_0,
    round_bf16,
    round_fp16,
    round_matrix,
    round_min_max,
    round_symmetric,
    unscale_gradients,
)
from .rope import rope
from .sampling import (
    argsort_descending,
    greedy,
    min_p,
    renormalize,
    sample,
    softmax_with_temperature,
    top_k,
    top_p,
)
from .tape import OPERATIONS, Node, Tape, gelu_rows, relu_rows, softmax_rows, softmax_rows_backward
from .texts import (
    comparison_key,
    deduplicate,
    find_leaks,
    near_duplicates,
    normalize_text,
    shingles,
    split_text,
)
from .toy import toy_backward, toy_forward
from .training import (
    accumulate_gradients,
    batch_gradients,
    build_vocab,
    clip_by_global_norm,
    encode,
    global_norm,
    learning_rate,
    mean_loss,
    next_batch,
    no_decay_names,
    train_val_test_split,
)


def _wrap_functions(names):
    """Wrap every function with shapes in its signature; the modules keep the functions as they are."""
    for name, value in list(names.items()):
        strings = getattr(value, "__annotations__", {}).values()
        plain = isinstance(value, type(_wrap_functions)) and not hasattr(value, "is_checked")
        if plain and any(isinstance(text, str) for text in strings):
            names[name] = checked(value)
    for name, (forward, backward) in OPERATIONS.items():
        OPERATIONS[name] = checked_on_error(names[forward.__name__]), backward
    Tape.watch = checked(Tape.watch)


_wrap_functions(globals())
