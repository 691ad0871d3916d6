import { LRUCache } from "lru-cache";
import type { Clock } from "../change/context.js";

/** A page of raw data as it is sent. */
export interface CachedPage {
  body: Uint8Array;
  isGzipped: boolean;
  etag: string;
  /** How old the state of the database was when the page was read from it, ms; absent for the newest state. */
  ageMs?: number;
}

/** How long a page may be returned after it was read. The API documents at most 120 seconds. */
export const PAGE_LIFETIME_MS = 120_000;

/** The memory of a page beyond its bytes and its key: objects, the entity tag, the tables of the cache. */
const OVERHEAD_BYTES = 1024;

const sizeOf = (key: string, { body }: CachedPage) =>
  body.buffer.byteLength + 2 * key.length + OVERHEAD_BYTES;

/** Caches the most recently used pages for 120 seconds each, in bounded memory. Callers check the right first. */
export class PageCache {
  /** Null when caching is disabled. */
  readonly #pages: LRUCache<string, CachedPage> | null;
  /** Pages that are being read now. */
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

  /** Pages that were in the cache or being read, and pages that were not. */
  hits = 0;
  misses = 0;

  /** Memory of the cached pages, as it counts against the limit. */
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
    // The age counts from before the read, because the page may miss samples that are stored during the read.
    const start = this.#nowMs();
    const page = read()
      .then((page) => {
        // The clock may have been set back since.
        const readAtMs = Math.min(start, this.#nowMs());
        this.#pages?.set(key, page, { start: readAtMs - (page.ageMs ?? 0) });
        return page;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, page);
    return page;
  }

  /** Removes expired pages from time to time, and all pages when the clock was set back, because they would expire too late. */
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
