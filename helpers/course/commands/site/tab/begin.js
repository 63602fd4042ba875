// Before the lesson starts: the service worker is registered, and a reader is told what is missing.
(() => {
  if (location.protocol === "file:") return; // the sentence in the page stays
  document.documentElement.classList.add("course");
  const script = document.currentScript;
  const root = new URL("../../", script.src);
  const tab = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2);
  const [DRIVE_LIMIT, PYTHON_LIMIT] = [10_000, 30_000]; // milliseconds
  const within = (milliseconds, promise) =>
    Promise.race([promise.catch(() => false), new Promise((done) => setTimeout(done, milliseconds, false))]);

  // A kernel is told which page it belongs to, so that the stop button stops this one.
  const PlainWorker = window.Worker;
  window.Worker = class extends PlainWorker {
    constructor(url, options) {
      super(url, { ...options, name: tab });
    }
  };

  // --- the service worker, through which a kernel reads and writes the course's files

  async function controlled() {
    const { serviceWorker } = navigator;
    if (!serviceWorker) return false;
    const url = new URL("service-worker.js?enableCache=false", root).href;
    // JupyterLite unregisters a service worker whose version it has not noted, and may wait for that for ever.
    localStorage.setItem(`${url}-version`, script.dataset.version);
    if (serviceWorker.controller?.scriptURL === url) return true;
    const changed = new Promise((done) => serviceWorker.addEventListener("controllerchange", () => done(true), { once: true }));
    if (!(await serviceWorker.register(url))) return false;
    const { active } = await serviceWorker.ready;
    active.postMessage({ claim: true });
    return !!serviceWorker.controller || changed;
  }
  const worker = within(DRIVE_LIMIT, controlled());

  // JupyterLite waits for this before it makes a kernel (patches.py); without a drive, pyodide.mjs brings the files.
  window.courseDrive = async (manager) =>
    !!manager && (await worker) && (manager.enabled || within(DRIVE_LIMIT, manager.ready.then(() => true)));

  // --- one line that says what Python does, or why it does nothing

  const status = Object.assign(document.createElement("span"), { id: "course-status" });
  status.setAttribute("role", "status");
  let trouble = false;

  function say(text) {
    if (!trouble) status.textContent = text;
  }

  function complain(text) {
    if (trouble) return;
    say(text);
    trouble = true;
    status.className = "course-trouble";
    status.setAttribute("role", "alert");
    if (!status.isConnected) document.body.prepend(status);
    document.getElementById("jupyterlite-loading-indicator")?.remove();
  }

  const RELOAD = "Reload this page. If that does not help, copy the folder of the course to its server again.";
  const loading = new BroadcastChannel(`sixteen-python-${tab}`);
  loading.onmessage = ({ data }) => complain(`Python cannot start: ${data} is missing, incomplete or changed. ${RELOAD}`);

  async function storage() {
    localStorage.getItem("");
    const request = indexedDB.open("sixteen-storage");
    await new Promise((done, failed) => Object.assign(request, { onsuccess: done, onerror: failed }));
    request.result.close();
    indexedDB.deleteDatabase("sixteen-storage");
  }

  const kernel = () => [...(window.jupyterapp?.shell.widgets("main") || [])].find((widget) => widget.context?.sessionContext)
    ?.context.sessionContext.session?.kernel;

  function watch() {
    say("Python is loading, about 10 seconds …");
    const slow = setTimeout(() => say(`Python has not started after ${PYTHON_LIMIT / 1000} seconds. On a slow network, wait. ${RELOAD}`), PYTHON_LIMIT);
    const looking = setInterval(() => {
      if (!["idle", "busy"].includes(kernel()?.status)) return;
      clearTimeout(slow);
      clearInterval(looking);
      say("Run a cell with ▶ or Shift+Enter.");
      window.course.started();
    }, 300);
    storage().catch(() => {
      document.documentElement.classList.add("course-dead");
      complain("The lessons cannot start, because this browser blocks storage for this address. "
        + "Allow cookies and site data for it, then reload this page.");
    });
  }
  document.addEventListener("DOMContentLoaded", watch);

  window.course = { root, tab, status, worker, complain, started() {}, leave() {} };
})();
