"""Every notebook as it runs when it is the first that a reader opens: once, for all tests that ask."""

import functools
import os
import tempfile

import pytest
from cell_runner import differences


@functools.cache
def opened_first(path):
    """The cells that show something else than recorded, and the names that a reader has at the end."""
    namespace, here = {}, os.getcwd()
    with tempfile.TemporaryDirectory() as state, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIXTEEN_STATE", state)
        try:
            return list(differences(path, namespace)), namespace
        finally:
            os.chdir(here)
