"""What the commands start with the environment's Python: `python start.py lab|nbconvert|pytest …`."""

import os
import signal
import sys

# The notebook validator imports rfc3987_syntax where it is installed, which spends three seconds on a grammar
# that is never used.
sys.modules["rfc3987_syntax"] = None

CODES = {"lab": 0, "nbconvert": 1, "pytest": 2}  # of a Ctrl-C before the program itself handles it


def lab():
    """JupyterLab, with a token of ours, whatever a configuration says; the address with it is printed.

    What passes between Jupyter and its kernels is encrypted, else each kernel begins with a warning.
    """
    import secrets

    import zmq
    from jupyter_server.auth.identity import IdentityProvider
    from jupyterlab.labapp import main

    IdentityProvider.token_generated = True
    sys.argv.append("--PasswordIdentityProvider.token=" + secrets.token_hex(24))
    if zmq.has("curve"):
        sys.argv.append("--MappingKernelManager.transport_encryption=auto")
    return main()


def nbconvert():
    from nbconvert.nbconvertapp import main

    return main()


def pytest():
    """pytest. `--slowest` prints the seconds of each file, `--counts=FILE` writes how many tests passed."""
    from pytest import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[0] = "pytest"
    slowest = "--slowest" in sys.argv
    counts = [argument for argument in sys.argv if argument.startswith("--counts=")]
    arguments = [argument for argument in sys.argv[1:] if argument not in (*counts, "--slowest")]
    try:
        return main(arguments, plugins=[Report(slowest, counts[-1].partition("=")[2] if counts else None)])
    except KeyboardInterrupt:
        return CODES["pytest"]


class Report:
    """A plugin of pytest: adds up the seconds of each file, and writes down how many tests passed."""

    def __init__(self, slowest, counts):
        self.slowest, self.counts, self.seconds = slowest, counts, {}

    def pytest_runtest_logreport(self, report):
        file = report.nodeid.partition("::")[0]
        self.seconds[file] = self.seconds.get(file, 0) + report.duration

    def pytest_terminal_summary(self, terminalreporter):
        if self.counts:
            passed, failed = (
                sum(len(terminalreporter.stats.get(name, [])) for name in names)
                for names in (["passed"], ["failed", "error"])
            )
            with open(self.counts, "w", encoding="utf-8") as file:
                file.write(f"{passed} {failed}")
        if self.slowest:
            terminalreporter.section("seconds of each file")
            for file in sorted(self.seconds, key=self.seconds.get, reverse=True):
                terminalreporter.write_line(f"{self.seconds[file]:7.1f} {file}")


if __name__ == "__main__":  # not in a process of multiprocessing, which imports this file and needs the helpers
    # Neither this folder nor a file in the project's folder must hide one of Python's modules.
    sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd(), os.path.dirname(__file__))]
    program = sys.argv.pop(1)
    signal.signal(signal.SIGINT, lambda *_: os._exit(CODES[program]))
    sys.exit({"lab": lab, "nbconvert": nbconvert, "pytest": pytest}[program]())
