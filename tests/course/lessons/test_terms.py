"""The glossary: terms in bold, each with the sentence that defines it."""

import json
import re

import pytest

from helpers.course.lessons.terms import definitions

PAGE = """# 01 One

**You will be able to** say it · do it.

**Time**: about 5 minutes.

A network adds. A **vector** is a list
of numbers. It has a length (a **shape**, see [here](x.md)). **Predict**: how long is it?

- The **query** and the **key** are *two* vectors.

**Run-in heading.** The rest. Is **it**?

### A heading
A **value** is a number.

```python
x = 2 ** 3 ** 1
```
"""
# by hand, from the page
EXPECTED = [
    ("vector", "A vector is a list of numbers."),
    ("shape", "It has a length (a shape, see here)."),
    ("query", "The query and the key are two vectors."),
    ("key", "The query and the key are two vectors."),
    ("it", "Is it?"),
    ("value", "A value is a number."),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "notebooks").mkdir()
    cells = [{"cell_type": "markdown", "source": PAGE}, {"cell_type": "code", "source": "'**no**'"}]
    text = json.dumps({"cells": cells})
    (tmp_path / "notebooks" / "01_tokens_and_embeddings.ipynb").write_text(text, encoding="utf-8")
    return tmp_path


def test_terms_by_hand(folder):
    found = definitions(folder)
    assert [entry[:2] for entry in found] == EXPECTED
    assert {name for _, _, name in found} == {"01_tokens_and_embeddings.ipynb"}


def test_a_damaged_notebook_defines_nothing(folder):
    (folder / "notebooks" / "01_tokens_and_embeddings.ipynb").write_text("{", encoding="utf-8")
    assert definitions(folder) == []


@pytest.mark.every_lesson
def test_each_term_is_defined_once():
    terms = [term.lower() for term, _, _ in definitions()]
    assert sorted(terms) == sorted(set(terms)) and len(terms) > 80


@pytest.mark.every_lesson
def test_a_definition_is_a_whole_sentence_with_its_term():
    for term, sentence, name in definitions():
        assert term in sentence and re.search(r"[.?!:)]$", sentence), (name, term, sentence)
        assert len(sentence.split()) >= 5, (name, term, sentence)


@pytest.mark.every_lesson
def test_a_definition_can_be_read_alone():
    """It does not begin with what only the sentence before it says."""
    for term, sentence, name in definitions():
        assert not re.match(r"(This|These|Each such|It|They|Now|Then)\b", sentence), (name, term, sentence)
        assert "then" not in sentence.split()[:4] and "#" not in sentence[:4], (name, term, sentence)
