"""The server, the browser and its profiles that the tests share."""

import os
import threading

import pytest
from playwright.sync_api import sync_playwright
from tab import CLASSROOM, FOLDER, QUIET, chromium

from helpers.course.commands.site.server import server


@pytest.fixture(scope="session")
def address():
    with server(FOLDER, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://localhost:{running.server_port}/"
        running.shutdown()


@pytest.fixture(scope="session")
def netlog(tmp_path_factory):
    return tmp_path_factory.mktemp("net") / "log.json"


@pytest.fixture(scope="session")
def browser(netlog):
    arguments = [
        *QUIET.split(),
        f"--log-net-log={netlog}",
        f"--host-resolver-rules=MAP {CLASSROOM} 127.0.0.1",
    ]
    arguments += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        print(f"Chromium {browser.version}")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def stepping(browser):
    """One reader's browser, in which the lessons are stepped through from the first to the last."""
    yield browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)


@pytest.fixture
def fresh(browser):
    """A browser that has never seen the course."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    yield context
    context.close()
