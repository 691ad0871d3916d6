import { LRUCache } from "lru-cache";
import type { Clock } from "../change/context.js";

/** A page of raw data as sent. */
export interface CachedPage {
  body: Uint8Array;
  isGzipped: boolean;
  etag: string;
  /** Age of the database state when the page was read, ms; absent for the newest state. */
  ageMs?: number;
}

/** Lifetime of a cached page. The API documents that streamed samples can be missing from a page for this long. */
export const PAGE_LIFETIME_MS = 120_000;

/** Memory of a page in addition to its bytes and its key: objects, the entity tag, and the tables of the cache. */
const OVERHEAD_BYTES = 1024;

const sizeOf = (key: string, { body }: CachedPage) =>
  body.buffer.byteLength + 2 * key.length + OVERHEAD_BYTES;

/** Caches the most recently used pages for 120 seconds each, in limited memory. Callers must check the right first. */
export class PageCache {
  /** Null when caching is disabled. */
  readonly #pages: LRUCache<string, CachedPage> | null;
  /** Pages being read. */
  readonly #underWay = new Map<string, Promise<CachedPage>>();
  readonly #nowMs: () => number;
  #tidiedAtMs: number;
  #lastSeenMs: number;

  constructor(clock: Clock, maxBytes: number) {
    this.#nowMs = () => clock.now().getTime();
    this.#tidiedAtMs = this.#nowMs();
    this.#lastSeenMs = this.#tidiedAtMs;
    this.#pages =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: (page, key) => sizeOf(key, page),
            ttl: PAGE_LIFETIME_MS,
            ttlResolution: 0,
            perf: { now: this.#nowMs },
          });
  }

  /** Number of requests served by a cached or pending read, and number of requests that started a read. */
  hits = 0;
  misses = 0;

  /** Memory of the cached pages, as counted against the limit. */
  get bytes(): number {
    return this.#pages?.calculatedSize ?? 0;
  }

  /**
   * Returns the page if it was read at most 120 seconds ago. Otherwise reads it once for all concurrent requests, and
   * caches it.
   */
  get(key: string, read: () => Promise<CachedPage>): Promise<CachedPage> {
    this.#tidy();
    const known = this.#pages?.get(key);
    const found = known === undefined ? this.#underWay.get(key) : Promise.resolve(known);
    if (found !== undefined) {
      this.hits += 1;
      return found;
    }
    this.misses += 1;
    // Measure the age from the start of the read, because samples stored during the read may be missing.
    const start = this.#nowMs();
    const page = read()
      .then((page) => {
        // The clock may have been set back.
        const readAtMs = Math.min(start, this.#nowMs());
        this.#pages?.set(key, page, { start: readAtMs - (page.ageMs ?? 0) });
        return page;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, page);
    return page;
  }

  /**
   * Removes expired pages periodically. Removes all pages if the clock was set back, because they would expire too
   * late.
   */
  #tidy(): void {
    const nowMs = this.#nowMs();
    const isSetBack = nowMs < this.#lastSeenMs;
    this.#lastSeenMs = nowMs;
    if (isSetBack) this.#pages?.clear();
    else if (nowMs - this.#tidiedAtMs < PAGE_LIFETIME_MS / 4) return;
    this.#tidiedAtMs = nowMs;
    this.#pages?.purgeStale();
  }
}
