// The course around a notebook: where you are, the links from lesson to lesson, the circles of the map, the stop button.
(() => {
  if (!window.course) return; // opened as a file
  const { root, tab, status, worker, notice, news, file, held, complain } = window.course;
  const folder = "notebooks/";
  const page = (name) => new URL(`notebooks/index.html?path=${encodeURIComponent(folder + name)}`, root).href;
  const path = new URLSearchParams(location.search).get("path") || "";
  const here = path.split("/").pop();

  const app = () => window.jupyterapp;
  const tell = (message) => navigator.serviceWorker?.controller?.postMessage(message);
  const context = () => [...app().shell.widgets("main")].find((widget) => widget.context?.path === path)?.context;
  const save = () => context()?.isReady && context().model.dirty ? app().commands.execute("docmanager:save").catch(() => {}) : undefined;

  async function go(href) {
    if (held() && !confirm("Changes made in this page are not saved. Leave it?")) return;
    await save();
    location.assign(href);
  }

  function lessonOf(link) {
    const data = link.dataset.commandlinkerArgs;
    const target = (data && JSON.parse(data).path) || link.getAttribute("href") || "";
    const name = decodeURIComponent(target.split(/[?#]/)[0]).split("/").pop();
    return /^[a-z]+:\/\//i.test(target) && !target.startsWith(root.href) ? "" : name.endsWith(".ipynb") ? name : "";
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const name = link.dataset.lesson || (link.closest(".jp-Notebook") && lessonOf(link));
    if (!name) return;
    event.preventDefault();
    event.stopPropagation();
    go(page(name));
  }, true);

  // The pictures of the network and of the lessons are images: a link is laid over each circle with a lesson's number.
  function overlay(image, lessons) {
    if (image.dataset.linked || !image.src.startsWith("data:image/svg+xml;base64,")) return;
    image.dataset.linked = "yes";
    const svg = new DOMParser().parseFromString(atob(image.src.split(",")[1]), "image/svg+xml").documentElement;
    const [, , width, height] = (svg.getAttribute("viewBox") || `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`)
      .split(/[\s,]+/).map(Number);
    const links = [];
    for (const circle of svg.querySelectorAll("circle")) {
      const number = circle.nextElementSibling?.textContent || "";
      const lesson = lessons.find(({ name }) => name.startsWith(`${number}_`));
      if (!/^\d\d[a-z]?$/.test(number) || !lesson) continue;
      const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(circle.getAttribute(name)) + (name === "r" ? 4 : 0));
      const link = document.createElement("a");
      link.href = page(lesson.name);
      link.title = lesson.title;
      link.setAttribute("aria-label", lesson.title);
      link.dataset.lesson = lesson.name;
      link.className = "course-circle";
      link.style.left = `${(100 * (x - r)) / width}%`;
      link.style.top = `${(100 * (y - r)) / height}%`;
      link.style.width = `${(200 * r) / width}%`;
      link.style.height = `${(200 * r) / height}%`;
      links.push(link);
    }
    if (!links.length) return;
    const frame = document.createElement("span");
    frame.className = "course-map";
    image.replaceWith(frame);
    frame.append(image, ...links);
  }

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  // What is passed and what is next. `grade` leaves a file for each exercise in the folder of the states.
  function progress(lessons) {
    const list = element("ul"), said = element("p");
    async function fill() {
      const kept = await app()?.serviceManager.contents.get(`${folder}state/passed`, { content: true }).catch(() => undefined);
      const all = lessons.flatMap(({ exercises }) => exercises);
      // As in passed.py: an update may have given the exercise of a file another number. Its function's name finds it.
      const now = ([, old, name]) => (all.find((one) => one[0] === old && one[1] === name) || all.find((one) => one[1] === name))?.[0];
      const files = (kept?.content || []).map((file) => /^(\d\d\.\w+)\.(\w+)\.py$/.exec(file.name));
      const done = new Set(files.filter(Boolean).map(now));
      const passed = ([number]) => done.has(number);
      const link = ({ name, title }) => {
        const made = element("a", { href: page(name) }, title);
        made.dataset.lesson = name;
        return made;
      };
      const at = Math.max(0, lessons.findIndex(({ name }) => name === here));
      const following = [...lessons.slice(at), ...lessons.slice(0, at)].filter(({ exercises }) => !exercises.every(passed));
      const next = following.find(({ name }) => name === here || /^\d\d_/.test(name)) || following[0];
      said.replaceChildren(`${all.filter(passed).length} of ${all.length} exercises passed.`,
        ...(next ? [` Next: ${next.exercises.find((one) => !passed(one))[0]} in `, link(next), "."] : []));
      list.replaceChildren(...lessons.map((lesson) =>
        element("li", {}, link(lesson), ` ${lesson.exercises.filter(passed).length} of ${lesson.exercises.length}`)));
    }
    const made = element("details", { id: "course-progress", ontoggle: () => made.open && fill(),
      onkeydown: ({ key }) => { if (key === "Escape") made.open = false; } },
      element("summary", {}, "Progress"), element("div", {}, said, list));
    return made;
  }

  async function download() {
    await save();
    const content = context().model.toJSON();
    const file = new Blob([`${JSON.stringify(content, null, 1)}\n`], { type: "application/json" });
    const link = element("a", { href: URL.createObjectURL(file), download: here });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async function startAfresh() {
    if (!confirm("Put this lesson back as it was published? What you have written in it is lost.")) return;
    await app().commands.execute("docmanager:save").catch(() => {});
    await app().serviceManager.contents.delete(path);
    location.reload();
  }

  function bar(lessons) {
    const at = lessons.findIndex(({ name }) => name === here);
    const step = (lesson, word, sign) => lesson
      ? element("a", { href: page(lesson.name), title: lesson.title, className: "course-step" }, sign)
      : element("span", { className: "course-step", ariaHidden: "true" }, "");
    const choice = element("select", { ariaLabel: "Lessons", onchange: () => go(page(choice.value)) },
      ...(at < 0 ? [element("option", { value: "", selected: true }, here || "Lessons")] : []),
      ...lessons.map(({ name, title }) => element("option", { value: name, selected: name === here }, title)));
    const made = element("nav", { id: "course-bar", ariaLabel: "The course" },
      step(lessons[at - 1], "previous", "‹ previous"), choice, step(at >= 0 && lessons[at + 1], "next", "next ›"),
      element("span", { id: "course-note" }, "Your work is kept in this browser only."),
      progress(lessons),
      element("a", { href: new URL("terms.html", root).href }, "Terms"),
      element("a", { href: new URL("sixteen.html", root).href, download: "sixteen.html", title: "All lessons in one file, for reading and printing" }, "Read offline"),
      element("button", { type: "button", onclick: download }, "Download"),
      element("button", { type: "button", onclick: startAfresh }, "Start afresh"), ...file, status, notice, news);
    for (const link of made.querySelectorAll("a.course-step")) {
      link.dataset.lesson = new URLSearchParams(new URL(link.href).search).get("path").slice(folder.length);
    }
    document.body.prepend(made);
    document.documentElement.style.setProperty("--course-bar", `${made.offsetHeight}px`);
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--course-bar", `${made.offsetHeight}px`);
      window.dispatchEvent(new Event("resize"));
    }).observe(made);
  }

  const note = (text) => document.getElementById("course-note").append(` ${text}`);

  async function warnWithoutWorker() {
    if (await worker) return;
    const where = window.isSecureContext ? "Without the course's service worker, which this browser or server refuses,"
      : "At this address (neither https nor localhost)";
    note(`${where} ■ cannot stop a cell: restart the kernel instead.`);
  }

  // Once Python runs, the rest of the course is loaded, too, unless the reader has asked the browser to save data.
  window.course.started = () => {
    if (navigator.connection?.saveData) return;
    navigator.serviceWorker?.addEventListener("message", ({ data }) => {
      if (data.kept) status.append(" It now works offline, too.");
    });
    setTimeout(() => tell({ keep: true }), 5000); // a reader who goes on at once comes first
  };

  async function start() {
    const lessons = await fetch(new URL("static/course/lessons.json", root)).then((answer) => answer.json())
      .catch(() => complain("The lessons cannot start: static/course/lessons.json is missing on the server of this page."));
    if (!lessons) return;
    bar(lessons);
    warnWithoutWorker();
    const look = () => {
      document.querySelectorAll(".jp-Notebook img[alt^='The network of'], .jp-Notebook img[alt^='The lessons of']")
        .forEach((image) => overlay(image, lessons));
      // The page's own "Skip to Main" has no target in a notebook, and its tabindex puts it before everything.
      for (const link of document.querySelectorAll(".skip-link[tabindex]")) {
        link.removeAttribute("tabindex");
        link.onclick = (event) => {
          event.preventDefault();
          document.querySelector(".jp-Notebook")?.focus();
        };
      }
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    const waiting = setInterval(() => {
      if (!app()) return;
      clearInterval(waiting);
      app().commands.commandExecuted.connect((_, { id }) => {
        if (/interrupt/.test(id)) tell({ stop: tab });
        if (/run|restart/.test(id)) tell({ go: tab });
      });
    }, 200);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && app()) save();
    });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
