/**
 * A client in a separate process. Requests the URLs one after another at a constant rate until it is stopped, and then reports all response
 * times. Arguments: token, requests per second, URLs.
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

// The parent process has ended.
process.on("disconnect", () => process.exit(0));
