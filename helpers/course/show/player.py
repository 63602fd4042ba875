"""Figures that move: a still figure, the steps in words, what changes from step to step, and one script.

The script only shows figures that Python has drawn. It computes no number, and is the same in all figures.
Where no script runs (an untrusted notebook, GitHub, paper), the still figure is seen, and the steps in words.
Any figure can be a step. Pointing at an element with data-to="2 -" sets the first choice to its option 2
and leaves the second as it is.
"""

import json
import math
import re
from html import escape

from .svg import box

MAX_TRIED = 8  # earlier places that may begin in the same way
MAX_BYTES = 150_000  # of one figure, so that a notebook stays small enough to be loaded and compared

# The site's content policy names its digest: a change of the script changes every recorded figure.
PLAYER = r"""(() => {
const box = document.currentScript.parentElement, still = box.querySelector("img");
if (!still) return;
const { choices, start, pause, pool, moves } = JSON.parse(box.querySelector("script").textContent);
const words = [...box.querySelectorAll("li")].map((item) => item.textContent);
const bytes = Uint8Array.from(atob(still.src.split(",")[1]), (letter) => letter.charCodeAt(0));
const out = (new TextDecoder().decode(bytes) + "\n").split(/(?=[ <>\n])/), known = [...new Set(out), ...pool];
for (let i = 0; i < moves.length; i++) {
  if (moves[i] >= 0) out.push(known[moves[i]]);
  else for (let n = -moves[i], back = moves[++i]; n > 0; n--) out.push(out[out.length - back]);
}
const frames = out.join("").split("\n").slice(1), last = choices.length - 1;
const sizes = choices.map(([, options]) => options.length), at = [];
for (let i = last, k = start; i >= 0; k = (k - at[i--]) / sizes[i + 1]) at[i] = k % sizes[i];
const make = (kind, properties, ...children) => {
  const made = Object.assign(document.createElement(kind), properties);
  if (/button|input|select/.test(kind)) made.dataset.lmSuppressShortcuts = "true"; // or JupyterLab takes them
  made.append(...children);
  return made;
};
const button = (text, name, onclick) =>
  make("button", { type: "button", onclick, ...(name && { title: name, ariaLabel: name }) }, text);
const step = (by) => () => { stop(); set(last, at[last] + by); };
const play = button("▶ play", "", () => (timer ? stop() : run()));
const back = button("‹", "one step back", step(-1)), on = button("›", "one step on", step(1));
const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a));
const steady = (made, kind, text) => // as large as the longest text: nothing below it jumps
  make(kind, { className: "steady" }, made, make(made.localName, { textContent: text }));
const says = make("p", {}), paper = still.parentElement, view = paper.cloneNode(), shown = make("b", {});
const size = (frame, side) => +frame.match(side + '="(\\d+)"')[1];
const most = (side) => Math.max(...frames.map((frame) => size(frame, side)));
const widest = most("width"), tallest = most("height");
paper.classList.add("on-paper");
paper.after(view);
let timer = 0, held = false;
const fields = choices.map(([name, options], i) => {
  const field = i < last
    ? make("select", {}, ...options.map((option) => make("option", {}, option)))
    : make("input", { type: "range", min: 0, max: options.length - 1, value: 0 });
  field.setAttribute("aria-label", name);
  field.oninput = () => { stop(); set(i, i < last ? field.selectedIndex : +field.value); };
  return field;
});
function set(i, option) {
  at[i] = Math.max(0, Math.min(sizes[i] - 1, option));
  const k = at.reduce((before, option, i) => before * sizes[i] + option, 0);
  fields.forEach((field, i) => { i < last ? (field.selectedIndex = at[i]) : (field.value = at[i]); });
  shown.textContent = choices[last][0] + " " + choices[last][1][at[last]];
  fields[last].setAttribute("aria-valuetext", shown.textContent);
  view.innerHTML = frames[k];
  view.firstChild.setAttribute("aria-hidden", "true"); // the words say it
  fit(size(frames[k], "width"));
  back.ariaDisabled = at[last] === 0;
  on.ariaDisabled = at[last] === sizes[last] - 1;
  says.textContent = words[k];
}
function fit(width) { // smaller in a narrow page, down to what can be read; the rest scrolls
  const by = Math.max(0.7, Math.min(1, view.clientWidth / widest));
  view.firstChild.style.cssText = `display:block;max-width:none;height:auto;width:${by * width}px`;
  view.style.minHeight = by * tallest + "px";
  if (view.scrollWidth > view.clientWidth) view.tabIndex = 0;
  else view.removeAttribute("tabindex");
}
function stop() { clearInterval(timer); timer = 0; play.textContent = "▶ play"; says.ariaLive = "polite"; }
function run() {
  if (at[last] === sizes[last] - 1) set(last, 0);
  play.textContent = "■ stop";
  says.ariaLive = "off";
  timer = setInterval(() => {
    if (!box.isConnected || at[last] === sizes[last] - 1) stop();
    else set(last, at[last] + 1);
  }, pause);
}
view.onpointermove = view.onclick = (event) => { // not over: a redraw under a resting pointer sends that
  const to = event.target.closest("[data-to]"), clicked = event.type === "click";
  if (clicked) { stop(); held = !!to; } // until the pointer leaves, which may cross other places
  if (!to || timer || (!clicked && (held || "press" in to.dataset))) return;
  to.dataset.to.split(" ").forEach((n, i) => n !== "-" && +n !== at[i] && set(i, +n));
};
view.onpointerleave = () => { held = false; };
view.setAttribute("role", "group");
view.setAttribute("aria-label", "the figure");
view.dataset.lmSuppressShortcuts = "true";
says.setAttribute("role", "status");
box.prepend(make("div", { className: "moves" }, make("style", { textContent: `
.moves{background:#fff;color:#1f2933;color-scheme:light;border-radius:6px;padding:8px 12px;margin-bottom:4px;
font:13px/1.5 'DejaVu Sans',Verdana,Arial,sans-serif;max-width:900px}
.moves p{margin:6px 0 0;min-height:3em}.moves label{white-space:nowrap}
.steady{display:inline-grid}div.steady{display:grid}
.steady>*{grid-area:1/1}.steady>:last-child{visibility:hidden}
.moves button,.moves select{font:inherit;color:inherit;background:#eef2f6;border:1px solid #55616e;
border-radius:4px;min-height:30px;min-width:34px;padding:2px 9px;margin:0 6px 4px 0}
.moves input{width:min(360px,40%);margin:0 8px 0 0;vertical-align:middle;accent-color:#b45309}
.moves [aria-disabled=true]{opacity:.4}.on-paper{display:none}
.moves :focus-visible{outline:3px solid #2166ac;outline-offset:2px}
[data-to]{cursor:pointer}@media print{.moves,.on-paper+div{display:none}.on-paper{display:block}}` }),
  make("div", {}, ...fields.slice(0, last).map((field, i) => make("label", {}, choices[i][0] + " ", field))),
  make("div", {}, back, on, play, fields[last],
    steady(shown, "span", choices[last][0] + " " + longest(choices[last][1]))),
  steady(says, "div", longest(words))));
box.querySelector(".moves").onkeydown = ({ key, target }) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (by && target.localName === "button") step(by)();
};
set(last, at[last]);
new ResizeObserver(() => fit(size(view.innerHTML, "width"))).observe(view);
})();"""


class Moving:
    """The steps of a figure, as moving makes them."""

    def __init__(self, steps, still, choices, start, pause):
        self.steps, self.still = steps, still
        self.data = {"choices": choices, "start": start, "pause": pause}

    def _repr_html_(self):
        pool, moves = as_moves([figure.svg() for _, figure in self.steps], self.still.svg())
        told = json.dumps(
            {**self.data, "pool": pool, "moves": moves}, ensure_ascii=False, separators=(",", ":")
        ).replace("<", "\\u003c")
        words = "".join(f"<li>{escape(words, quote=False)}</li>" for words, _ in self.steps)
        made = (
            f"<div>{self.still._repr_html_()}"
            f"<details><summary>The steps in words</summary><ol>{words}</ol></details>"
            f'<script type="application/json">{told}</script><script>{PLAYER}</script></div>'
        )
        size = len(made.encode("utf-8"))
        if size > MAX_BYTES:
            raise ValueError(
                f"the figure that moves needs {size:,} bytes, and at most {MAX_BYTES:,} are shown: "
                "give fewer or smaller steps"
            )
        return made

    def __repr__(self):
        return "\n".join([self.still.text, "", "The steps in words:", *(words for words, _ in self.steps)])


def moving(steps, choices=None, still=None, start=0, pause=700):
    """Show figures one after another, under a slider: steps is [(words, figure), ...].

    The words say what this step shows or changes. choices is {name: options}: the last one is the slider, the
    others are lists to choose from. There is one step for each combination, the last choice running fastest.
    still is the figure where no script runs: the last step's, if not given. start is the index of the step
    that a reader sees first. pause is in milliseconds.
    """
    steps = [(str(words), figure) for words, figure in steps]
    choices = {"step": range(1, len(steps) + 1)} if choices is None else choices
    named = [[str(name), [str(option) for option in options]] for name, options in choices.items()]
    if not steps or math.prod(len(options) for _, options in named) != len(steps):
        counts = " times ".join(f"{len(options)} of {name}" for name, options in named)
        raise ValueError(f"moving: {len(steps)} steps, and {counts}; give one step for each combination")
    return Moving(steps, still or steps[-1][1], named, start, pause)


def target(x, y, width, height, *options, press=False):
    """An area that is pointed at: the option of each choice, None to leave it as it is. Or it is pressed."""
    to = " ".join("-" if option is None else str(option) for option in options)
    how = ' data-press="1"' * press + f' data-to="{to}"'
    return box(x, y, width, height, "none").replace("/>", f' pointer-events="all"{how}/>')


def as_moves(texts, first):
    """The texts as pieces and moves, after a first text that the reader has.

    A move is the number of a piece, those of the first text counted first; or minus a length and then a
    distance: repeat so many pieces, beginning so far back.
    """
    numbers, places, moves = {}, {}, []
    ids = [numbers.setdefault(piece, len(numbers)) for piece in pieces(first + "\n")]
    known, start = len(numbers), len(ids)
    ids += [numbers.setdefault(piece, len(numbers)) for piece in pieces("\n".join(texts))]
    at = beside = 0  # beside: the place that followed the last repeated pieces
    while at < len(ids):
        length = 1
        if at >= start:
            found = [*places.get(tuple(ids[at : at + 3]), []), beside]
            length, place = max((run(ids, place, at), place) for place in found)
            if length < 3:
                length, beside = 1, beside + 1
                moves.append(ids[at])
            else:
                beside = place + length
                moves += [-length, at - place]
        for place in range(at, at + length):
            key = tuple(ids[place : place + 3])
            places[key] = [*places.get(key, [])[-MAX_TRIED:], place]
        at += length
    return list(numbers)[known:], moves


def run(ids, place, at):
    """How many pieces from a place on are the same as those that follow."""
    length = 0
    while at + length < len(ids) and ids[place + length] == ids[at + length]:
        length += 1
    return length


def pieces(text):
    return [piece for piece in re.split(r"(?=[ <>\n])", text) if piece]
