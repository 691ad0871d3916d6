import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import {
  chunkTables,
  deleteStoredBefore,
  listStoredBefore,
  type RemovedChunk,
  storeSamples,
} from "./index.js";
import { DEVICE, onEachDatabase } from "./testing/on-each-database.js";
import { columnsOf, sampleAt } from "./testing/samples.js";

onEachDatabase("retention", (on) => {
  /** Removes at most `limit` chunks, like the service. @returns the chunks with their devices */
  async function removeStoredBefore(before: Date, limit: number) {
    const removed: (RemovedChunk & { deviceId: number })[] = [];
    for (const table of await chunkTables(on.db.client)) {
      for (const [deviceId, buckets] of await listStoredBefore(on.db.client, table, before, limit)) {
        const chunks = await on.db.transaction((tx) => deleteStoredBefore(tx, deviceId, buckets, before));
        removed.push(...chunks.map((chunk) => ({ deviceId, ...chunk })));
      }
    }
    return removed;
  }

  it("starts at the last addition, not at the recording time, and reports the removed samples", async () => {
    await on.storeAt(0, 10, 300_000, 300_007);
    await on.store([sampleAt(99)], 8);
    await on.db.client.query("UPDATE sample_chunks SET stored_at = '2020-01-01'");
    await on.storeAt(20);
    expect(await removeStoredBefore(new Date("2020-01-01T00:00:00Z"), 100)).toEqual([]);
    const removed = await removeStoredBefore(new Date("2021-01-01T00:00:00Z"), 100);
    expect(removed.sort((a, b) => a.deviceId - b.deviceId)).toEqual([
      { deviceId: DEVICE, startMs: 300_000, stopMs: 300_007, size: 2 },
      { deviceId: 8, startMs: 99, stopMs: 99, size: 1 },
    ]);
    expect((await on.everything()).map(({ ms }) => ms)).toEqual([0, 10, 20]);
  });

  it("is not delayed by a load that adds nothing", async () => {
    await on.storeAt(5);
    await on.db.client.query("UPDATE sample_chunks SET stored_at = '2020-01-01'");
    await on.storeAt(5);
    expect(await removeStoredBefore(new Date("2021-01-01T00:00:00Z"), 100)).toHaveLength(1);
  });

  it("removes at most the given number of chunks", async () => {
    await on.storeAt(0, 300_000, 600_000);
    const later = new Date("2200-01-01T00:00:00Z");
    expect(await removeStoredBefore(later, 2)).toHaveLength(2);
    expect(await removeStoredBefore(later, 2)).toHaveLength(1);
    expect(await removeStoredBefore(later, 2)).toHaveLength(0);
  });

  it("keeps a chunk to which a concurrent load adds samples", async () => {
    await on.storeAt(5);
    await on.db.client.query("UPDATE sample_chunks SET stored_at = '2020-01-01'");
    const before = new Date("2021-01-01T00:00:00Z");
    const [table = ""] = await chunkTables(on.db.client);
    const listed = await listStoredBefore(on.db.client, table, before, 100);
    expect([...listed.keys()]).toEqual([DEVICE]);
    let removing: Promise<unknown[]> = Promise.resolve([]);
    await on.db.transaction(async (tx) => {
      await storeSamples(tx, DEVICE, [columnsOf([sampleAt(6)])]);
      removing = on.db.transaction((other) =>
        deleteStoredBefore(other, DEVICE, listed.get(DEVICE) ?? [], before),
      );
      await sleep(100);
    });
    expect(await removing).toEqual([]);
    expect(await on.everything()).toHaveLength(2);
  });
});
