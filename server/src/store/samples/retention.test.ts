import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { deleteStoredBefore, storeSamples } from "./index.js";
import { DEVICE, onEachDatabase } from "./testing/on-each-database.js";
import { columnsOf, sampleAt } from "./testing/samples.js";

onEachDatabase("retention", (on) => {
  it("counts from the last addition, not from when samples were recorded, and says what it removed", async () => {
    await on.storeAt(0, 10, 300_000, 300_007);
    await on.store([sampleAt(99)], 8);
    await on.db.client.query("UPDATE sample_chunks SET stored_at = '2020-01-01'");
    await on.storeAt(20);
    expect(await deleteStoredBefore(on.db.client, new Date("2020-01-01T00:00:00Z"), 100)).toEqual([]);
    const removed = await deleteStoredBefore(on.db.client, new Date("2021-01-01T00:00:00Z"), 100);
    expect(removed.sort((a, b) => a.deviceId - b.deviceId)).toEqual([
      { deviceId: DEVICE, startMs: 300_000, stopMs: 300_007, size: 2 },
      { deviceId: 8, startMs: 99, stopMs: 99, size: 1 },
    ]);
    expect((await on.everything()).map(({ ms }) => ms)).toEqual([0, 10, 20]);
  });

  it("is not put off by a load that adds nothing", async () => {
    await on.storeAt(5);
    await on.db.client.query("UPDATE sample_chunks SET stored_at = '2020-01-01'");
    await on.storeAt(5);
    expect(await deleteStoredBefore(on.db.client, new Date("2021-01-01T00:00:00Z"), 100)).toHaveLength(1);
  });

  it("removes no more chunks at once than it is told", async () => {
    await on.storeAt(0, 300_000, 600_000);
    const later = new Date("2200-01-01T00:00:00Z");
    expect(await deleteStoredBefore(on.db.client, later, 2)).toHaveLength(2);
    expect(await deleteStoredBefore(on.db.client, later, 2)).toHaveLength(1);
    expect(await deleteStoredBefore(on.db.client, later, 2)).toHaveLength(0);
  });

  it("leaves a chunk that a load adds to at the same time", async () => {
    await on.storeAt(5);
    await on.db.client.query("UPDATE sample_chunks SET stored_at = '2020-01-01'");
    let removing: Promise<unknown[]> = Promise.resolve([]);
    await on.db.transaction(async (tx) => {
      await storeSamples(tx, DEVICE, [columnsOf([sampleAt(6)])]);
      removing = deleteStoredBefore(on.db.client, new Date("2021-01-01T00:00:00Z"), 100);
      await sleep(100);
    });
    expect(await removing).toEqual([]);
    expect(await on.everything()).toHaveLength(2);
  });
});
