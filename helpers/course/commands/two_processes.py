"""A second process that computes half of the rows of each large product of the chat model.

Where no process can be started, or where it ends, this process computes all rows. The result is the same.
"""

import signal
import struct
from array import array

from ..models.rows import Rows, quicker, rows_in
from ..models.smollm2 import read_smollm2
from ..training.parallel import BROKEN, end_processes, start_process, wait_for

MIN_SHARED = 300_000  # numbers of a matrix: in less time than a smaller one takes, nothing is sent
STARTED_IN_TIME = 120  # seconds
HEAD = struct.Struct("<qq")  # of a message: its number, and which rows


class Helper:
    """The other process: it gets a vector, and gives the second half of the rows of a product."""

    def __init__(self, path, least):
        self.sent = 0
        self.process, self.connection = start_process(compute_products, path, least)

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
        end_processes([(self.process, self.connection)])


class SharedRows(Rows):
    """Rows of which this process computes the first half, and the helper the second."""

    def __init__(self, helper, index, kind, n, data):
        self.helper, self.index, self.all_rows = helper, index, data
        super().__init__(kind, n, halves(kind, n, data)[0])

    def product(self, x):
        if self.helper:
            try:
                self.helper.send(self.index, x)
                return super().product(x) + self.helper.receive()
            except BROKEN:  # it has ended
                self.helper = None
                super().__init__(self.kind, self.n, self.all_rows)
        return super().product(x)


def halves(kind, n, data):
    """The first half of some rows, and the second."""
    size = len(data) // rows_in(kind, n, data)
    middle = len(data) // size // 2 * size
    return data[:middle], data[middle:]


def compute_products(connection, path, least):
    """What the helper does, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    try:
        shared = []

        def second_half(kind, n, data):
            if is_shared(kind, n, data, least):
                shared.append(Rows(kind, n, halves(kind, n, data)[1]))

        quicker(read_smollm2(path), second_half)
        connection.send("ready")
        while True:
            message = connection.recv_bytes()
            number, index = HEAD.unpack_from(message)
            product = shared[index].product(array("d", message[HEAD.size :]).tolist())
            connection.send_bytes(HEAD.pack(number, index) + array("d", product).tobytes())
    except (EOFError, OSError, ValueError):
        pass  # whoever asked has ended


def is_shared(kind, n, data, least):
    return n * rows_in(kind, n, data) >= least


def quicker_in_two(model, path, least=MIN_SHARED):
    """Let a model read with a helper; the helper, or None where it cannot be started."""
    try:
        helper = Helper(path, least)
    except BROKEN:
        quicker(model)
        return None
    made = iter(range(len(model.parameters)))

    def first_half(kind, n, data):
        shared = is_shared(kind, n, data, least)
        return SharedRows(helper, next(made), kind, n, data) if shared else Rows(kind, n, data)

    try:
        quicker(model, first_half)
        wait_for(helper.connection, STARTED_IN_TIME)
    except BaseException as error:
        helper.close()
        if not isinstance(error, BROKEN):  # Ctrl-C
            raise
    return helper
