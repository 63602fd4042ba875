"""Lesson 18b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import dot, feed_forward, linear, softmax, softmax_backward
from .exercise import Exercise, draw_inputs


def my_route(x, W_router):
    probabilities = softmax(linear([x], W_router)[0])
    expert = probabilities.index(max(probabilities))
    return expert, probabilities[expert]


SCORES = "linear([x], W_router)[0]"
CHOICE = "probabilities.index(max(probabilities))"
RESULT = "return expert, probabilities[expert]"
ROUTE_MISTAKES = {
    "the score is returned, and not its probability": (RESULT, f"return expert, {SCORES}[expert]"),
    "the expert with the lowest probability is chosen": ("index(max", "index(min"),
    "the score farthest from 0 wins": (CHOICE, f"max(range(len(W_router)), key=lambda i: abs({SCORES}[i]))"),
    "softmax is taken of the chosen score alone, which gives 1": (RESULT, "return expert, 1.0"),
    "exp of the score is returned, not softmax": (RESULT, f"return expert, math.exp({SCORES}[expert])"),
    "the score is divided by the sum of scores": (RESULT, f"return expert, {SCORES}[expert] / sum({SCORES})"),
    "the sigmoid of the score is returned": (RESULT, f"return expert, 1 / (1 + math.exp(-{SCORES}[expert]))"),
    "the scores are divided by √D": (SCORES, f"[score / math.sqrt(len(x)) for score in {SCORES}]"),
    "the experts are counted from 1": ("return expert,", "return expert + 1,"),
    "of equal ones the last wins": (CHOICE, "max(range(len(W_router)), key=lambda i: (probabilities[i], i))"),
    "the two results are in the other order": (RESULT, "return probabilities[expert], expert"),
    "only the index is returned; return the index and its probability": (RESULT, "return expert"),
    "only the probability is returned; return the index before it": (RESULT, "return probabilities[expert]"),
    "all probabilities are returned, not the expert and its probability": (RESULT, "return probabilities"),
    "all probabilities are returned after the expert; return its own": (
        RESULT,
        "return expert, probabilities",
    ),
    "math.exp gets a large score and overflows: subtract the largest score first, as `softmax` does": (
        (f"softmax({SCORES})", f"[math.exp(s) / sum(map(math.exp, {SCORES})) for s in {SCORES}]"),
    ),
    "W_router is read [in][out]": ("W_router)[0]", "transpose(W_router))[0]"),
    "the highest probability is returned twice, and no index": ("return expert", "return max(probabilities)"),
}


def my_mixture(x, weights, experts):
    result = [0.0] * len(x)
    for weight, (W_1, W_2) in zip(weights, experts):
        if weight != 0:
            [y] = feed_forward([x], W_1, None, W_2, None)
            result = [r + weight * y_i for r, y_i in zip(result, y)]
    return result


FED, WORKS, ADDED = "feed_forward([x], W_1, None, W_2, None)", "if weight != 0", "r + weight * y_i"
MIXTURE_MISTAKES = {
    "an expert with the weight 0 computes: leave it out, for 0 · inf is nan": (WORKS, "if True"),
    "the outputs are not multiplied by their weights": (ADDED, "r + y_i"),
    "each output replaces the one before: add them up": (ADDED, "weight * y_i"),
    "only the first expert whose weight is not 0 works": (
        "    return result",
        "            break\n    return result",
    ),
    "only the expert with the largest weight works": (WORKS, "if weight == max(weights)"),
    "the weights are divided by their sum": (ADDED, "r + weight / sum(weights) * y_i"),
    "softmax is applied to the weights: they are no scores": (
        (ADDED, "r + softmax(weights)[weights.index(weight)] * y_i"),
    ),
    "the result is a matrix; return its row 0": ("return result", "return [result]"),
    "x is multiplied by the weight before the expert; multiply the output": (
        (FED, FED.replace("[x]", "[[weight * x_i for x_i in x]]")),
        (ADDED, "r + y_i"),
    ),
    "the weight multiplies x, too, before the expert": ("[x], W_1", "[[weight * x_i for x_i in x]], W_1"),
    "the outputs are multiplied by the squares of the weights": (ADDED, "r + weight * weight * y_i"),
    "the outputs are divided by the weights": (ADDED, "r + y_i / weight"),
    "the weight is added to the output, and not multiplied": (ADDED, "r + weight + y_i"),
    "x is added, as a residual connection does": ("[0.0] * len(x)", "x"),
    "the sum is divided by the number of experts": (
        ("return result", "return [r / len(experts) for r in result]"),
    ),
    "the sum is divided by the number of experts that work": (
        ("return result", "return [r / sum(w != 0 for w in weights) for r in result]"),
    ),
    "the weights belong to the experts in the other order": ("zip(weights,", "zip(weights[::-1],"),
    "the first expert computes for all": (FED, "feed_forward([x], experts[0][0], None, experts[0][1], None)"),
    "an expert works without its activation function": (FED, "linear(linear([x], W_1), W_2)"),
    "the experts' activation function is ReLU, and not GELU": ("W_2, None)", "W_2, None, relu)"),
    "the outputs stay lists of their own: return their sum": (
        ("result = [0.0] * len(x)", "result = []"),
        (
            "result = [r + weight * y_i for r, y_i in zip(result, y)]",
            "result.append([weight * y_i for y_i in y])",
        ),
    ),
}


def my_score_gradients(d_out, y, probabilities, e):
    d_probabilities = [0.0] * len(probabilities)
    d_probabilities[e] = dot(d_out, y)
    return softmax_backward(d_probabilities, probabilities)


BACKWARD = "softmax_backward(d_probabilities, probabilities)"
SCORE_MISTAKES = {
    "the gradients of the probabilities are returned, not of the scores": (BACKWARD, "d_probabilities"),
    "only the chosen expert's score gets its gradient; softmax couples the scores": (
        (BACKWARD, f"[d if i == e else 0.0 for i, d in enumerate({BACKWARD})]"),
    ),
    "every probability gets the gradient d_out · y; only the chosen expert's has one": (
        ("d_probabilities[e] = dot(d_out, y)", "d_probabilities = [dot(d_out, y)] * len(probabilities)"),
    ),
    "d_out and y are added up first, and then multiplied": ("dot(d_out, y)", "sum(d_out) * sum(y)"),
    "the gradient of p_e is the sum of d_out, not the dot product with y": ("dot(d_out, y)", "sum(d_out)"),
    "the gradient of p_e is the sum of y; it is the dot product of d_out and y": ("dot(d_out, y)", "sum(y)"),
    "softmax_backward's inputs are exchanged": (BACKWARD, "softmax_backward(probabilities, d_probabilities)"),
    "the gradient of p_e is multiplied by p_e once more": ("= dot", "= probabilities[e] * dot"),
    "the mean is not subtracted": (BACKWARD, "[p * d for p, d in zip(probabilities, d_probabilities)]"),
    "the mean is subtracted, and the result is not multiplied by the probabilities": (
        (BACKWARD, "[d - dot(probabilities, d_probabilities) for d in d_probabilities]"),
    ),
    "the first expert is taken as the chosen one": ("d_probabilities[e]", "d_probabilities[0]"),
    "the last expert is taken as the chosen one": ("d_probabilities[e]", "d_probabilities[-1]"),
    "the expert with the highest probability is taken as the chosen one; `e` is": (
        ("d_probabilities[e]", "d_probabilities[probabilities.index(max(probabilities))]"),
    ),
    "every probability p_i gets the gradient p_i · d_out · y; only the chosen expert's has one": (
        (
            "d_probabilities[e] = dot(d_out, y)",
            "d_probabilities = [p * dot(d_out, y) for p in probabilities]",
        ),
    ),
    "the gradient of p_e is multiplied by p − 1 for the chosen expert and by p for the others": (
        (BACKWARD, "[dot(d_out, y) * (p - (i == e)) for i, p in enumerate(probabilities)]"),
    ),
    "every score gets p · (1 − p); only the chosen expert's derivative is that, the others have −p · p_e": (
        (BACKWARD, "[dot(d_out, y) * p * (1 - p) for p in probabilities]"),
    ),
    "the other scores have the wrong sign: a larger score of another expert makes p_e smaller": (
        (BACKWARD, f"[d if i == e else -d for i, d in enumerate({BACKWARD})]"),
    ),
    "the signs are the other ones": (BACKWARD, f"[-d for d in {BACKWARD}]"),
    "softmax is applied to the probabilities again": (", probabilities)", ", softmax(probabilities))"),
    "only the gradient of the chosen expert's score is returned": (BACKWARD, f"{BACKWARD}[e]"),
    "only the gradient of p_e is returned": (BACKWARD, "d_probabilities[e]"),
    "this is the gradient of a cross-entropy loss: the probabilities, minus 1 for the chosen expert": (
        (BACKWARD, "[p - (i == e) for i, p in enumerate(probabilities)]"),
    ),
    "the factor p_e of softmax's derivative is missing": (
        (BACKWARD, "[dot(d_out, y) * ((i == e) - p) for i, p in enumerate(probabilities)]"),
    ),
}


def my_top_k(scores, k):
    chosen = sorted(range(len(scores)), key=lambda e: -scores[e])[:k]
    weights, result = softmax([scores[e] for e in chosen]), [0.0] * len(scores)
    for e, weight in zip(chosen, weights):
        result[e] = weight
    return result


KEPT, PLACED = "softmax([scores[e] for e in chosen])", "for e, weight in zip(chosen, weights)"
TOP_K_MISTAKES = {
    "all experts with at least the k-th highest score are chosen; of equal scores the first come first": (
        ("[:k]", "[: sum(score >= sorted(scores)[-k] for score in scores)]"),
    ),
    "`scores.index` finds the first of equal scores each time": (
        ("[:k]", "[:k]\n    chosen = [scores.index(scores[e]) for e in chosen]"),
    ),
    "the weights go to the chosen experts from left to right; the highest belongs to the highest score": (
        ("zip(chosen, weights)", "zip(sorted(chosen), weights)"),
    ),
    "math.exp gets a large score and overflows: subtract the largest score first, as `softmax` does": (
        (KEPT, "[math.exp(scores[e]) / sum(math.exp(scores[i]) for i in chosen) for e in chosen]"),
    ),
    "softmax of all scores is cut, so the weights do not sum to 1": (
        KEPT,
        "[softmax(scores)[e] for e in chosen]",
    ),
    "the k lowest scores are chosen": ("-scores[e]", "scores[e]"),
    "the k scores farthest from 0 are chosen": ("-scores[e]", "-abs(scores[e])"),
    "the scores are returned, and not their softmax": (KEPT, "[scores[e] for e in chosen]"),
    "each chosen expert gets the weight 1 / k": (KEPT, "[1 / k] * k"),
    "the scores are divided by their sum": (
        KEPT,
        "[scores[e] / sum(scores[i] for i in chosen) for e in chosen]",
    ),
    "two experts are chosen, whatever k is": ("[:k]", "[:2]"),
    "one expert is chosen, whatever k is": ("[:k]", "[:1]"),
    "k + 1 experts are chosen": ("[:k]", "[: k + 1]"),
    "all experts are chosen": ("[:k]", ""),
    "of equal scores the last wins": ("-scores[e]", "(-scores[e], -e)"),
    "only the k weights are returned; the other experts have the weight 0": (
        "return result",
        "return weights",
    ),
    "the weights stand at the first k places, and not at the experts' own": (
        (PLACED, "for e, weight in enumerate(weights)"),
    ),
    "the other scores become 0 and take part in softmax; leave them out": (
        ("return result", "return softmax([s if e in chosen else 0.0 for e, s in enumerate(scores)])"),
    ),
    "the first k experts are chosen, whatever their scores": (
        ("sorted(range(len(scores)), key=lambda e: -scores[e])[:k]", "list(range(k))"),
    ),
    "the weights stand in rising order, and the experts in falling order": (
        ("zip(chosen, weights)", "zip(chosen, sorted(weights))"),
    ),
    "the indices of the experts are returned": ("return result", "return chosen"),
}


def my_new_biases(biases, loads, rate):
    equal, result = 1 / len(loads), []
    for bias, load in zip(biases, loads):
        change = rate if load < equal else -rate if load > equal else 0.0
        result.append(bias + change)
    return result


CHANGE = "rate if load < equal else -rate if load > equal else 0.0"
BIASES_MISTAKES = {
    "the signs are the other ones: a busy expert must become less likely": (
        CHANGE,
        "-rate if load < equal else rate if load > equal else 0.0",
    ),
    "the change is proportional to the distance from 1 / N; its size is always `rate`": (
        CHANGE,
        "rate * (equal - load)",
    ),
    "the loads are compared with 1/2, and not with 1 / N": ("1 / len(loads)", "0.5"),
    "the loads are compared with 1/4, and not with 1 / N": ("1 / len(loads)", "0.25"),
    "the loads are compared with their median, and not with 1 / N": (
        (
            "1 / len(loads)",
            "sum(sorted(loads)[(len(loads) - 1) // 2 : len(loads) // 2 + 1]) / (2 - len(loads) % 2)",
        ),
    ),
    "the loads are compared with the upper one of the middle loads, and not with 1 / N": (
        ("1 / len(loads)", "sorted(loads)[len(loads) // 2]"),
    ),
    "the loads are compared with the mean of the biases, and not with 1 / N": (
        ("1 / len(loads)", "sum(biases) / len(biases)"),
    ),
    "only experts without any token are raised": (
        (CHANGE, "rate if load == 0 else -rate if load > equal else 0.0"),
    ),
    "only the busiest expert and the one with the fewest tokens change": (
        (CHANGE, "rate if load == min(loads) else -rate if load == max(loads) else 0.0"),
    ),
    "the changes are returned, without the old biases": ("bias + change", "change"),
    "`rate` is left out": (CHANGE, "1.0 if load < equal else -1.0 if load > equal else 0.0"),
    "a bias is only lowered, and never raised": (CHANGE, "-rate if load > equal else 0.0"),
    "a bias is only raised, and never lowered": (CHANGE, "rate if load < equal else 0.0"),
    "an expert with the load 1 / N is lowered, too": (CHANGE, "rate if load < equal else -rate"),
    "an expert with the load 1 / N is raised, too": (CHANGE, "rate if load <= equal else -rate"),
    "the bias is multiplied by 1 ± rate": ("bias + change", "bias * (1 + change)"),
    "only the busiest expert is lowered": (CHANGE, "-rate if load == max(loads) else 0.0"),
}


def draw_experts(seed, N, F, D):
    """N experts as lists of W_1 and W_2."""
    return [draw_inputs(100 * seed + e, (F, D), (D, F)) for e in range(N)]


# two experts whose outputs can be worked out for positive x: 10 · x[0] and 0, and twice 7 · x[1]
SMALL = [[[[100.0, 0.0]], [[0.1], [0.0]]], [[[0.0, 100.0]], [[0.07], [0.07]]]]
HUGE = [[[1e308, 1e308]], [[1e308], [1e308]]]  # an output of inf: its weight 0 must not meet it
X3, W3, X4, W4, X2, W2 = draw_inputs(3, (3,), (4, 3), (4,), (4, 4), (2,), (6, 2))
EXERCISES = {
    "18.g": Exercise(
        my_route,
        [
            [[2.0, 1.0], [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]]],
            [[1.0, -1.0], [[0.0, 0.0], [1.0, 1.0]]],
            [X3, W3],
            [X4, W4],
            [X2, W2],
            [[3.0], [[-2.0], [-1.0], [-4.0]]],
            [[40.0, 1.0], [[30.0, 0.0], [30.0, 1.0]]],
        ],
        ROUTE_MISTAKES,
    ),
    "18.h": Exercise(
        my_mixture,
        [
            [[2.0, 1.0], [0.8808, 0.0], SMALL],
            [[3.0, 1.0], [0.25, 0.75], SMALL],
            [X3, [0.0, 0.6, 0.0, 0.3], draw_experts(1, 4, 5, 3)],
            [X4, [0.2, 0.5, 0.0, 0.1], draw_experts(2, 4, 2, 4)],
            [X2, [0.1, 0.0, 0.0, 0.2, 0.3, 0.0], draw_experts(3, 6, 3, 2)],
            [[2.0, 1.0], [0.5, 0.0], [SMALL[0], HUGE]],
        ],
        MIXTURE_MISTAKES,
    ),
    "18.i": Exercise(
        my_score_gradients,
        [
            [[3.0, 4.0], [20.0, 0.0], [0.75, 0.25], 0],
            [[1.0, -2.0], [0.5, 2.0], [0.125, 0.5, 0.375], 1],
            [[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.4], 3],
            [[-0.5, 0.25], [1.5, -3.0], [0.6, 0.1, 0.3], 0],
            [[2.0, -1.0], [0.5, 3.0], [0.5, 0.2, 0.3], 1],
        ],
        SCORE_MISTAKES,
    ),
    "18.j": Exercise(
        my_top_k,
        [
            [[1.0, 3.0, 2.0], 2],
            [[0.5, -1.0], 1],
            [*draw_inputs(211, (4,)), 2],
            [*draw_inputs(212, (6,)), 3],
            [[1.0, 2.0, 2.0, 2.0], 2],
            [[-3.0, -1.0, -2.0, -4.0, 0.5], 2],
            [[1000.0, 3.0, 1001.0], 2],
        ],
        TOP_K_MISTAKES,
    ),
    "18.k": Exercise(
        my_new_biases,
        [
            [[0.0, 0.0, 0.0, 0.0], [0.5, 0.25, 0.25, 0.0], 0.01],
            [[0.5, -0.5], [0.25, 0.75], 0.125],
            [[0.5, 0.25, -0.5, 0.0], [0.625, 0.125, 0.125, 0.125], 0.125],
            [[0.1, 0.2, -0.3, 0.0, 1.0], [0.2, 0.5, 0.0, 0.1, 0.2], 0.05],
            [[2.0, 1.0, -1.0, 0.5], [0.375, 0.3125, 0.125, 0.1875], 0.25],
        ],
        BIASES_MISTAKES,
    ),
}
