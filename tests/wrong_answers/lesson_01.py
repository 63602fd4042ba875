"""Lesson 01."""

WRONG_ANSWERS = {
    "01.c": {
        "as many columns as A has rows": (
            "def my_matmul(A, B):\n"
            "    columns = [[row[j] for row in B] for j in range(len(A))]\n"
            "    return [[dot(row, column) for column in columns] for row in A]"
        ),
        "as many products as A has rows": (
            "def my_matmul(A, B):\n"
            "    return [[sum(A[i][k] * B[k][j] for k in range(len(A))) for j in range(len(B[0]))]\n"
            "            for i in range(len(A))]"
        ),
    }
}
