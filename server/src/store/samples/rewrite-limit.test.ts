import { describe, expect, it } from "vitest";
import { RewriteLimit } from "./rewrite-limit.js";
import type { SqlClient } from "./sql-client.js";

const WINDOW_ROWS = 131_072;

/** Loads rows in windows like `storeSamples`. @param bucketsOf buckets of the rows `[from, to)` */
async function loadRows(
  rows: number,
  storedInEach: number,
  bucketsOf: (from: number, to: number) => readonly number[],
): Promise<void> {
  const client: SqlClient = {
    query: async <Row>(_: string, params: unknown[] = []) => ({
      rows: [{ samples: (params[1] as number[]).length * storedInEach }] as Row[],
    }),
  };
  const limit = new RewriteLimit();
  for (let from = 0; from < rows; from += WINDOW_ROWS) {
    const to = Math.min(rows, from + WINDOW_ROWS);
    const buckets = bucketsOf(from, to);
    await limit.requireRoom(client, 1, buckets, to - from);
    for (const _ of buckets) limit.add(storedInEach);
    limit.add(to - from);
  }
}

const DAYS_AT_25_HZ = 48 * 3600 * 25;
const PER_CHUNK = 300 * 25;

/** Rows in order of time. */
const inOrder = (from: number, to: number) => {
  const first = Math.floor(from / PER_CHUNK);
  return Array.from({ length: Math.ceil(to / PER_CHUNK) - first }, (_, i) => first + i);
};

const allChunks = () => inOrder(0, DAYS_AT_25_HZ);

describe("the limit of rewritten samples", () => {
  it("accepts a recording of 48 h at 25 Hz that is loaded a second time", async () => {
    await loadRows(DAYS_AT_25_HZ, PER_CHUNK, inOrder);
  });

  it("counts a chunk again whenever a later part of the recording rewrites it", async () => {
    const shuffled = loadRows(DAYS_AT_25_HZ, PER_CHUNK, allChunks);
    await expect(shuffled).rejects.toMatchObject({ code: "TOO_SCATTERED" });
  });
});
