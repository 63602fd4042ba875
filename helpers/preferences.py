"""Training a language model on preferences and rewards: DPO, policy gradient, KL penalty, GRPO, PPO.

The log-probability of a text is minus the sum of its tokens' losses.
"""

import math


def advantages(rewards: "n finite") -> "n":
    """Each reward minus the mean reward of the batch, the baseline.

    Source: Williams 1992; Sutton and Barto 2018, section 13.4.

    >>> advantages([1, 0, 0, 1])
    [0.5, -0.5, -0.5, 0.5]
    """
    mean = math.fsum(rewards) / len(rewards)
    return [reward - mean for reward in rewards]


def group_advantages(rewards: "n finite", eps: "float > 0" = 1e-6) -> "n":
    """GRPO's advantages: each reward minus the mean of its group, divided by the group's standard deviation.

    eps avoids a division by 0 where all rewards are equal.
    Source: Shao et al. 2024, section 4.1.2.

    >>> [round(a, 3) for a in group_advantages([30, 10, 10, 30])]
    [1.0, -1.0, -1.0, 1.0]
    """
    centred = advantages(rewards)
    deviation = math.sqrt(math.fsum(a * a for a in centred) / len(centred))
    return [a / (deviation + eps) for a in centred]


def policy_gradient_loss(losses: "list of list of float", advantages: "n finite") -> "float":
    """The mean over n texts of advantage times the sum of the text's token losses.

    Its gradient with respect to each token loss is the text's advantage divided by n.
    Source: Williams 1992.

    >>> policy_gradient_loss([[1.0, 2.0], [4.0]], [0.5, -0.5])
    -0.25
    """
    terms = [advantage * math.fsum(some) for some, advantage in zip(losses, advantages, strict=True)]
    return math.fsum(terms) / len(terms)


def kl_divergence(p: "n > 0", q: "n > 0") -> "float":
    """KL(p || q), the mean of log(p / q) over outcomes drawn from p, in nats.

    It is 0 if p equals q, and above 0 otherwise.
    Source: Kullback and Leibler 1951.

    >>> kl_divergence([0.5, 0.5], [0.5, 0.5]), round(kl_divergence([0.5, 0.5], [0.8, 0.2]), 4)
    (0.0, 0.2231)
    """
    return math.fsum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


def penalized_reward(reward: "float", new: "float", ref: "float", beta: "float >= 0") -> "float":
    """The reward minus beta times log(p_new / p_ref) of the text, from its two log-probabilities.

    ref is that of the reference model. Over texts that the new model writes, the mean of log(p_new / p_ref)
    is KL(new || ref).
    Source: Ouyang et al. 2022, equation 2.

    >>> penalized_reward(1.0, -4.0, -6.0, 0.25)
    0.5
    """
    return reward - beta * (new - ref)


def clipped_objective(ratio: "float >= 0", advantage: "float", eps: "float > 0" = 0.2) -> "float":
    """PPO's objective of one token: the smaller of ratio · A and the ratio clipped to 1 ± eps, times A.

    ratio is the token's probability now, divided by its probability under the policy that wrote the text.
    Where the clipped product is the smaller one, the gradient is 0.
    Source: Schulman et al. 2017, equation 7.

    >>> clipped_objective(1.5, 2.0, 0.25), clipped_objective(1.5, -2.0, 0.25)
    (2.5, -3.0)
    """
    clipped = min(max(ratio, 1 - eps), 1 + eps)
    return min(ratio * advantage, clipped * advantage)


def dpo_margin(
    new_chosen: "float", ref_chosen: "float", new_rejected: "float", ref_rejected: "float", beta: "float >= 0"
) -> "float":
    """beta times how much more the chosen text has gained in log-probability than the rejected one.

    A gain is the log-probability now minus that of the reference model.
    Source: Rafailov et al. 2023, equation 7.

    >>> dpo_margin(-5.0, -6.0, -9.0, -7.0, 0.5)
    1.5
    """
    return beta * ((new_chosen - ref_chosen) - (new_rejected - ref_rejected))


def dpo_loss(margin: "float") -> "float":
    """-log sigmoid(margin): direct preference optimization's loss of one pair.

    Source: Rafailov et al. 2023, equation 7.

    >>> dpo_loss(0.0) == math.log(2)
    True
    """
    return max(-margin, 0.0) + math.log1p(math.exp(-abs(margin)))


def dpo_loss_backward(margin: "float") -> "float":
    """d_margin of dpo_loss: sigmoid(margin) - 1, computed without overflow.

    >>> dpo_loss_backward(0.0)
    -0.5
    """
    small = math.exp(-abs(margin))
    return -(small if margin > 0 else 1.0) / (1 + small)


def masked_loss(losses: "n", mask: "n") -> "float":
    """The mean loss of the tokens whose mask is 1.

    Source: Touvron et al. 2023 (Llama 2), section 3.1.

    >>> masked_loss([5.0, 3.0, 1.0], [0, 1, 1])
    2.0
    """
    assert sum(mask) > 0, "mask leaves no token; let at least one be 1"
    return math.fsum(loss for loss, m in zip(losses, mask, strict=True) if m) / sum(mask)
