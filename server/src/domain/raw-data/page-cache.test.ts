import { describe, expect, it } from "vitest";
import { type CachedPage, PAGE_LIFETIME_MS, PageCache } from "./page-cache.js";

const MIB = 1024 * 1024;

/** Creates a cache with a manual clock, and counts the pages that it reads. */
function newCache(maxBytes: number) {
  let nowMs = Date.UTC(2024, 0, 1);
  let reads = 0;
  const cache = new PageCache({ now: () => new Date(nowMs) }, maxBytes);
  return {
    cache,
    reads: () => reads,
    advance: (ms: number) => {
      nowMs += ms;
    },
    async get(key: string, bytes = 0, wait: Promise<void> = Promise.resolve()): Promise<CachedPage> {
      return cache.get(key, async () => {
        reads += 1;
        await wait;
        return { body: new Uint8Array(bytes), isGzipped: false, etag: `"${key}"` };
      });
    },
  };
}

describe("the cache of pages", () => {
  it("counts the memory of an empty page", async () => {
    const { get, reads } = newCache(MIB);
    const pages = 20_000;
    for (let page = 0; page < pages; page++) await get(`1 ${page} 10000 1704067200000-1704153600000`);
    for (let page = pages - 1; page >= 0; page--) await get(`1 ${page} 10000 1704067200000-1704153600000`);
    const kept = 2 * pages - reads();
    // An empty page with its key takes hundreds of bytes.
    expect(kept).toBeGreaterThan(MIB / 4096);
    expect(kept).toBeLessThan(MIB / 256);
  });

  it("removes expired pages even if nobody requests them", async () => {
    const { get, advance, cache } = newCache(MIB);
    for (let page = 0; page < 100; page++) await get(`old ${page}`, 1000);
    expect(cache.bytes).toBeGreaterThan(100_000);
    advance(PAGE_LIFETIME_MS + 1);
    await get("new", 1000);
    expect(cache.bytes).toBeLessThan(5_000);
  });

  it("does not extend the lifetime of pages when the clock is set back during or after the read", async () => {
    const { get, advance, reads } = newCache(MIB);
    let arrive = () => {};
    const wait = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await get("read");
    const slow = get("being read", 0, wait);
    advance(-3_600_000);
    arrive();
    await slow;
    await get("read");
    expect(reads()).toBe(3);
    advance(PAGE_LIFETIME_MS + 1);
    await get("being read");
    expect(reads()).toBe(4);
  });

  it("reads a page once for concurrent requests", async () => {
    const { get, reads } = newCache(MIB);
    let arrive = () => {};
    const wait = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const asked = Array.from({ length: 10 }, () => get("page", 10, wait));
    arrive();
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    expect(reads()).toBe(1);
  });

  it("counts a page's age from before it was read", async () => {
    const { get, reads, advance } = newCache(MIB);
    let arrive = () => {};
    const wait = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const asked = get("page", 10, wait);
    advance(PAGE_LIFETIME_MS - 1000);
    arrive();
    await asked;
    await get("page");
    expect(reads()).toBe(1);
    advance(1001);
    await get("page");
    expect(reads()).toBe(2);
  });

  it("does not cache a failure, and reports it to everyone who waited", async () => {
    const { cache, get, reads } = newCache(MIB);
    const failing = () => cache.get("page", () => Promise.reject(new Error("no connection")));
    const [one, two] = await Promise.allSettled([failing(), failing()]);
    expect([one.status, two.status]).toEqual(["rejected", "rejected"]);
    await get("page");
    expect(reads()).toBe(1);
  });

  it("does not cache a page that is larger than its memory, and caches nothing if it has no memory", async () => {
    for (const [maxBytes, bytes] of [
      [MIB, 2 * MIB],
      [0, 0],
    ] as const) {
      const { get, reads } = newCache(maxBytes);
      await get("page", bytes);
      await get("page", bytes);
      expect(reads()).toBe(2);
    }
  });
});

describe("a page from a replica", () => {
  it("is at most 120 seconds older than the replica's state from which it was read", async () => {
    let nowMs = Date.UTC(2024, 0, 1);
    let reads = 0;
    const cache = new PageCache({ now: () => new Date(nowMs) }, MIB);
    const read = () =>
      cache.get("a", async () => ({
        body: new Uint8Array(),
        isGzipped: false,
        etag: `"${++reads}"`,
        ageMs: 100_000,
      }));
    await read();
    nowMs += PAGE_LIFETIME_MS - 100_000;
    await read();
    expect(reads).toBe(1);
    nowMs += 1;
    await read();
    expect(reads).toBe(2);
  });
});
