"""What the commands start with the environment's Python: `python start.py lab|nbconvert|pytest …`."""

import json
import os
import re
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
    """pytest. `--slowest` prints the seconds of each file, `--counts=FILE` writes how many tests passed;
    with `--share=FOLDER` and `--share-from-end=FOLDER`, two processes share the files out."""
    from pytest import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[0] = "pytest"
    ours, arguments = {}, []
    for argument in sys.argv[1:]:
        option, _, value = argument.partition("=")
        if option in ("--slowest", "--counts", "--share", "--share-from-end"):
            ours[option] = value
        else:
            arguments.append(argument)
    plugins = [Report("--slowest" in ours, ours.get("--counts"))]
    plugins += [Share(folder, option) for option, folder in ours.items() if option.startswith("--share")]
    try:
        return main(arguments, plugins=plugins)
    except KeyboardInterrupt:
        return CODES["pytest"]


class Share:
    """A plugin of pytest for one of two processes that have collected the same files. Each process takes the
    next file that nobody has taken: one from the first file on, the other from the last one back.

    Notebooks that load the same trained model are taken together, so that it is trained once. Tests marked
    each_alone take minutes: each is taken as if it were a file.
    """

    def __init__(self, folder, option):
        self.folder, self.backwards = folder, option == "--share-from-end"
        with open(os.path.join(folder, "groups.json"), encoding="utf-8") as file:
            self.groups = json.load(file)

    def pytest_runtestloop(self, session):
        if session.testsfailed or session.config.option.collectonly:
            return None  # no test runs; pytest's own loop says why
        found = {}
        for item in session.items:
            file = item.nodeid.partition("::")[0]
            name = item.nodeid if item.get_closest_marker("each_alone") else self.groups.get(file, file)
            found.setdefault(name, []).append(item)
        for name in reversed(found) if self.backwards else found:
            if not os.path.exists(self.place("stopped")) and self.takes(name):
                self.run(session, found[name])
        return True

    def run(self, session, items):
        for item, following in zip(items, [*items[1:], None]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail or session.shouldstop:  # the option -x, for example
                os.makedirs(self.place("stopped"), exist_ok=True)
                stop = session.Failed if session.shouldfail else session.Interrupted
                raise stop(session.shouldfail or session.shouldstop)

    def takes(self, name):
        """Whether nobody has taken these files before: only one process can make the folder."""
        try:
            os.mkdir(self.place(re.sub(r"\W", "-", name)))
        except FileExistsError:
            return False
        return True

    def place(self, name):
        return os.path.join(self.folder, name)


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


# not in a process of multiprocessing, which imports this file and needs the helpers
if __name__ == "__main__":
    # Neither this folder nor a file in the project's folder must hide one of Python's modules.
    sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd(), os.path.dirname(__file__))]
    program = sys.argv.pop(1)
    signal.signal(signal.SIGINT, lambda *_: os._exit(CODES[program]))
    sys.exit({"lab": lab, "nbconvert": nbconvert, "pytest": pytest}[program]())
