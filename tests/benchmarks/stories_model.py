"""Train the model that lesson 16 ships, with the richer stories.

    python tests/benchmarks/stories_model.py

A quarter of an hour on a free core; Ctrl-C stops it, and the same command resumes it.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from helpers.course.training import stories  # noqa: E402
from helpers.course.training.loop import train  # noqa: E402

documents, vocab, config = stories.rich_text()
fresh = stories.start_stories(documents, vocab, config, stories.RICH_SETTINGS)
run = train(documents, config, vocab, stories.RICH_SETTINGS, keep="stories_model", run=fresh)
if run["step"] == run["settings"]["steps"]:
    stories.write_model(run)
