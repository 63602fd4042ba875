"""What a lesson displays. It knows no lesson.

compare        check, which stops the notebook; agreement and places of nested lists
display        numbers with four decimals, tables, folded answers
player         figures that move, and the one script that moves them
plots          curves and heat maps
diagrams       drawn mechanisms: a query meets keys, heads, paths of gradients
svg            what all figures are drawn with
gradients      a table of gradients, one line per parameter
attention_lines, tokens, number_formats, picture_row, product_figure, rope_figure, loss_with_stories
               figures of attention, tokens, numbers with few bits, pictures, a matrix product, RoPE, and of a
               loss between others
status         a progress line that comes and goes
source         functions with all that they call, ready to be pasted
"""

from .. import exports

__getattr__ = exports(
    __name__,
    {
        "attention_lines": "heads_over_words",
        "number_formats": "byte_boxes number_line",
        "compare": "leaves shape",
        "diagrams": "graph heads_split_and_join hidden_layer_figure query_meets_keys residual_path",
        "display": "attempt closed digits table",
        "gradients": "gradient_report",
        "player": "moving",
        "picture_row": "pictures_in_a_row",
        "product_figure": "product_in_steps",
        "plots": "curves heat_map stack",
        "status": "progress working",
        "rope_figure": "rotated_pairs",
        "source": "paste_block",
        "tokens": "token_boxes",
    },
)
