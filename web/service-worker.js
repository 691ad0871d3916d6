// Stores the files of the page, so that it opens without a network. The build inserts the list of files and their version.
const VERSION = "__VERSION__";
const FILES = __FILES__;
const CACHE = `asi-page-${VERSION}`;
const scope = new URL(self.registration.scope);
const addresses = new Set(FILES.map((file) => new URL(file, scope).href));

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([...addresses]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith("asi-page-") && name !== CACHE)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  address.search = "";
  address.hash = "";
  // The API has the same origin as the page. Requests for anything except files of the page go to the network unchanged.
  if (event.request.method !== "GET" || !addresses.has(address.href)) return;
  const isHashed = address.pathname.startsWith(`${scope.pathname}assets/`);
  event.respondWith(isHashed ? cachedFirst(address.href) : networkFirst(event.request, address.href));
});

async function cachedFirst(address) {
  return (await caches.match(address)) ?? fetch(address);
}

// a new version is then used as soon as there is a network
async function networkFirst(request, address) {
  try {
    return await fetch(request);
  } catch (error) {
    const cached = await caches.match(address);
    if (cached === undefined) throw error;
    return cached;
  }
}
