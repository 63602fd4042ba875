"""Gradients by several processes: the same to the bit for any number, and also where there is only one."""

import math
import multiprocessing
import os
import pickle
import random
import signal
import sys

import pytest
from tables import assert_close

from helpers import batch_gradients, encode
from helpers.course.training import parallel as data_parallel
from helpers.course.training.loop import start_run, train, training_step
from helpers.course.training.parallel import (
    WorkerPool,
    fastest_pool,
    packed,
    split_batch,
    tensor_size,
    unpacked,
)

VOCAB = ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"]
CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 2, "n_head": 2, "n_inner": 5}
DOCUMENTS = [encode(text, VOCAB) for text in ("ab", "abc", "ca", "b", "cab", "aa", "bca")]
SETTINGS = {"steps": 6, "warmup_steps": 2, "batch_size": 4}


@pytest.fixture(scope="module")
def teams():
    """Teams of one, two and three processes; those of several are started once."""
    made = {n: WorkerPool(CONFIG, n) for n in (1, 2, 3)}
    yield made
    for team in made.values():
        team.close()


def run_with(gradients_of):
    run = start_run(DOCUMENTS, CONFIG, VOCAB, SETTINGS)
    for _ in range(SETTINGS["steps"]):
        run = training_step(run, DOCUMENTS, gradients_of)
    return pickle.dumps(run)


def test_a_run_is_the_same_to_the_bit_for_any_number_of_processes(teams):
    assert [len(team.helping) for team in teams.values()] == [0, 1, 2]
    runs = {run_with(team.gradients) for team in teams.values()}
    assert len(runs) == 1


def test_a_long_training_starts_processes_and_ends_with_the_same_run(monkeypatch):
    alone, started = train(DOCUMENTS, CONFIG, VOCAB, SETTINGS), []

    def two(*given):
        started.append(WorkerPool(CONFIG, 2))
        return started[0]

    monkeypatch.setattr(data_parallel, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(data_parallel, "cores", lambda: 2)
    monkeypatch.setattr(data_parallel, "fastest_pool", two)
    assert train(DOCUMENTS, CONFIG, VOCAB, SETTINGS) == alone
    assert len(started) == 1 and started[0].helping == []  # ended


def test_the_gradients_are_those_of_the_readable_functions(teams):
    parameters = start_run(DOCUMENTS, CONFIG, VOCAB, SETTINGS)["parameters"]
    for documents in (DOCUMENTS[:1], DOCUMENTS[:2], DOCUMENTS):
        loss, gradients = teams[3].gradients(CONFIG, parameters, documents)
        expected_loss, expected = batch_gradients(CONFIG, parameters, documents)
        assert math.isclose(loss, expected_loss, rel_tol=1e-12)
        assert_close([gradients[name] for name in expected], [*expected.values()])


def test_a_process_that_is_killed_is_done_without():
    with WorkerPool(CONFIG, 2) as team:
        parameters = start_run(DOCUMENTS, CONFIG, VOCAB, SETTINGS)["parameters"]
        expected = team.gradients(CONFIG, parameters, DOCUMENTS)
        process = team.helping[0][0]
        process.terminate()
        process.join(20)
        assert team.gradients(CONFIG, parameters, DOCUMENTS) == expected and team.helping == []


def test_ctrl_c_in_a_step_leaves_no_answer_for_the_next(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    parameters = start_run(DOCUMENTS, CONFIG, VOCAB, SETTINGS)["parameters"]
    with WorkerPool(CONFIG, 2) as team:
        process = team.helping[0][0]
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(data_parallel, "document_gradients", interrupted)
            team.gradients(CONFIG, parameters, DOCUMENTS)
        assert not process.is_alive()
        alone = WorkerPool(CONFIG, 1).gradients(CONFIG, parameters, DOCUMENTS)
        assert team.gradients(CONFIG, parameters, DOCUMENTS) == alone


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal to one process")
def test_ctrl_c_is_not_for_the_helping_processes():
    with WorkerPool(CONFIG, 2) as team:
        os.kill(team.helping[0][0].pid, signal.SIGINT)
        parameters = start_run(DOCUMENTS, CONFIG, VOCAB, SETTINGS)["parameters"]
        team.gradients(CONFIG, parameters, DOCUMENTS)
        assert len(team.helping) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to hold back")
def test_ctrl_c_while_processes_start_comes_afterwards(monkeypatch):
    started = []

    def start(self):
        real(self)
        started.append(self)
        os.kill(os.getpid(), signal.SIGINT)

    process = multiprocessing.get_context("spawn").Process
    real = process.start
    monkeypatch.setattr(process, "start", start)
    with pytest.raises(KeyboardInterrupt):
        WorkerPool(CONFIG, 3)
    assert len(started) == 2 and not any(each.is_alive() for each in started)


@pytest.mark.parametrize("error", [ImportError, OSError, NotImplementedError])
def test_where_no_process_can_be_had_there_is_one(monkeypatch, error):
    def refuse(kind):
        raise error

    monkeypatch.setattr(multiprocessing, "get_context", refuse)
    with WorkerPool(CONFIG, 4) as team:
        assert team.helping == [] and run_with(team.gradients) == run_with(WorkerPool(CONFIG, 1).gradients)
        monkeypatch.setattr(sys, "platform", "emscripten")  # in a tab
        assert WorkerPool(CONFIG, 4).helping == []


@pytest.mark.parametrize("n", range(1, 9))
def test_documents_are_dealt_in_order_and_evenly(n):
    rng = random.Random(n)
    documents = [[0] * rng.randrange(2, 9) for _ in range(40)]
    parts = split_batch(documents, n)
    assert len(parts) == n and [document for part in parts for document in part] == documents
    sizes = [sum(map(len, part)) for part in parts]
    assert max(sizes) - min(sizes) <= 2 * 8


def test_numbers_come_back_to_the_bit():
    tree = {"W": [[0.1, -0.0], [1e-300, math.pi]], "b": [1 / 3]}
    assert pickle.dumps(
        unpacked(packed(tree), {name: tensor_size(entry) for name, entry in tree.items()})
    ) == pickle.dumps(tree)


def test_a_team_pays_only_where_a_step_gets_shorter(monkeypatch):
    """Two processes that take 0.6 of the time pay, and four that take 0.59 of it do not."""
    times, closed = {1: 1.0, 2: 0.6, 4: 0.59, 8: 0.1}, []

    class Timed:
        def __init__(self, config, n):
            self.n, self.helping = n, [None] * (n - 1)

        def close(self):
            closed.append(self.n)

    monkeypatch.setattr(data_parallel, "WorkerPool", Timed)
    monkeypatch.setattr(data_parallel, "seconds_of", lambda team, *_: times[team.n])
    assert fastest_pool(CONFIG, {}, [], 8).n == 2 and closed == [1, 4]
    assert fastest_pool(CONFIG, {}, [], 1).n == 1
    times[2] = 0.95
    assert fastest_pool(CONFIG, {}, [], 8).n == 1
