"""A server for this machine alone."""

import contextlib
import http.server
import sys

from ..environment import Problem

PORT = 8016
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".ipynb": "application/json",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of one folder, with the types and headers that the pages need; no listings."""

    headers_sent = {}
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def end_headers(self):
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_head(self):
        with contextlib.suppress(ValueError):  # no file has a name with a zero byte (%00)
            return super().send_head()
        return self.send_error(404)

    def list_directory(self, path):
        self.send_error(404)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        """Says nothing of a browser that has gone away."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


def server(folder, port=PORT):
    """A server of a folder for this machine alone."""
    lines = (folder / "_headers").read_text(encoding="utf-8").splitlines()[1:]
    headers = dict(line.strip().split(": ", 1) for line in lines)
    handler = type("FolderHandler", (Handler,), {"headers_sent": headers})
    with contextlib.suppress(OSError):
        return Server(("127.0.0.1", port), lambda *a: handler(*a, directory=str(folder)))
    raise Problem(
        f"Port {port} is taken: close what uses it. (The address stays the same, because what you do is "
        "kept with it.)"
    )


def serve(folder, port=PORT):
    """Show a folder on this machine alone, until Ctrl-C."""
    with server(folder, port) as running:
        address = f"http://localhost:{running.server_port}/"
        print(f"Open {address} in a browser of this machine. To stop, press Ctrl-C here.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            running.serve_forever()
    print("Stopped.")
