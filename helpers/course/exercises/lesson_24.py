"""Lesson 24: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from helpers import softmax

from .exercise import Exercise


def my_addition_steps(a, b, n):
    columns, carry = "", 0
    for i in range(n):
        column = a // 10**i % 10 + b // 10**i % 10 + carry
        carry = column // 10
        columns += f"{column:02}"
    return f"{columns}:{a + b:0{n + 1}}."


COLUMN = "a // 10**i % 10 + b // 10**i % 10 + carry"
STEPS_MISTAKES = {
    "the carry comes from the two digits alone: the carry of the column before it can make it 10": (
        "carry = column // 10",
        "carry = (a // 10**i % 10 + b // 10**i % 10) // 10",
    ),
    "the carry is dropped: a column also adds the carry of the column before it": (" % 10 + carry", " % 10"),
    "a column of exactly 10 gives no carry": ("column // 10\n", "int(column > 10)\n"),
    "the digit of a column is written with a 0 before it, and not with its carry": (
        "{column:02}",
        "{column % 10:02}",
    ),
    "a space stands after the colon": ("{columns}:", "{columns}: "),
    "the question is written again: the text begins after =": (
        'return f"{columns}',
        'return f"{a:0{n}}+{b:0{n}}={columns}',
    ),
    "the text repeats the question: begin it after =": ('return f"{columns}', 'return f"{a}+{b}={columns}'),
    "the columns end with the shorter number: fill both with zeros to n digits": (
        "range(n)",
        "range(min(len(str(a)), len(str(b))))",
    ),
    "the carry is always 1 after the first column": ("column // 10\n", "1\n"),
    "the digits are aligned wrongly: the columns begin with the last digits of both numbers": (
        COLUMN,
        "int(str(a).ljust(n, '0')[n - 1 - i]) + int(str(b).ljust(n, '0')[n - 1 - i]) + carry",
    ),
    "the columns begin with the first digits: begin with the last ones": (
        COLUMN,
        "a // 10 ** (n - 1 - i) % 10 + b // 10 ** (n - 1 - i) % 10 + carry",
    ),
    "the columns stand in the other order: the column of the last digits comes first": (
        'columns += f"{column:02}"',
        'columns = f"{column:02}" + columns',
    ),
    "a column of one digit is written without its 0": ("{column:02}", "{column}"),
    "only the digit of a column is written, and not its carry": ("{column:02}", "{column % 10}"),
    "the two digits of a column are exchanged: the carry comes first": (
        "{column:02}",
        "{column % 10}{column // 10}",
    ),
    "the carry of the column before is written, and not the new one": (
        ("carry = column // 10\n", "old, carry = carry, column // 10\n"),
        ("{column:02}", "{old}{column % 10}"),
    ),
    "the sum is not filled with zeros to n + 1 digits": (":0{n + 1}}", "}"),
    "the sum is filled with zeros to n digits, and not to n + 1": ("0{n + 1}", "0{n}"),
    "the steps are left out": ("{columns}:", ""),
    "the colon between the steps and the sum is missing": ("{columns}:", "{columns}"),
    "the full stop at the end is missing": ("}.", "}"),
    "the digits of the sum are reversed": ("{a + b:0{n + 1}}.", "{str(a + b).zfill(n + 1)[::-1]}."),
    "the product is written, and not the sum": ("{a + b:0", "{a * b:0"),
    "the last column is left out": ("range(n)", "range(n - 1)"),
    "there are always two columns: there are n": ("range(n)", "range(2)"),
    "the carries are added up: a column adds only the carry of the column before it": (
        "carry = column // 10",
        "carry += column // 10",
    ),
}


def my_masked_probabilities(logits, allowed):
    return softmax([logit if i in allowed else -math.inf for i, logit in enumerate(logits)])


MASKED = "softmax([logit if i in allowed else -math.inf for i, logit in enumerate(logits)])"
MASK_MISTAKES = {
    "the mask is applied after softmax, and the probabilities do not sum to 1": (
        MASKED,
        "[p if i in allowed else 0.0 for i, p in enumerate(softmax(logits))]",
    ),
    "the masked logits are 0, and not minus infinity": ("-math.inf", "0.0"),
    "the masked logits are −100, and not minus infinity: other logits can be lower": ("-math.inf", "-100.0"),
    "the masked logits are −1,000, and not minus infinity: other logits can be lower": (
        "-math.inf",
        "-1000.0",
    ),
    "the masked logits are just below all others, so they keep a probability: use minus infinity": (
        "-math.inf",
        "min(logits) - 1",
    ),
    "the mask is not used": (" if i in allowed else -math.inf", ""),
    "the mask is read the other way: allowed holds the tokens that may be written": ("i in", "i not in"),
    "all allowed tokens get the same probability": (
        MASKED,
        "[1 / len(allowed) if i in allowed else 0.0 for i in range(len(logits))]",
    ),
    "the most likely allowed token gets the probability 1": (
        MASKED,
        "[float(i == max(allowed, key=logits.__getitem__)) for i in range(len(logits))]",
    ),
    "the result has only the allowed tokens: keep a 0 for each of the others": (
        MASKED,
        "softmax([logits[i] for i in allowed])",
    ),
    "the logits are returned: apply softmax": ("softmax([", "list(["),
    "the logits are divided by their sum, without exp": (
        MASKED,
        "[x / sum(logits[j] for j in allowed) if i in allowed else 0.0 for i, x in enumerate(logits)]",
    ),
    "the probability of the other tokens is shared out equally, and not in proportion": (
        MASKED,
        "(lambda p: [x + (1 - sum(p[j] for j in allowed)) / len(allowed) if i in allowed else 0.0 "
        "for i, x in enumerate(p)])(softmax(logits))",
    ),
    "softmax comes before the mask, so small probabilities are 0 when they are divided: mask the logits": (
        MASKED,
        "(lambda p: [x / sum(p[j] for j in allowed) if i in allowed else 0.0 for i, x in enumerate(p)])"
        "(softmax(logits))",
    ),
    "softmax is applied twice": (MASKED, f"softmax({MASKED})"),
}


def my_parse_call(text, names):
    name, _, rest = text.partition("(")
    numbers = rest[:-1].split(", ")
    fit = all(n.isascii() and n.isdigit() and len(n) < 10 for n in numbers)
    if name not in names or rest[-1:] != ")" or not fit:
        return []
    return [name, [int(number) for number in numbers]]


def run_as_code(text, names):
    name, _, rest = text.partition("(")
    try:
        numbers = eval(f"[{rest[:-1]}]", {})
    except (NameError, SyntaxError):
        return []
    return [name, numbers] if name in names and rest[-1:] == ")" and numbers else []


def by_int(between, longest):
    def read_by_int(text, names):
        name, _, rest = text.partition("(")
        numbers = rest[:-1].split(between)
        try:
            read = [int(number) for number in numbers]
        except ValueError:
            return []
        fit = name in names and rest[-1:] == ")" and all(len(number) <= longest for number in numbers)
        return [name, read] if fit else []

    return read_by_int


DIGITS = "all(n.isascii() and n.isdigit() and len(n) < 10 for n in numbers)"
PARSE_MISTAKES = {
    "a number may have any length: it has at most nine digits": (" and len(n) < 10", ""),
    "the text is run before its form is checked": (
        "    name, _",
        "    try:\n        eval(text)\n    except Exception:\n        pass\n    name, _",
    ),
    "every name is accepted: only a name of the list may be called": ("name not in names or ", ""),
    "the name is not compared with the names of the list": ("name not in names", "not name.isidentifier()"),
    "a minus sign is accepted: a number has no sign": ("n.isdigit()", 'n.removeprefix("-").isdigit()'),
    "the number is compared with 10 to the power of 9: count its digits": ("len(n) < 10", "int(n) < 10**9"),
    "the numbers stay texts": ("int(number) for", "number for"),
    "the closing bracket is not required": ('rest[-1:] != ")" or ', 'rest[-1:] not in ")9" or '),
    "the order of the numbers is reversed": ("in numbers]]", "in numbers[::-1]]]"),
    "the name is missing in the result": (
        "[name, [int(number) for number in numbers]]",
        "[int(number) for number in numbers]",
    ),
    "only the first number is returned": ("in numbers]]", "in numbers[:1]]]"),
    "the call is computed: return its name and its numbers": (
        "[name, [int(number) for number in numbers]]",
        "sum(int(number) for number in numbers)",
    ),
    "anything between the commas is accepted, also what is no number": (
        (DIGITS, "True"),
        ("int(number) for", "int(number) if number.isdigit() else number for"),
    ),
    "the last character inside the brackets is lost": ("rest[:-1].split", "rest[:-2].split"),
    "the name may stand after other words: the whole text must be the call": (
        "text.partition",
        "text.rpartition(': ')[2].partition",
    ),
    "a comma without a space is accepted: a comma and a space stand between the numbers": (
        'rest[:-1].split(", ")',
        '[number.strip() for number in rest[:-1].split(",")]',
    ),
    "spaces and line breaks around the call are accepted: the whole text must be the call": (
        "text.partition",
        "text.strip().partition",
    ),
    "capitals and small letters are not distinguished": ("text.partition", "text.lower().partition"),
    "arguments that are no numbers are skipped": (
        (DIGITS, "True"),
        ("for number in numbers]]", "for number in numbers if number.isascii() and number.isdigit()]]"),
    ),
    "any space after the comma is accepted, also a tab or a line break": (
        ('rest[:-1].split(", ")', 'rest[:-1].replace(",\\t", ", ").replace(",\\n", ", ").split(", ")'),
    ),
    "there must be two numbers: there may be one, or more": (
        "rest[-1:] !=",
        "len(numbers) != 2 or rest[-1:] !=",
    ),
    "only the first letter of the name is compared": (
        "name not in names",
        "name[:1] not in [known[:1] for known in names]",
    ),
    "the text is run as code: eval calls whatever the model has written, so read the digits yourself": (
        run_as_code
    ),
    "int() reads the numbers: it accepts a sign, an underline and other digits, too": by_int(", ", 9),
    "int() reads the numbers: it accepts a sign, an underline, other digits and any length": by_int(
        ", ", math.inf
    ),
    "int() reads the numbers: it accepts a sign, an underline, other digits, and any space or none": by_int(
        ",", math.inf
    ),
    "other digits than 0 to 9 are accepted, as isdecimal() and \\d do": (
        "n.isascii() and n.isdigit()",
        "n.isdecimal()",
    ),
    "a line break after the call is accepted, as $ does in a regular expression": (
        "text.partition",
        'text.removesuffix("\\n").partition',
    ),
    "more text after the bracket is accepted: the whole text must be the call": (
        "text.partition",
        '(text[: text.find(")") + 1] or text).partition',
    ),
    "a call without numbers is accepted: it has one or more": (
        ("fit = all(", "fit = rest == ')' or all("),
        ("for number in numbers]]", "for number in numbers if number]]"),
    ),
}


def my_idf(word, documents):
    containing = sum(word in document.split() for document in documents)
    return math.log(len(documents) / containing) if containing else 0.0


LOG = "math.log(len(documents) / containing)"
HALF = "a word in half of the documents must have the weight log 2"
IDF_MISTAKES = {
    f"the weight falls on a straight line: {HALF}": (
        LOG,
        "math.log(len(documents)) * (len(documents) - containing) / (len(documents) - 1)",
    ),
    f"the logarithm is of a difference, and not of a quotient: {HALF}": (
        LOG,
        "math.log(len(documents) - containing + 1)",
    ),
    "a word that no document contains gets a weight, as if one did: it gets 0": (
        ("/ containing)", "/ max(containing, 1))"),
        (" if containing else 0.0", ""),
    ),
    "the quotient is turned over, so the result is negative": (LOG, "math.log(containing / len(documents))"),
    "the logarithm is missing": (LOG, "len(documents) / containing"),
    "the logarithm has base 2: math.log is the natural one": ("math.log(", "math.log2("),
    "the logarithm has base 10: math.log is the natural one": ("math.log(", "math.log10("),
    "1 is added to both numbers": ("len(documents) / containing", "(1 + len(documents)) / (1 + containing)"),
    "1 is added to the number of documents with the word": ("/ containing)", "/ (1 + containing))"),
    "1 is added to both numbers and to the logarithm, as some libraries do": (
        ("math.log(", "1 + math.log("),
        ("len(documents) / containing", "(1 + len(documents)) / (1 + containing)"),
    ),
    "the quotient is rounded down: divide with /": (
        "len(documents) / containing",
        "len(documents) // containing",
    ),
    "a word at the beginning or the end of a document is not found": (
        "word in document.split()",
        'f" {word} " in document',
    ),
    "equal documents are counted once": ("len(documents)", "len(set(documents))"),
    "1 is added to the logarithm": ("math.log(", "1 + math.log("),
    "the word is also found inside longer words: compare whole words": ("document.split()", "document"),
    "all occurrences are counted: count the documents": (
        "word in document.split()",
        "document.split().count(word)",
    ),
    "the share of the documents is returned": (LOG, "containing / len(documents)"),
    "the number of documents with the word is returned": (f"{LOG} if containing else 0.0", "containing"),
    "only documents that begin with the word count": ("in document.split()", "== document.split()[0]"),
    "the number of words is used, and not that of documents": (
        "len(documents) /",
        "sum(len(document.split()) for document in documents) /",
    ),
}


EXERCISES = {
    "24.a": Exercise(
        my_addition_steps,
        [
            [37, 58, 2],
            [61, 72, 2],
            [3, 4, 2],
            [4, 5, 1],
            [21, 46, 2],
            [99, 1, 2],
            [7, 60, 2],
            [905, 187, 3],
            [640, 75, 3],
            [145, 256, 3],
        ],
        STEPS_MISTAKES,
    ),
    "24.b": Exercise(
        my_masked_probabilities,
        [
            [[1.0, 3.0, 1.0, 0.0], [0, 2]],
            [[2.0, -1.0, 0.5], [1, 2]],
            [[1.5, 0.25, -2.0, 3.0, 0.75], [2, 0, 4]],
            [[-1.0, 2.0], [1]],
            [[0.5, -1.5, -0.5], [0, 1, 2]],
            [[1000.0, 0.0], [1]],
            [[3.0, -200.0, -201.0], [1, 2]],
            [[3.0, -2000.0, -2001.0], [1, 2]],
        ],
        MASK_MISTAKES,
    ),
    "24.c": Exercise(
        my_parse_call,
        [
            ["add(17, 25)", ["add", "multiply"]],
            ["delete(1, 2)", ["add", "multiply"]],
            ["add(3, 4", ["add"]],
            ["add(3, 49", ["add"]],
            ["multiply(6)", ["add", "multiply"]],
            ["add(1, x)", ["add"]],
            ["I call: add(5, 6)", ["add"]],
            ["answer(2, 3)", ["add"]],
            ["add(10, 20, 309)", ["add"]],
            ["add", ["add"]],
            ["add()", ["add"]],
            ["add(1, 2) and delete(3, 4)", ["add", "delete"]],
            ["add(1, 2))", ["add"]],
            ["add(1, 2)\n", ["add"]],
            [" add(1, 2)", ["add"]],
            ["ADD(1, 2)", ["add"]],
            ["add(1,\t2)", ["add"]],
            ["add(1,2)", ["add"]],
            ["add(1, -2)", ["add"]],
            ["add(1_000, 2)", ["add"]],
            ["add(1, \u00b2)", ["add"]],  # a superscript, which isdigit takes for a digit
            ["add(1, \u0663)", ["add"]],  # an Arabic digit
            ["addx1, 2)", ["add"]],
            ["add(1234567890, 2)", ["add"]],
            ["add(0000000001, 2)", ["add"]],  # ten digits, too
            ["add(123456789, 0)", ["add"]],
            ["add(007, 1, 2, 3, 4)", ["add"]],
            ["ad(1, 2)", ["add"]],
            ["d(1, 2)", ["add"]],
            ["(1, 2)", ["add"]],
            ["names.clear()", ["add"]],  # an answer that runs the text empties the list
        ],
        PARSE_MISTAKES,
    ),
    "24.d": Exercise(
        my_idf,
        [
            ["no", ["iceland has no army", "bolivia has no coast", "norway has oil", "chile has copper"]],
            ["has", ["iceland has no army", "norway has oil"]],
            ["lake", ["iceland has no army", "norway has oil"]],
            [
                "oil",
                [
                    "oil and oil and more oil",
                    "the soil of chad",
                    "the sea",
                    "an oil lamp",
                    "no oil here",
                    "a lamp of brass",
                    "a river",
                    "a hill",
                ],
            ],
            ["a", ["a sea", "a land and a river", "many lands"]],
            ["no", ["no sea", "no sea", "a land"]],  # two equal documents
        ],
        IDF_MISTAKES,
    ),
}
