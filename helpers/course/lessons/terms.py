"""The glossary: each term that a lesson defines, read from the notebooks.

A lesson sets a term in bold in the sentence that defines it. That sentence is the entry. Bold words that end
with a full stop or a colon are run-in headings, not terms.
"""

import re

from .. import ROOT
from ..show.display import Table
from ..state.registry import notebook_paths
from .contents import cell_sources

# Bold words that begin a part of a lesson; they are no terms.
LABELS = {"Before", "By hand", "Keep this", "Next question", "Path", "Predict", "Right", "Shift+Enter"}
LABELS |= {"Time", "You need", "You will be able to", "Your turn"}
SENTENCE_END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z*`(])|(?<=[.?!]\))\s+|\n\s*\n|\n(?=[-|#<]|\d+\. )")
TERM = re.compile(r"\*\*([^*`\n]+?)\*\*")


def definitions(root=ROOT):
    """(term, sentence, file name of the lesson) for each term that a notebook sets in bold, in order."""
    found = []
    for path in notebook_paths(root / "notebooks"):
        for sentence in sentences(path):
            terms = [term for term in TERM.findall(sentence) if term[-1] not in ".:" and term not in LABELS]
            found += [(term, plain(sentence), path.name) for term in terms]
    return found


def in_alphabetical_order(root=ROOT):
    return sorted(definitions(root), key=lambda entry: entry[0].lower())


def sentences(path):
    """The sentences of a notebook's text, without code blocks; none if the notebook cannot be read."""
    text = re.sub(r"(?s)```.*?```|(?m:^#[^\n]*$)", "", "\n\n".join(cell_sources(path, "markdown")))
    return [" ".join(sentence.split()) for sentence in SENTENCE_END.split(text)]


def plain(sentence):
    """A sentence without the marks of bold and italic type, links and list points."""
    sentence = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", sentence.removeprefix("- "))
    return re.sub(r"\*\*|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*])", "", sentence)


def glossary():
    """The terms of the course in alphabetical order, each with its definition and its lesson."""
    rows = [[term, sentence, name.partition("_")[0]] for term, sentence, name in in_alphabetical_order()]
    return Table(["term", "meaning", "lesson"], rows, 4)
