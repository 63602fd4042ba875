"""Lesson 09."""

WRONG_ANSWERS = {
    "09.1": {
        "gamma outside": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    mean_dz = sum(d * v / size for d, v in zip(d_out, x)) / len(x)\n"
        "    return [s * (d - v / size * mean_dz) / size for d, v, s in zip(d_out, x, gamma)]",
        "size held still": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    return [d * s / size for d, s in zip(d_out, gamma)]",
        "eps forgotten": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x)) or 1.0\n"
        "    g = [d * s for d, s in zip(d_out, gamma)]\n"
        "    mean_gz = sum(a * v / size for a, v in zip(g, x)) / len(x)\n"
        "    return [(a - v / size * mean_gz) / size for a, v in zip(g, x)]",
        "layer norm's": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    return layer_norm_backward([d_out], [x], gamma, eps)[0][0]",
        "the mean of g taken away as well": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    g = [d * s for d, s in zip(d_out, gamma)]\n"
        "    mean_gz = sum(a * v / size for a, v in zip(g, x)) / len(x)\n"
        "    return [(a - sum(g) / len(g) - v / size * mean_gz) / size for a, v in zip(g, x)]",
        "a sum for the mean": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    g = [d * s for d, s in zip(d_out, gamma)]\n"
        "    sum_gz = sum(a * v / size for a, v in zip(g, x))\n"
        "    return [(a - v / size * sum_gz) / size for a, v in zip(g, x)]",
    }
}
