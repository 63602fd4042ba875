// The same lesson in two tabs: each is told of the other, and a page does not replace what the other one saved later
// than this one was opened unless the reader says so.
(() => {
  if (!window.course || !window.BroadcastChannel) return;
  const path = new URLSearchParams(location.search).get("path") || "";
  const channel = new BroadcastChannel(`sixteen-lesson-${path}`);
  const say = (text, ...buttons) => {
    notice.replaceChildren(text, ...buttons.map(([label, onclick]) =>
      Object.assign(document.createElement("button"), { type: "button", textContent: label, onclick })));
  };
  const notice = Object.assign(document.createElement("span"), { id: "course-tabs" });
  notice.setAttribute("role", "alert");
  let [held, context] = [false, null];

  channel.onmessage = ({ data }) => {
    if (data === "opened") channel.postMessage("open here");
    if (held || !context) return;
    if (data.saved) {
      if (data.saved !== written()) hold();
    } else say("This lesson is also open in another tab. Work in one of the two, and close the other.");
  };

  // What would be lost: the cells' text and results. (Opening a page saves it, too, with the name of its Python.)
  const written = () => JSON.stringify(context.model.toJSON().cells.map(({ cell_type, source, outputs }) => [cell_type, source, outputs]));

  function hold() {
    held = true;
    say("Another tab has saved this lesson after this page was opened. Changes made here are not saved.",
      ["Show what the other tab saved", () => {
        context.model.dirty = false; // no question about leaving
        location.reload();
      }],
      ["Replace it with this page", async () => {
        held = false;
        say("");
        const margin = context.lastModifiedCheckMargin;
        context.lastModifiedCheckMargin = Infinity; // JupyterLab would ask the same question again
        await context.save();
        context.lastModifiedCheckMargin = margin;
      }]);
  }

  function follow(opened) {
    context = opened;
    const save = context.save.bind(context);
    let unchanged = null; // as it was opened, until something is saved
    context.ready.then(() => { unchanged ??= written(); });
    context.save = async () => {
      if (held || !context.isReady) return;
      if (unchanged === written()) { // only the name of the page's Python has changed
        context.model.dirty = false;
        return;
      }
      unchanged = "";
      await save();
    };
    context.saveState.connect((_, state) => {
      if (state === "completed") channel.postMessage({ saved: written() });
    });
    channel.postMessage("opened");
  }

  const looking = setInterval(() => {
    const widget = [...(window.jupyterapp?.shell.widgets("main") || [])].find(({ context }) => context?.path === path);
    if (!widget) return;
    clearInterval(looking);
    follow(widget.context);
  }, 200);
  window.course.leave = () => { // no save from now on, and no question about leaving
    held = true;
    if (context) context.model.dirty = false;
  };
  window.course.notice = notice;
  window.course.held = () => held;
})();
