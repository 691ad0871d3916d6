/**
 * A client in a process of its own: asks for one URL after the other at a steady rate until it is told to stop, and
 * then reports how long each answer took. Arguments: token, requests per second, URLs.
 */
const [token, rate, ...urls] = process.argv.slice(2);
const durationsMs: number[] = [];
const pending = new Set<Promise<void>>();
let sent = 0;

async function ask(url: string): Promise<void> {
  const begin = performance.now();
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  durationsMs.push(performance.now() - begin);
}

const timer = setInterval(() => {
  const url = urls[sent++ % urls.length];
  if (url === undefined) return;
  const asked = ask(url).finally(() => pending.delete(asked));
  pending.add(asked);
}, 1000 / Number(rate));

process.on("message", async () => {
  clearInterval(timer);
  await Promise.all(pending);
  process.send?.(durationsMs, () => process.exit(0));
});

// Whoever started this is gone.
process.on("disconnect", () => process.exit(0));
