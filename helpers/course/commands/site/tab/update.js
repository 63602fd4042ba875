// A newer edition in the tab: the published lesson wins, the reader's answers move into it, and the old page is kept as
// my_….ipynb. answers.py does the same for `python3 -m helpers update`; moving.json of the tests has cases for both.
(() => {
  const GRADE = /^([ \t]*(?:\w+[ \t]*=[ \t]*)?grade\([ \t]*["'])(\d+\w?\.\w+)(["'][ \t]*,[ \t]*)(\w+)/m;
  const NO_CODE = /"""[\s\S]*?"""|'''[\s\S]*?'''|#.*/g;
  const FUNCTION = /^([ \t]*)def (\w+)[\s\S]*?\)[^():\n]*:([^\n]*(?:\n\1[ \t]+.*|\n[ \t]*(?=\n|$(?![\s\S])))*)/gm;

  const source = (cell) => [cell.source].flat().join("");
  const codes = (page) => page.cells.filter((cell) => cell.cell_type === "code");
  const graded = (text) => {
    const found = GRADE.exec(text);
    return found && { number: found[2], name: found[4] };
  };

  function isUnwritten(text) {
    const code = text.replace(NO_CODE, "").replace(/\n\s*\n/g, "\n");
    const bodies = [...code.matchAll(FUNCTION)].filter(([, , name]) => name !== "__init__").map(([, , , body]) => body.trim());
    return bodies.length > 0 && bodies.every((body) => ["...", "pass", ""].includes(body));
  }

  // The answers in a page. Of two to one exercise, the later one counts.
  function answers(page, lesson) {
    const found = new Map();
    const texts = codes(page).map((cell) => source(cell).trim());
    texts.forEach((text, i) => {
      const exercise = graded(text);
      if (!exercise) return;
      const { number, name } = exercise;
      const defines = new RegExp(`^(?:def|class)\\s+${name}\\b|^${name}\\s*=`, "m");
      const above = defines.test(text) ? [] : texts.slice(0, i).filter((cell) => defines.test(cell) && !graded(cell)).slice(-1);
      const whole = [...above, text].join("\n\n");
      if (!isUnwritten(whole)) found.set(`${number} ${name}`, { number, name, source: whole, lesson });
    });
    return [...found.values()];
  }

  // Put answers into {lesson: page}, in place; those without a place are returned.
  function move(found, pages) {
    let open = Object.entries(pages).flatMap(([lesson, page]) => codes(page)
      .map((cell) => ({ ...graded(source(cell)), lesson, cell })).filter(({ number }) => number));
    const places = new Map();
    const agreement = (answer, place) => 2 * (answer.number === place.number) + (answer.lesson === place.lesson);
    for (const rank of [3, 2, 1, 0]) {
      for (const answer of found) {
        // gone; 11.b and 13.a have these names, and are others
        if (["14.c my_train", "21.a my_block"].includes(`${answer.number} ${answer.name}`)) continue;
        const fitting = open.filter((place) => place.name === answer.name && agreement(answer, place) === rank);
        if (fitting.length !== 1 || places.has(answer)) continue;
        open = open.filter((place) => place !== fitting[0]);
        places.set(answer, fitting[0]);
      }
    }
    return found.filter((answer) => !places.has(answer) || !put(answer, places.get(answer)));
  }

  function put(answer, { number, cell }) {
    const text = answer.source.replace(GRADE, (_, start, _number, between, written) => start + number + between + written);
    if (source(cell).trim() === text.trim()) return true;
    if (!isUnwritten(source(cell))) return false;
    Object.assign(cell, { source: text, outputs: [], execution_count: null });
    return true;
  }

  // What update needs to know of a page: the edition that it came from, and a digest of each cell as it was published.
  // (FNV-1a, as in editions.py: at an address that is not secure, a browser has no other.)
  function digest(text) {
    const bytes = new TextEncoder().encode(text);
    return bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
  }

  const changedCells = (page, known) => page.cells.map((cell) => [cell.cell_type, source(cell).trim()])
    .filter(([kind, text]) => text && !known.includes(digest(kind + text))).map(([, text]) => text);

  // {key: what is stored there, or undefined} after an update of the stored files, and what happened; null if all is new.
  // course: {editions: {lesson: edition}, exercises: [[number, name, lesson]]}; fetchPage(lesson) gets a published page.
  async function plan(stored, course, fetchPage) {
    const keyOf = (lesson) => `notebooks/${lesson}.ipynb`;
    const kept = [...stored.keys()].map((key) => /^notebooks\/(\d\d[a-z]?_\w+)\.ipynb$/.exec(key)?.[1]).filter(Boolean);
    const contentOf = (lesson) => stored.get(keyOf(lesson))?.content;
    const readable = (page) => Array.isArray(page?.cells) && page.cells.every((cell) => cell && "source" in cell);
    // A lesson whose name is gone has exercises, unlike a reader's own notebook; an early edition has no mark.
    const gone = (lesson) => !course.editions[lesson] && codes(contentOf(lesson)).some((cell) => graded(source(cell)));
    const old = kept.filter((lesson) => contentOf(lesson)?.metadata?.sixteen?.edition !== course.editions[lesson]
      || !readable(contentOf(lesson)) || gone(lesson));
    const [changes, copies, found, pages, others] = [new Map(), {}, [], {}, {}];
    await Promise.all(old.filter((lesson) => course.editions[lesson])
      .map(async (lesson) => { pages[lesson] = await fetchPage(lesson); }));
    for (const lesson of old) {
      const page = contentOf(lesson);
      const published = pages[lesson];
      changes.set(keyOf(lesson), undefined);
      const known = page?.metadata?.sixteen?.cells;
      const changed = readable(page) && known ? changedCells(page, known) : null;
      const same = readable(page) && published && JSON.stringify(page.cells.map(source)) === JSON.stringify(published.cells.map(source));
      if (same || (changed && !changed.length)) continue; // only results are the reader's
      const own = readable(page) ? answers(page, lesson) : [];
      found.push(...own);
      let copy = `my_${lesson}`;
      for (let n = 2; stored.has(keyOf(copy)); n += 1) copy = `my_${lesson}-${n}`;
      copies[lesson] = copy;
      others[lesson] = (changed || []).filter((text) => !own.some((answer) => answer.source.includes(text))
        && !(graded(text) && isUnwritten(text))).length;
      changes.set(keyOf(copy), { ...stored.get(keyOf(lesson)), path: keyOf(copy), name: `${copy}.ipynb` });
    }
    if (!old.length) return null;
    const wanted = new Set(found.map(({ name }) => name));
    for (const lesson of new Set(course.exercises.filter(([, name]) => wanted.has(name)).map(([, , where]) => where))) {
      pages[lesson] ??= readable(contentOf(lesson)) ? structuredClone(contentOf(lesson)) : await fetchPage(lesson);
    }
    const before = Object.fromEntries(Object.entries(pages).map(([lesson, page]) => [lesson, JSON.stringify(page)]));
    const left = move(found, pages);
    const model = (lesson) => stored.get(keyOf(lesson)) || stored.get(keyOf(old[0]));
    for (const [lesson, page] of Object.entries(pages)) {
      if (JSON.stringify(page) === before[lesson]) continue;
      changes.set(keyOf(lesson), { ...model(lesson), path: keyOf(lesson), name: `${lesson}.ipynb`, content: page });
    }
    return { changes, copies, others, left, moved: found.length - left.length, old };
  }

  if (!window.course) { // the tests
    window.moving = { answers, move, plan, digest };
    return;
  }

  // --- the browser's storage, before JupyterLite reads it

  const { root, complain } = window.course;
  const [STORE, LIMIT] = ["files", 60_000]; // milliseconds, after which the lesson opens as it is kept
  let late = false;
  const asked = (request) => new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });

  async function database() {
    const name = `JupyterLite Storage - ${root.pathname}`;
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.transaction.abort(); // there is none: the reader is new here
    const found = await asked(request).catch(() => null);
    if (found?.objectStoreNames.contains(STORE)) return found;
    found?.close();
    return null;
  }

  // All of the changes, or none, whenever the page is closed.
  function write(storage, changes) {
    const transaction = storage.transaction(STORE, "readwrite");
    for (const [key, value] of changes) {
      if (value === undefined) transaction.objectStore(STORE).delete(key);
      else transaction.objectStore(STORE).put(value, key);
    }
    return new Promise((done, failed) => Object.assign(transaction, { oncomplete: done, onerror: failed, onabort: failed }));
  }

  const tellOtherTabs = (changes) => {
    for (const key of changes.keys()) new BroadcastChannel(`sixteen-lesson-${key}`).postMessage({ saved: "a newer edition" });
  };

  async function fetched(path) {
    const answer = await fetch(new URL(path, root), { cache: "no-cache" });
    if (!answer.ok) throw new Error(path);
    return answer.json();
  }

  async function update() {
    const path = new URLSearchParams(location.search).get("path") || "";
    const lesson = /^notebooks\/(\w+)\.ipynb$/.exec(path)?.[1];
    const course = await window.course.index;
    const number = /^\d\d[a-z]?_/.exec(lesson || "")?.[0];
    const renamed = number && !course.editions[lesson] && Object.keys(course.editions).find((name) => name.startsWith(number));
    if (renamed) { // the link is one of an earlier edition
      location.replace(new URL(`notebooks/index.html?path=${encodeURIComponent(`notebooks/${renamed}.ipynb`)}`, root));
      return new Promise(() => {});
    }
    const storage = await database();
    const keys = storage ? await asked(storage.transaction(STORE).objectStore(STORE).getAllKeys()) : [];
    const stored = new Map();
    await Promise.all(keys.filter((name) => /^notebooks\/[^/]*\.ipynb$/.test(name)).map(async (key) => {
      stored.set(key, await asked(storage.transaction(STORE).objectStore(STORE).get(key)));
    }));
    const planned = await plan(stored, course, (name) => fetched(`files/notebooks/${name}.ipynb`));
    if (planned && !late) {
      await write(storage, planned.changes);
      tellOtherTabs(planned.changes);
      say(planned, stored, course.editions);
    }
    storage?.close();
    // Asked for here, a lesson is as new in the browser's cache as the helpers are.
    if (course.editions[lesson]) await fetched(`files/${path}`);
  }

  const notice = Object.assign(document.createElement("span"), { id: "course-update" });
  notice.setAttribute("role", "status");
  const counted = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;

  function say({ changes, copies, others, left, moved, old }, stored, editions) {
    if (!Object.keys(copies).length) return;
    const sentences = [`The course has a newer edition. ${counted(moved, "answer")} moved into it.`];
    for (const [lesson, copy] of Object.entries(copies)) {
      const without = left.filter((answer) => answer.lesson === lesson).map(({ number, name }) => `${number} ${name}`);
      if (without.length) sentences.push(`${copy}.ipynb keeps ${without.join(", ")}, without a place today.`);
      if (others[lesson]) sentences.push(`${copy}.ipynb keeps ${counted(others[lesson], "other cell")} that you wrote or changed.`);
    }
    const names = Object.values(copies);
    sentences.push(`Your old pages: ${names.slice(0, 3).map((name) => `${name}.ipynb`).join(", ")}${names.length > 3 ? ", …" : ""} (File, Open…).`);
    const undo = Object.assign(document.createElement("button"), { type: "button", textContent: "Undo" });
    undo.onclick = async () => {
      const back = new Map([...changes.keys()].map((key) => [key, stored.get(key)]));
      for (const lesson of old) { // the old page stays until the next edition
        const value = structuredClone(stored.get(`notebooks/${lesson}.ipynb`));
        if (!value.content?.metadata) continue;
        value.content.metadata.sixteen = { ...value.content.metadata.sixteen, edition: editions[lesson] };
        back.set(`notebooks/${lesson}.ipynb`, value);
      }
      window.course.leave();
      const storage = await database();
      await write(storage, back);
      location.reload();
    };
    notice.replaceChildren(sentences.join(" "), undo);
  }

  window.course.news = notice;
  window.course.index = fetched("static/course/exercises.json");
  const limit = new Promise((done) => setTimeout(done, LIMIT)).then(() => { late = true; });
  window.course.updated = Promise.race([limit, update().catch((error) => {
    if (/\.(ipynb|json)$/.test(error.message)) complain(`The lesson cannot start: ${error.message} is missing on the server of this page.`);
    else console.warn(error);
  })]);
})();
