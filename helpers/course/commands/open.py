"""`python3 -m helpers open`: JupyterLab, on a lesson."""

import errno
import os
import socket

from .environment import ROOT, Problem, child_environment, prepare
from .names import find_lesson, number_between
from .subprocesses import START, run_child

FIRST_PORT = 8888
PORTS = 100  # are tried
OURS_ALONE = ["--ServerApp.ip=127.0.0.1", "--ServerApp.allow_remote_access=False", "--ServerApp.sock="]
OURS_ALONE += ["--ServerApp.identity_provider_class=jupyter_server.auth.identity.PasswordIdentityProvider"]
OURS_ALONE += [
    "--PasswordIdentityProvider.hashed_password=",
    "--PasswordIdentityProvider.password_required=False",
]


def open_lab(options):
    """Start JupyterLab on a lesson, and stay until it is stopped."""
    lesson = find_lesson(options.lesson)
    asked = options.port and chosen_port(options.port)  # refused before a set-up of a minute, not after
    python = prepare()
    port = asked or chosen_port(None)
    command = [python, START, "lab", f"--port={port}", "--ServerApp.port_retries=0", *OURS_ALONE]
    command += [f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/lab/tree/notebooks/{lesson}.ipynb"]
    command += ["--log-level=ERROR", "--LabApp.log_level=ERROR"]  # what remains is the address
    command += ["--ServerApp.answer_yes=True"]  # one Ctrl-C is enough
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    if options.no_browser:
        command.append("--no-browser")
    print(f"Starting JupyterLab at port {port}. To stop it, press Ctrl-C here.", flush=True)
    code = run_child(command, env=child_environment())
    if code == 0:
        print("JupyterLab has stopped.")
    return code


def chosen_port(asked):
    """The port asked for, or the first free one; Problem when there is none."""
    if asked is not None:
        if not is_free(asked):
            raise Problem(f"Port {asked} is taken or not allowed: give another one, or leave --port out.")
        return asked
    for port in range(FIRST_PORT, FIRST_PORT + PORTS):
        if is_free(port):
            if port != FIRST_PORT:
                print(f"Port {FIRST_PORT} is taken (another JupyterLab, perhaps): using {port}.")
            return port
    raise Problem(f"Ports {FIRST_PORT} to {port} are all taken: close a JupyterLab, or give --port.")


def is_free(port):
    """Whether a server can listen at a port of this machine, by every address that "localhost" has."""
    for family, kind, protocol, _, address in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM):
        try:
            with socket.socket(family, kind, protocol) as probe:
                if os.name != "nt":  # there it would allow a port that is taken
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):  # no IPv6 on this machine
                return False
    return True


def open_arguments(parser):
    which = "01, 1 or a part of its name; default: 00"
    parser.add_argument("lesson", nargs="?", default="00", metavar="LESSON", help=which)
    port = number_between("a port", 1, 65535)
    parser.add_argument("--port", type=port, help=f"default: the first free one from {FIRST_PORT}")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
