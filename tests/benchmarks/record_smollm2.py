"""Record what lessons 20, 24 and 24b show of SmolLM2: run their cells, and keep what live and stream give.

    python3 tests/benchmarks/record_smollm2.py            compare with what is recorded (minutes)
    python3 tests/benchmarks/record_smollm2.py --write    record it anew
    python3 tests/benchmarks/record_smollm2.py --add      record what is missing, and drop what no cell needs

The file must be there: python3 -m helpers fetch smollm2.
"""

import contextlib
import io
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from helpers.course.models import smollm2  # noqa: E402

LESSONS = ["20_chat_model", "24_chain_of_thought_and_constrained_decoding", "24b_tools_and_retrieval"]
DIGITS = 6  # after the point; Pythons differ from about the ninth digit of a logit


def rounded(value):
    if isinstance(value, float):
        return round(value, DIGITS)
    return [rounded(part) for part in value] if isinstance(value, (list, tuple)) else value


def results_of(name, known):
    """{call: result} of all that the model gives while a lesson's cells run; what is known is not run."""
    found, live, stream = {}, smollm2.Model.live, smollm2.Model.stream

    def recording(model, function, *arguments, tokens=None):
        call = smollm2.call_text(function, arguments)
        result = known[call] if call in known else live(model, function, *arguments, tokens=tokens)
        found[call] = rounded(result)
        print(call[:100], "->", str(result)[:100], file=sys.stderr)
        return result

    def streaming(model, function, *arguments):
        def pieces(*arguments):
            return [*stream(model, function, *arguments)]

        pieces.__name__ = function.__name__
        yield from recording(model, pieces, *arguments)

    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    scope = {"__name__": "__main__"}
    smollm2.Model.live, smollm2.Model.stream = recording, streaming
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for source in sources[1:]:
                exec(compile(source, name, "exec"), scope)
    finally:
        smollm2.Model.live, smollm2.Model.stream = live, stream
    return found


if __name__ == "__main__":
    assert smollm2.smollm2_stored(), f"the file is missing: {smollm2.FETCH}"
    known = smollm2.Recorded().results if "--add" in sys.argv else {}
    results = {call: result for name in LESSONS for call, result in results_of(name, known).items()}
    if {"--write", "--add"} & {*sys.argv}:
        lines = [f"{json.dumps(call)}: {json.dumps(result)}" for call, result in results.items()]
        smollm2.RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    else:
        recorded = smollm2.Recorded().results
        assert results == recorded, {
            call: (results.get(call), recorded.get(call))
            for call in {*results, *recorded}
            if results.get(call) != recorded.get(call)
        }
        print(len(results), "results are as recorded")
