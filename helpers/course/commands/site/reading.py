"""The whole course as one page for reading and printing, without a network and without JavaScript.

`python reading.py NOTEBOOK … < stylesheet` prints it: a program in the environment of the site, which has
mistune for Markdown and latex2mathml for formulas (reading.txt). Nothing else of the course is imported.
"""

import base64
import html
import json
import re
import sys
from pathlib import Path

FORMULA = re.compile(r"(?s)\$\$(.+?)\$\$|(?<![\\$\w])\$([^\s$](?:[^$\n]*[^\s$])?)\$(?![\d$])")
CODE = re.compile(r"(?s)```.*?```|`[^`\n]+`")
ACTIVE = re.compile(r"(?is)<(script|style|iframe|form)\b.*?</\1>|<script\b[^>]*>")
LESSON_LINK = re.compile(r'href="(?:\./)?(\w+)\.ipynb(?:#[^"]*)?"')


def page_of(paths, style):
    """One html page of all notebooks, with a list of the lessons first."""
    lessons = [(path.stem, json.loads(path.read_text(encoding="utf-8"))["cells"]) for path in paths]
    listed = "".join(
        f'<li><a href="#{name}">{html.escape(heading_of(cells))}</a></li>' for name, cells in lessons
    )
    body = "".join(
        f'<section id="{name}">{"".join(map(cell_html, cells))}</section>' for name, cells in lessons
    )
    body = LESSON_LINK.sub(lambda link: f'href="#{link[1]}"', body)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Sixteen</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><nav><h1>Sixteen</h1><p>The whole course, for reading and "
        f"printing. Solutions are folded.</p><ul>{listed}</ul></nav>{body}</body></html>\n"
    )


def heading_of(cells):
    return "".join(cells[0]["source"]).partition("\n")[0].lstrip("# ")


def cell_html(cell):
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return markdown_html(source)
    if cell["cell_type"] != "code" or not source.strip():
        return ""
    hidden = cell["metadata"].get("jupyter", {}).get("source_hidden")
    code = f"<pre><code>{html.escape(source)}</code></pre>"
    code = f"<details><summary>Code</summary>{code}</details>" if hidden else code
    return code + "".join(map(output_html, cell["outputs"]))


def output_html(output):
    if output["output_type"] == "stream":
        return printed("".join(output["text"]))
    if output["output_type"] == "error":
        return printed(f"{output['ename']}: {output['evalue']}")
    data = {
        kind: "".join(value) for kind, value in output.get("data", {}).items() if kind != "application/json"
    }
    if "text/html" in data:
        return f'<div class="output">{ACTIVE.sub("", data["text/html"])}</div>'
    if "text/markdown" in data:
        return f'<div class="output">{markdown_html(data["text/markdown"])}</div>'
    if "image/svg+xml" in data:
        picture = base64.b64encode(data["image/svg+xml"].encode("utf-8")).decode("ascii")
        return f'<div class="output"><img alt="" src="data:image/svg+xml;base64,{picture}"></div>'
    return printed(data["text/plain"]) if data.get("text/plain") else ""


def printed(text):
    return f'<pre class="output">{html.escape(text)}</pre>'


def markdown_html(text):
    """Markdown as html; formulas are set aside before, because * and _ in them are no marks."""
    import mistune
    from latex2mathml.converter import convert

    formulas, codes = [], []

    def keep_code(found):
        codes.append(found[0])
        return f"\x02{len(codes) - 1}\x02"

    def keep_formula(found):
        formulas.append(convert(found[1] or found[2], display="block" if found[1] else "inline"))
        return f"\x03{len(formulas) - 1}\x03"

    text = FORMULA.sub(keep_formula, CODE.sub(keep_code, text))
    text = re.sub("\x02(\\d+)\x02", lambda mark: codes[int(mark[1])], text)
    page = mistune.create_markdown(escape=False, plugins=["table", "strikethrough"])(text)
    return re.sub("\x03(\\d+)\x03", lambda mark: formulas[int(mark[1])], page)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print(page_of([Path(name) for name in sys.argv[1:]], sys.stdin.read()), end="")
