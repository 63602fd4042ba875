"""Train the model that lesson 16 ships, with the richer stories.

    python tests/benchmarks/stories_model.py

A quarter of an hour on a free core; Ctrl-C stops it, and the same command resumes it.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from helpers.course.models.safetensors import write_safetensors  # noqa: E402
from helpers.course.training import stories  # noqa: E402
from helpers.course.training.loop import train  # noqa: E402

documents, vocab, config = stories.rich_text()
fresh = stories.start_stories(documents, vocab, config, stories.RICH_SETTINGS)
run = train(documents, config, vocab, stories.RICH_SETTINGS, keep="stories_model", run=fresh)
if run["step"] == run["settings"]["steps"]:
    about = {"config": json.dumps(run["config"]), "vocab": " ".join(run["vocab"]), "step": str(run["step"])}
    about["settings"] = json.dumps(run["settings"])
    about["command"] = "python tests/benchmarks/stories_model.py"
    about["documents"] = run["documents"]["sha256"]
    write_safetensors(stories.SHIPPED, run["parameters"], about)
