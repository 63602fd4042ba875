"""Looking up: vectors of sentences from counts of words, and the sentence whose vector is nearest.

Source: Salton and Buckley 1988 for the weights; Sparck Jones 1972 for the inverse document frequency.
"""

import math
import re


def words_of(text: "str") -> "list of str":
    """The words of a text in lower case, without punctuation.

    >>> words_of("Iceland has no army.")
    ['iceland', 'has', 'no', 'army']
    """
    return re.findall(r"\w+", text.lower())


def inverse_document_frequency(documents: "list of str") -> "dict":
    """The inverse document frequency (IDF) of each word: log(N / n) for N documents, n of which contain it.

    >>> inverse_document_frequency(["no army", "no coast", "no lake, no coast", "no"])["no"]
    0.0
    """
    contained = {}
    for document in documents:
        for word in dict.fromkeys(words_of(document)):  # each once, in their order
            contained[word] = contained.get(word, 0) + 1
    return {word: math.log(len(documents) / count) for word, count in contained.items()}


def tf_idf(text: "str", idf: "tree") -> "n":
    """The TF-IDF vector of a text: for each word of idf, how often it occurs in the text, times its IDF.

    Words that idf does not have are left out.

    >>> tf_idf("no lake, no coast", {"no": 0.0, "coast": 0.5, "lake": 2.0})
    [0.0, 0.5, 2.0]
    """
    words = words_of(text)
    return [words.count(word) * weight for word, weight in idf.items()]


def cosine_similarity(a: "n finite", b: "n finite") -> "float":
    """The cosine of the angle between two vectors: 1 for the same direction, 0 for a right angle.

    It is 0 if one of the vectors is 0.

    >>> cosine_similarity([3.0, 4.0], [6.0, 8.0]), cosine_similarity([1.0, 0.0], [0.0, 0.0])
    (1.0, 0.0)
    """
    dot = sum((x * y for x, y in zip(a, b, strict=True)), 0.0)
    lengths = math.hypot(*a) * math.hypot(*b)
    return dot / lengths if lengths else 0.0
