"""Text that follows a form: steps of a sum, a vote over answers, a mask for logits, a call of a tool."""

import math


def addition_steps(a: "int >= 0", b: "int >= 0", n: "int > 0") -> "str":
    """The addition of two numbers of n digits, column by column from the last one, then the sum.

    Each column gives the carry to the next column and the digit of the sum.
    Source: Nye et al. 2021, section 3, in a shorter form.

    >>> addition_steps(37, 58, 2)
    '1509:095.'
    """
    assert max(a, b) < 10**n, f"a and b are {a} and {b}; give numbers of at most {n} digits"
    columns, carry = "", 0
    for i in range(n):
        column = a // 10**i % 10 + b // 10**i % 10 + carry
        carry = column // 10
        columns += f"{column:02}"
    return f"{columns}:{a + b:0{n + 1}}."


def majority(answers: "list of str") -> "str":
    """Self-consistency: the answer that occurs most often; of several, the one that was given first.

    Source: Wang et al. 2022, section 2.

    >>> majority(["095", "085", "095"]), majority(["1", "2"])
    ('095', '1')
    """
    return max(answers, key=answers.count)


def mask_logits(logits: "n finite", allowed: "m < n") -> "n":
    """Constrained decoding: set the logits of all tokens that are not allowed to minus infinity.

    allowed holds at least one token id. Softmax then gives the other tokens the probability 0.
    Source: Scholak, Schucher and Bahdanau 2021.

    >>> mask_logits([2.0, 1.0, 0.5], [0, 2])
    [2.0, -inf, 0.5]
    """
    assert allowed, "no token is allowed; allow at least one"
    masked = [-math.inf] * len(logits)
    for i in allowed:
        masked[i] = logits[i]
    return masked


def parse_call(text: "str", names: "list of str") -> "list":
    """The name and the whole numbers of a call such as add(17, 25); [] if it is no call of these names.

    Nothing in the text is evaluated. A number has at most nine digits: Python refuses very long ones.

    >>> parse_call("add(17, 25)", ["add"]), parse_call("open(1)", ["add"])
    (['add', [17, 25]], [])
    """
    name, _, rest = text.partition("(")
    numbers = rest[:-1].split(", ")
    fit = all(n.isascii() and n.isdigit() and len(n) < 10 for n in numbers)
    if name not in names or rest[-1:] != ")" or not fit:
        return []
    return [name, [int(number) for number in numbers]]
