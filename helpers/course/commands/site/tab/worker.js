// Of the course, before JupyterLite's own service worker: the stop button's message, and the files of the course,
// kept so that the lessons also work without a network.
(() => {
  const KEPT = "sixteen-BUILD"; // the name of this build's cache; those of earlier builds are deleted
  const root = new URL("./", location.href).href;
  const stops = new Set();

  self.addEventListener("activate", (event) => {
    event.waitUntil(caches.keys().then((names) => Promise.all(
      names.filter((name) => name.startsWith("sixteen-") && name !== KEPT).map((name) => caches.delete(name)))));
  });

  self.addEventListener("message", (event) => {
    const { stop, go, claim, keep } = event.data || {};
    if (stop) stops.add(stop);
    if (go) stops.delete(go);
    if (claim) event.waitUntil(self.clients.claim());
    if (keep) event.waitUntil(keepAll().then(() => event.source.postMessage({ kept: true }), console.warn));
  });

  self.addEventListener("fetch", (event) => {
    const { origin, pathname, searchParams } = new URL(event.request.url);
    if (origin === location.origin && pathname.endsWith("/api/stop")) {
      event.respondWith(new Response(stops.delete(searchParams.get("tab")) ? "stop" : "go"));
    } else if (event.request.method === "GET" && !/\/api\/(drive|stdin\/|service-worker)/.test(pathname)) {
      event.respondWith(fetch(event.request).catch(async (error) => (await fromCache(event.request)) || Promise.reject(error)));
    } else return; // JupyterLite answers
    event.stopImmediatePropagation();
  });

  async function fromCache({ url }) {
    const kept = await caches.open(KEPT);
    return kept.match(url.replace(/\/(\?.*)?$/, "/index.html"), { ignoreSearch: true });
  }

  // Every file that is not in the cache yet. Two at a time, so that no page has to wait; most of them come from the
  // browser's own cache.
  async function keepAll() {
    const kept = await caches.open(KEPT);
    const names = await (await fetch(`${root}static/course/offline.json`)).json();
    const have = new Set((await kept.keys()).map(({ url }) => url));
    const missing = names.map((name) => new URL(name, root).href).filter((url) => !have.has(url));
    const one = async () => {
      while (missing.length) {
        const url = missing.pop();
        const answer = await fetch(url);
        if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
        await kept.put(url, answer);
      }
    };
    await Promise.all([one(), one()]);
  }
})();
