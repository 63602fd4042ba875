// What the kernel loads in place of Pyodide: Pyodide itself, every file of it checked, and a way to stop a cell.
import { loadPyodide as load } from "./core.mjs";

const here = new URL(".", import.meta.url).href;
const { base, files, packages } = await (await fetch(here + "files.json")).json();

const plain = self.fetch;
self.fetch = (what, options) => {
  const url = what instanceof Request ? what.url : String(what);
  const name = url.startsWith(here) ? url.slice(here.length) : "";
  return files[name] ? whole(name, plain((base || here) + name, { ...options, integrity: files[name] })) : plain(what, options);
};

// The page is told which file is missing, or is not the one that this course was tested with.
const complain = (name) => new BroadcastChannel(`sixteen-python-${self.name}`).postMessage(name);

async function whole(name, asked) {
  const answer = await asked.catch((error) => {
    complain(name);
    throw error;
  });
  if (!answer.ok) complain(name);
  return answer;
}

// While it runs, Python looks now and then for a signal; 2 means Ctrl-C. A running worker hears no messages, so the
// page is asked for it through the service worker (worker.js), every half second at most, and nothing else costs time.
const [LOOKS, PAUSE] = [1000, 500];

function listenForStop(pyodide) {
  let looks = LOOKS;
  let asked = performance.now();
  let answered = true;
  const signal = [0]; // Python puts it back to 0 when it has seen it
  pyodide.setInterruptBuffer(signal);
  Object.defineProperty(pyodide._module, "Py_EmscriptenSignalBuffer", {
    get() {
      looks -= 1;
      if (looks > 0) return null;
      if (signal[0]) return signal;
      looks = LOOKS;
      if (!answered || performance.now() < asked + PAUSE) return null;
      asked = performance.now();
      if (!stopAsked()) return null;
      signal[0] = 2;
      looks = 0; // Python looks twice
      return signal;
    },
    set() {},
  });

  function stopAsked() {
    try {
      const request = new XMLHttpRequest();
      request.open("GET", new URL(`../../api/stop?tab=${self.name}`, here), false);
      request.send();
      answered = request.status === 200;
      return answered && request.responseText === "stop";
    } catch {
      answered = false;
      return false;
    }
  }
}

// Without a service worker (at an address that is neither https nor localhost, or where the browser refuses it) the
// kernel has no drive. Then the files are brought along, and the lessons' states are kept in the browser's database.
async function bringDrive(FS, sources, others) {
  const files = new Map(Object.entries(sources));
  await Promise.all(others.map(async (path) => {
    const answer = await fetch(new URL(`../../files/${path}`, here));
    files.set(path, new Uint8Array(await answer.arrayBuffer()));
  }));
  for (const [path, data] of files) {
    FS.mkdirTree(`/drive/${path}`.replace(/\/[^/]*$/, ""));
    FS.writeFile(`/drive/${path}`, data);
  }
  FS.chdir("/drive/notebooks");
  FS.mkdir("state");
  FS.mount(FS.filesystems.IDBFS, {}, "/drive/notebooks/state");
  const sync = (load) => new Promise((done) => FS.syncfs(load, done));
  await sync(true);
  let syncing = false;
  setInterval(async () => {
    if (syncing) return;
    syncing = true;
    await sync(false);
    syncing = false;
  }, 500);
}

export async function loadPyodide({ hasDrive, ...options }) {
  const course = whole("course/helpers.json", plain(new URL("../course/helpers.json", here), { cache: "no-cache" }))
    .then((answer) => answer.json());
  const pyodide = await load({ ...options, packages }).catch((error) => {
    complain("a file of Python");
    throw error;
  });
  const { program, sources, others } = await course;
  const names = pyodide.toPy({});
  pyodide.runPython(program, { globals: names });
  names.get("begin")(pyodide.toPy(sources));
  if (self.isSecureContext) listenForStop(pyodide);
  if (!hasDrive) await bringDrive(pyodide.FS, sources, others);
  return pyodide;
}
