"""Run once when a kernel starts in a browser tab: the helpers come from memory, not file by file through
the page."""

import importlib.util
import sys
from importlib.machinery import PathFinder, SourceFileLoader

FOLDER = "/drive/"  # where the kernel sees the project, and where the modules say they are


class FromMemory(SourceFileLoader):
    """Reads a module's source, or a file beside it, from what was brought along."""

    sources = {}

    def get_data(self, path):
        return self.sources[path].encode("utf-8")

    def path_stats(self, path):
        raise OSError  # no compiled file is looked for


class Finder(PathFinder):
    """Knows where each module of the helpers stands. Each look into a folder is a question to the page."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        place = FOLDER + name.replace(".", "/")
        for file in (f"{place}.py", f"{place}/__init__.py"):
            if file in FromMemory.sources:
                return importlib.util.spec_from_file_location(name, file, loader=FromMemory(name, file))
        if name.startswith("helpers."):
            return None  # no folder has it either
        if path is None:  # Python's own come before the reader's folder
            elsewhere = [place for place in sys.path if place and not place.startswith(FOLDER)]
            return super().find_spec(name, elsewhere, target) or super().find_spec(name, path, target)
        return super().find_spec(name, path, target)


def begin(sources):
    """Take the sources, {path below the project: text}; no other file is written."""
    FromMemory.sources = {FOLDER + path: text for path, text in sources.items()}
    sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
    sys.dont_write_bytecode = True
