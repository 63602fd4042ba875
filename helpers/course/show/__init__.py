"""What a lesson displays. It knows no lesson.

compare        check, which stops the notebook; agreement and places of nested lists
display        numbers with four decimals, tables, folded answers
plots          curves and heat maps
diagrams       drawn mechanisms: a query meets keys, heads, paths of gradients
svg            what all figures are drawn with
gradients      a table of gradients, one line per parameter
tokens, bits, pictures, rotations, stairs    figures of tokens, number formats, pictures, RoPE, losses
status         a progress line that comes and goes
source         functions with all that they call, ready to be pasted
"""

from .. import exports

__getattr__ = exports(
    __name__,
    {
        "bits": "byte_boxes number_line",
        "compare": "CheckFailed check leaves shape",
        "diagrams": "gradients_meet graph heads_split_and_join hidden_layer_figure query_meets_keys "
        "residual_path three_ways",
        "display": "closed digits table",
        "gradients": "gradient_report",
        "pictures": "pictures_in_a_row",
        "plots": "curves heat_map stack",
        "status": "progress working",
        "rotations": "rotated_pairs",
        "source": "paste_block",
        "tokens": "token_boxes",
    },
)
