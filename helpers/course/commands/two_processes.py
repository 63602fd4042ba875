"""A second process that computes half of the rows of each large product of the chat model.

Where no process can be started, or where it ends, this process computes all rows. The result is the same.
"""

import multiprocessing
import signal
import struct
from array import array

from ..models.rows import RowMatrix, quicker
from ..models.smollm2 import read_smollm2
from ..training.parallel import BROKEN, ENDED_IN_TIME, ctrl_c_later

MIN_SHARED = 300_000  # numbers of a matrix: in less time than a smaller one takes, nothing is sent
STARTED_IN_TIME = 120  # seconds
HEAD = struct.Struct("<qq")  # of a message: its number, and which matrix


class Helper:
    """The other process: it gets a vector, and gives the second half of the rows of a product."""

    def __init__(self, path, least):
        self.sent, self.least = 0, least
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        with ctrl_c_later():
            self.process = context.Process(target=compute_products, args=(theirs, path, least), daemon=True)
            self.process.start()
        theirs.close()

    def wait(self):
        """Until it has read the model."""
        if not self.connection.poll(STARTED_IN_TIME):
            raise OSError("the process does not answer")
        self.connection.recv_bytes()

    def send(self, index, x):
        self.sent += 1
        self.connection.send_bytes(HEAD.pack(self.sent, index) + array("d", x).tobytes())

    def receive(self):
        """The answer to the last message; one that Ctrl-C has left is dropped."""
        while True:
            answer = self.connection.recv_bytes()
            if HEAD.unpack_from(answer)[0] == self.sent:
                return array("d", answer[HEAD.size :]).tolist()

    def close(self):
        self.connection.close()
        self.process.join(ENDED_IN_TIME)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(ENDED_IN_TIME)


class SharedMatrix(RowMatrix):
    """A matrix of which this process holds the first half of the rows, and the helper the second."""

    def __init__(self, matrix, index, helper):
        super().__init__(matrix, 0, matrix.m // 2)
        self.index, self.helper = index, helper

    def times(self, x):
        if self.helper is None:
            return super().times(x)
        try:
            self.helper.send(self.index, x)
            return super().times(x) + self.helper.receive()
        except BROKEN:  # it has ended
            self.helper, self.rows = None, self.m
            self.build()
            return super().times(x)


def compute_products(connection, path, least):
    """What the helper does, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    try:
        matrices = []

        def second_half(W):
            matrices.append(RowMatrix(W, W.m // 2) if W.m * W.n >= least else None)
            return matrices[-1] or W

        quicker(read_smollm2(path), second_half)
        connection.send_bytes(b"ready")
        while True:
            message = connection.recv_bytes()
            number, index = HEAD.unpack_from(message)
            product = matrices[index].times(array("d", message[HEAD.size :]).tolist())
            connection.send_bytes(HEAD.pack(number, index) + array("d", product).tobytes())
    except (EOFError, OSError, ValueError):
        pass  # whoever asked has ended


def quicker_in_two(model, path, least=MIN_SHARED):
    """Let a model read with a helper; the helper, or None where it cannot be started."""
    try:
        helper = Helper(path, least)
    except BROKEN:
        quicker(model)
        return None
    index = iter(range(len(model.parameters)))

    def first_half(W):
        i = next(index)
        return SharedMatrix(W, i, helper) if W.m * W.n >= helper.least else RowMatrix(W)

    try:
        quicker(model, first_half)
        helper.wait()
    except BaseException as error:
        helper.close()
        if not isinstance(error, BROKEN):  # Ctrl-C
            raise
    return helper
