import { LRUCache } from "lru-cache";

/**
 * Creates a cache of recently used entries with string keys. It allocates memory as entries are added. The option `max` of
 * `LRUCache` would allocate it at once, for example 2.8 MB for 100,000 entries.
 * @param most maximum number of entries
 * @param ttlMs lifetime of an entry; unlimited by default
 */
export const recentEntries = <Value extends {}>(most: number, ttlMs = 0): LRUCache<string, Value> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1, ttl: ttlMs });
