"""The program that `python3 -m helpers show --recipe gpt` prints behind the functions that it calls."""

import random

from ...generation import generate
from ...gpt import init_gpt
from ...optimizers import adamw_init, adamw_step
from ...sampling import sample, softmax_with_temperature
from ...training import (
    batch_gradients,
    build_vocab,
    clip_by_global_norm,
    encode,
    learning_rate,
    next_batch,
    no_decay_names,
)


def train_small_gpt(lines, steps=500, seed=42):
    """Train a GPT of one block on short lines of text, character by character, and print ten new lines."""
    vocab = build_vocab(lines)
    documents = [encode(line, vocab) for line in lines]
    config = {"vocab_size": len(vocab), "n_positions": max(map(len, documents)), "n_embd": 16}
    config |= {"n_layer": 1, "n_head": 2, "n_inner": 64}
    rng = random.Random(seed)
    parameters, order = init_gpt(config, rng), []
    optimizer = adamw_init(parameters)
    for step in range(steps):
        batch, order = next_batch(order, len(documents), 4, rng)
        loss, gradients = batch_gradients(config, parameters, [documents[i] for i in batch])
        gradients = clip_by_global_norm(gradients, 1.0)
        lr = learning_rate(step, steps, 0.01, steps // 20)
        parameters, optimizer = adamw_step(
            parameters, gradients, optimizer, lr, betas=(0.9, 0.95), no_decay=no_decay_names(parameters)
        )
        if step % 50 == 0:
            print(f"step {step}: loss {loss:.2f}")
    for _ in range(10):
        tokens = generate(
            config,
            parameters,
            [1],
            lambda logits: sample(softmax_with_temperature(logits, 0.8), rng),
            config["n_positions"] - 1,
            end=2,
        )
        print("".join(vocab[token] for token in tokens if token > 2))
