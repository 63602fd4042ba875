// "Bring SmolLM2's file", a button of the lessons that run it: reads the file from this device and keeps it in the browser.
(() => {
  if (!window.course) return;
  const { index } = window.course;
  const lesson = /notebooks\/(\w+)\.ipynb/.exec(new URLSearchParams(location.search).get("path") || "")?.[1];
  const made = (name, properties) => Object.assign(document.createElement(name), properties);
  const [button, chosen, status] = [made("button", { type: "button", textContent: "Bring SmolLM2's file", hidden: true }),
    made("input", { type: "file", hidden: true }), made("span", { id: "course-file" })];
  status.setAttribute("role", "status");
  const say = (text) => { status.textContent = text; };

  async function sha256(file) {
    if (!crypto.subtle) return null; // not at an address without https
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // The bytes as base64, which is how the browser's drive keeps files.
  const read = (file) => new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onprogress = ({ loaded, total }) => say(`Reading the file: ${Math.floor((100 * loaded) / total)} %`);
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });

  async function bring(file, { name, bytes, sha256: due }) {
    if (file.size !== bytes) {
      return say(`${file.name} has ${file.size.toLocaleString("en")} bytes; the file ${name} has ${bytes.toLocaleString("en")}. Choose that file.`);
    }
    say("Checking the file …");
    const found = await sha256(file);
    if (found && found !== due) return say(`${file.name} is not the file of this course: its SHA-256 differs. Choose another copy of ${name}.`);
    const content = await read(file);
    say("Keeping the file in this browser …");
    const { contents } = window.jupyterapp.serviceManager;
    const folder = { name: "models", path: "notebooks/models", type: "directory", format: "json", content: null };
    await contents.get(folder.path, { content: false }).catch(() => contents.save(folder.path, folder));
    await contents.save(`${folder.path}/${name}`, { name, type: "file", format: "base64", content }); // all of it, or nothing
    say("SmolLM2's file is here. Restart the kernel and run this lesson: a token takes 5 to 6 s in a tab, and the page up to 2.7 GB of memory.");
  }

  button.onclick = () => chosen.click();
  chosen.onchange = async () => {
    const file = chosen.files[0];
    if (!file || !window.jupyterapp) return;
    button.disabled = true;
    await bring(file, (await index).chat).catch((error) => say(`The file could not be kept (${error.message || error.name}). Nothing of it is left; make room in this browser's storage, then try again.`));
    Object.assign(button, { disabled: false });
    chosen.value = "";
  };
  index.then(({ chat }) => { button.hidden = !chat.lessons.includes(lesson); }).catch(() => {});
  window.course.file = [button, chosen, status];
})();
