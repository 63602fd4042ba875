"""Lesson 10."""

WRONG_ANSWERS = {
    "10.1": {
        "0 times infinity": "def temperature_backward(d_out, scores, tau):\n"
        "    d_divided = softmax_backward(d_out, softmax([s / tau for s in scores]))\n"
        "    return -dot(d_divided, scores) / tau**2",
        "the sign": "def temperature_backward(d_out, scores, tau):\n"
        "    d_scaled = softmax_backward(d_out, softmax([s / tau for s in scores]))\n"
        "    return dot(d_scaled, scores) / tau**2",
        "not squared": "def temperature_backward(d_out, scores, tau):\n"
        "    d_scaled = softmax_backward(d_out, softmax([s / tau for s in scores]))\n"
        "    return -dot(d_scaled, scores) / tau",
        "softmax of the scores as they are": "def temperature_backward(d_out, scores, tau):\n"
        "    return -dot(softmax_backward(d_out, softmax(scores)), scores) / tau**2",
        "Jacobian skipped": "def temperature_backward(d_out, scores, tau):\n"
        "    return -dot(d_out, scores) / tau**2",
    }
}
