
// Of the course: whether a page has asked for its running cell to be stopped. Its kernel asks, see pyodide.mjs.
const stops = new Set();
self.addEventListener("message", (event) => {
  if (event.data && event.data.stop) stops.add(event.data.stop);
  if (event.data && event.data.go) stops.delete(event.data.go);
});
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin === location.origin && url.pathname.endsWith("/api/stop")) {
    const tab = url.searchParams.get("tab");
    event.respondWith(new Response(stops.delete(tab) ? "stop" : "go"));
  }
});
