"""Lesson 24b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from .exercise import Exercise


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
    "the names are always add and multiply: use those of `names`": (
        "name not in names",
        'name not in ["add", "multiply"]',
    ),
    "a name that contains a name of the list is accepted: it must be equal to one": (
        "name not in names",
        "not any(known in name for known in names)",
    ),
    "a name that begins with a name of the list is accepted: it must be equal to one": (
        "name not in names",
        "not name.startswith(tuple(names))",
    ),
    "text before the call is accepted: the whole text must be the call": (
        'text.partition("(")',
        'text[text.rfind(" ", 0, text.find("(")) + 1 :].partition("(")',
    ),
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
            ["addall(1, 2)", ["add"]],
            ["add; delete(1, 2)", ["add"]],
            ["xadd(1, 2)", ["add"]],
            ["multiply(1, 2)", ["add"]],
            ["power(2, 3)", ["power"]],
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
