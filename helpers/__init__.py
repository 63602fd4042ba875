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
    concatenate,
    multi_head_attention,
    softmax,
)
from .checks import CheckFailed, check, grade
from .display import digits, table
from .figures import curves, heat_map, network_map, stack
from .layers import embedding, feed_forward, layer_norm, linear
from .matrices import add, dot, matmul, scale, shape, transpose
from .network import CONFIG, TARGETS, TOKENS, draw_parameters
from .parameters import count_parameters, glorot_uniform, random_matrix, random_vector
from .paste import paste_block
from .readme import course_map
from .state import StateError, load_state, reset, save_state
