"""Data parallelism: several processes compute the gradients of one batch, each those of some documents.

Every process holds the parameters. The gradients come back document by document and are added in the order
of the batch, whoever computed them. So the result is the same, to the last bit, for any number of
processes. Where no process can be started, as in a browser tab, this process computes everything.
"""

import math
import os
import signal
import sys
import time
from array import array
from contextlib import contextmanager

from ...gpt import gpt_param_sizes
from ..engine import document_gradients, fast_gradients, mean_gradients

STARTED_IN_TIME = 30  # seconds
ENDED_IN_TIME = 2
TIMED_STEPS = 2
WORTH_A_PROCESS = 20  # seconds of training; starting a process takes one
BROKEN = (ImportError, OSError, EOFError, RuntimeError, ValueError)  # what a lost process can raise
# Processor time on an ordinary core: forward and backward for each parameter and token, AdamW for each
# parameter. A step of few tokens costs more for each of them.
SECONDS_PER_PRODUCT = 100e-9
SECONDS_PER_UPDATE = 0.7e-6
SECONDS_PER_TOKEN = 150e-6


def packed(tree):
    """All numbers of a tree of vectors and matrices, as bytes."""
    numbers = array("d")
    for entry in tree.values():
        for row in entry if isinstance(entry[0], list) else [entry]:
            numbers.extend(row)
    return numbers.tobytes()


def unpacked(data, sizes):
    """The tree with these numbers: sizes is {name: size of a vector or a matrix}.

    >>> unpacked(packed({"W": [[1.0, 2.0], [3.0, 4.0]], "b": [5.0]}), {"W": [2, 2], "b": [1]})
    {'W': [[1.0, 2.0], [3.0, 4.0]], 'b': [5.0]}
    """
    numbers, tree, at = array("d", data).tolist(), {}, 0
    for name, size in sizes.items():
        end, n = at + math.prod(size), size[-1]
        rows = [numbers[i : i + n] for i in range(at, end, n)]
        tree[name], at = rows if len(size) == 2 else rows[0], end
    return tree


def split_batch(documents, n):
    """n runs of neighbouring documents with about as many tokens each; some may be empty.

    >>> split_batch([[1, 1, 1, 1], [1, 1], [1, 1]], 2)
    [[[1, 1, 1, 1]], [[1, 1], [1, 1]]]
    """
    total, parts, before = sum(map(len, documents)), [[] for _ in range(n)], 0
    for document in documents:
        middle = before + len(document) / 2
        parts[min(n - 1, int(n * middle / total))].append(document)
        before += len(document)
    return parts


def compute_gradients(connection, config):
    """What a helping process does: gradients of documents, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    try:
        connection.send("ready")
        while True:
            sizes, data, documents = connection.recv()
            parameters = unpacked(data, sizes)
            parts = [document_gradients(config, parameters, tokens) for tokens in documents]
            # All at once: a pipe takes few bytes until the other side reads, which computes, too.
            connection.send([(losses, packed(gradients)) for losses, gradients in parts])
    except (EOFError, OSError):
        pass  # whoever asked has ended


def tensor_size(entry):
    """The size of a vector or a matrix, as gpt_param_sizes gives it."""
    return [len(entry), len(entry[0])] if isinstance(entry[0], list) else [len(entry)]


@contextmanager
def ctrl_c_later():
    """Hold Ctrl-C back: a process that is started meanwhile never gets it, and this one does afterwards."""
    mask = getattr(signal, "pthread_sigmask", None)  # not on Windows
    before = mask(signal.SIG_BLOCK, {signal.SIGINT}) if mask else None
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, before)


class WorkerPool:
    """Some processes that compute the gradients of a batch together; this one is the first of them.

    `gradients` takes and gives what fast_gradients does. A process that ends early is done without.
    """

    def __init__(self, config, processes):
        self.config, self.helping = config, []
        try:
            self.start(processes - 1)
        except BROKEN:
            self.close()
        except BaseException:  # Ctrl-C
            self.close()
            raise

    def start(self, n):
        if n < 1 or sys.platform == "emscripten":
            return
        import multiprocessing  # here, because a tab may lack it

        context = multiprocessing.get_context("spawn")
        with ctrl_c_later():
            for _ in range(n):
                ours, theirs = context.Pipe()
                process = context.Process(target=compute_gradients, args=(theirs, self.config), daemon=True)
                process.start()
                theirs.close()
                self.helping.append((process, ours))
        for _, connection in self.helping:
            if not connection.poll(STARTED_IN_TIME):
                raise OSError("a process does not answer")
            connection.recv()

    def gradients(self, config, parameters, documents):
        """The mean loss over all tokens of some documents, and its gradients by name."""
        if not self.helping:
            return fast_gradients(config, parameters, documents)
        own, *others = split_batch(documents, 1 + len(self.helping))
        try:
            sizes, data = {name: tensor_size(p) for name, p in parameters.items()}, packed(parameters)
            asked = []
            for (_, connection), some in zip(self.helping, others):
                if some:
                    connection.send((sizes, data, some))
                    asked.append(connection)
            parts = [document_gradients(config, parameters, tokens) for tokens in own]
            for connection in asked:
                parts += [(losses, unpacked(found, sizes)) for losses, found in connection.recv()]
        except BROKEN:
            self.close()
            return fast_gradients(config, parameters, documents)
        except BaseException:  # Ctrl-C: answers that nobody takes would be taken for those of the next batch
            self.close()
            raise
        return mean_gradients(parts)

    def close(self):
        for _, connection in self.helping:
            connection.close()
        for process, _ in self.helping:
            process.join(ENDED_IN_TIME)
            if process.is_alive():
                process.terminate()
                process.join(ENDED_IN_TIME)
        self.helping = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def cores():
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def fastest_pool(config, parameters, batches, most):
    """A WorkerPool of at most so many processes: as many as make a step shorter, found out on some batches.

    Two processes are compared with one, four with two, and so on.
    """
    team = WorkerPool(config, 1)
    alone = seconds_of(team, parameters, batches)
    n = 2
    while n <= most:
        larger = WorkerPool(config, n)
        if len(larger.helping) + 1 < n:
            larger.close()
            break
        together = seconds_of(larger, parameters, batches)
        if together > 0.9 * alone:
            larger.close()
            break
        team.close()
        team, alone, n = larger, together, 2 * n
    return team


def seconds_of(team, parameters, batches):
    """The shortest time of a step."""
    shortest = math.inf
    for documents in batches[:TIMED_STEPS]:
        began = time.perf_counter()
        team.gradients(team.config, parameters, documents)
        shortest = min(shortest, time.perf_counter() - began)
    return shortest


def choose_pool(run, documents, left, processes=None):
    """A WorkerPool for the steps that are left: of so many processes, or of as many as make it shorter."""
    config = run["config"]
    if processes is not None:
        return WorkerPool(config, processes)
    batch = run["settings"]["batch_size"]
    tokens = sum(map(len, documents[:batch]))
    if cores() == 1 or left * seconds_of_step(config, tokens) < WORTH_A_PROCESS:
        return WorkerPool(config, 1)
    batches = [documents[i : i + batch] for i in (0, batch)]
    return fastest_pool(config, run["parameters"], [some for some in batches if some], min(batch, cores()))


def parameters_in(config):
    return sum(math.prod(size) for size in gpt_param_sizes(config).values())


def seconds_of_step(config, tokens, processes=1):
    """How long a step with so many tokens takes on an ordinary core, or on some."""
    N = parameters_in(config)
    products = tokens * (N * SECONDS_PER_PRODUCT + SECONDS_PER_TOKEN)
    return products / processes + N * SECONDS_PER_UPDATE
