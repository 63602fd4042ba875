"""Lesson 20b."""

WRONG_ANSWERS = {
    "20.k": {
        "lists of rows": """def my_patches(picture, n):
    return [[row[x : x + n] for row in picture[y : y + n]]
            for y in range(0, len(picture), n) for x in range(0, len(picture[0]), n)]""",
        "overlapping": """def my_patches(picture, n):
    return [[v for row in picture[y : y + n] for v in row[x : x + n]]
            for y in range(len(picture) - n + 1) for x in range(len(picture[0]) - n + 1)]""",
        "downwards first": """def my_patches(picture, n):
    return [[v for row in picture[y : y + n] for v in row[x : x + n]]
            for x in range(0, len(picture[0]), n) for y in range(0, len(picture), n)]""",
        "numbers by columns": """def my_patches(picture, n):
    return [[picture[y + j][x + i] for i in range(n) for j in range(n)]
            for y in range(0, len(picture), n) for x in range(0, len(picture[0]), n)]""",
        "pieces of one long row": """def my_patches(picture, n):
    flat = [v for row in picture for v in row]
    return [flat[i : i + n * n] for i in range(0, len(flat), n * n)]""",
        "square pictures only": """def my_patches(picture, n):
    side = len(picture)
    return [[v for row in picture[y : y + n] for v in row[x : x + n]]
            for y in range(0, side, n) for x in range(0, side, n)]""",
        "pieces of one row": """def my_patches(picture, n):
    return [row[x : x + n * n] for row in picture for x in range(0, len(row), n * n)]""",
        "one list": """def my_patches(picture, n):
    return [v for y in range(0, len(picture), n) for x in range(0, len(picture[0]), n)
            for row in picture[y : y + n] for v in row[x : x + n]]""",
    },
    "20.l": {
        "the sum": """def my_class_scores(X, W, b):
    total = [sum(column) for column in zip(*X)]
    return [sum(x * w for x, w in zip(total, row)) + bias for row, bias in zip(W, b)]""",
        "the last row": """def my_class_scores(X, W, b):
    return [sum(x * w for x, w in zip(X[-1], row)) + bias for row, bias in zip(W, b)]""",
        "means of rows": """def my_class_scores(X, W, b):
    mean = [sum(row) / len(row) for row in X]
    return [sum(x * w for x, w in zip(mean, row)) + bias for row, bias in zip(W, b)]""",
        "no bias": """def my_class_scores(X, W, b):
    mean = [sum(column) / len(X) for column in zip(*X)]
    return [sum(x * w for x, w in zip(mean, row)) for row in W]""",
        "a row in a list": """def my_class_scores(X, W, b):
    mean = [sum(column) / len(X) for column in zip(*X)]
    return [[sum(x * w for x, w in zip(mean, row)) + bias for row, bias in zip(W, b)]]""",
        "by the width": """def my_class_scores(X, W, b):
    mean = [sum(column) / len(X[0]) for column in zip(*X)]
    return [sum(x * w for x, w in zip(mean, row)) + bias for row, bias in zip(W, b)]""",
        "the mean row": """def my_class_scores(X, W, b):
    return [sum(column) / len(X) for column in zip(*X)]""",
        "the bias for each row": """def my_class_scores(X, W, b):
    rows = [[sum(x * w for x, w in zip(x_row, row)) + bias for row, bias in zip(W, b)] for x_row in X]
    return [sum(column) / len(X) + (len(X) - 1) * bias for column, bias in zip(zip(*rows), b)]""",
    },
    "20.m": {
        "a count": """def my_accuracy(scores, digits):
    return sum(row.index(max(row)) == digit for row, digit in zip(scores, digits))""",
        "errors": """def my_accuracy(scores, digits):
    return sum(row.index(max(row)) != digit for row, digit in zip(scores, digits)) / len(digits)""",
        "percent": """def my_accuracy(scores, digits):
    return 100 * sum(row.index(max(row)) == digit for row, digit in zip(scores, digits)) / len(digits)""",
        "the smallest": """def my_accuracy(scores, digits):
    return sum(row.index(min(row)) == digit for row, digit in zip(scores, digits)) / len(digits)""",
        "scores, not numbers": """def my_accuracy(scores, digits):
    return sum(max(row) == digit for row, digit in zip(scores, digits)) / len(digits)""",
        "by the classes": """def my_accuracy(scores, digits):
    return sum(row.index(max(row)) == digit for row, digit in zip(scores, digits)) / len(scores[0])""",
        "rounded down": """def my_accuracy(scores, digits):
    return sum(row.index(max(row)) == digit for row, digit in zip(scores, digits)) // len(digits)""",
    },
    "20.n": {
        "turned": """def my_confusion(digits, guesses, C):
    table = [[0] * C for _ in range(C)]
    for digit, guess in zip(digits, guesses):
        table[guess][digit] += 1
    return table""",
        "one row C times": """def my_confusion(digits, guesses, C):
    table = [[0] * C] * C
    for digit, guess in zip(digits, guesses):
        table[digit][guess] += 1
    return table""",
        "errors only": """def my_confusion(digits, guesses, C):
    table = [[0] * C for _ in range(C)]
    for digit, guess in zip(digits, guesses):
        if digit != guess:
            table[digit][guess] += 1
    return table""",
        "no counting": """def my_confusion(digits, guesses, C):
    table = [[0] * C for _ in range(C)]
    for digit, guess in zip(digits, guesses):
        table[digit][guess] = 1
    return table""",
        "by the largest digit": """def my_confusion(digits, guesses, C):
    C = max(digits + guesses) + 1
    table = [[0] * C for _ in range(C)]
    for digit, guess in zip(digits, guesses):
        table[digit][guess] += 1
    return table""",
        "shares": """def my_confusion(digits, guesses, C):
    pairs = list(zip(digits, guesses))
    return [[pairs.count((i, j)) / max(1, digits.count(i)) for j in range(C)] for i in range(C)]""",
    },
}
