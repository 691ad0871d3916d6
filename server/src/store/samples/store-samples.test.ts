import { expect, it } from "vitest";
import { latestTimestamp, readPage, storeSamples } from "./index.js";
import { DEVICE, EVER, onEachDatabase } from "./testing/on-each-database.js";
import { columnsOf, sampleAt, samplesOf } from "./testing/samples.js";
import { recordSession } from "./testing/session.js";

onEachDatabase("storing samples", (on) => {
  it("counts new and known rows, and adds nothing if a file is loaded twice", async () => {
    const session = recordSession(1_700_000_000_000, 9000, 3);
    const load = () => on.db.transaction((tx) => storeSamples(tx, DEVICE, [session]));
    const stop = 1_700_000_000_000 + 8999 * 100;
    expect(await load()).toEqual({
      stored: 9000,
      known: 0,
      hrFilled: 0,
      changed: [{ startMs: 1_700_000_000_000, stopMs: stop }],
      room: 9000,
    });
    const before = await on.db.client.query("SELECT * FROM sample_chunks ORDER BY bucket");
    expect(await load()).toEqual({ stored: 0, known: 9000, hrFilled: 0, changed: [], room: 0 });
    expect(await on.db.client.query("SELECT * FROM sample_chunks ORDER BY bucket")).toMatchObject({
      rows: before.rows,
    });
    expect(await on.everything()).toEqual(samplesOf(session));
  });

  it("keeps the sample that was stored first, and within one file the first row", async () => {
    const first = { ...sampleAt(5), speed: 1 };
    const second = { ...sampleAt(5), speed: 2 };
    expect(await on.store([first, second])).toMatchObject({ stored: 1, known: 1 });
    expect(await on.store([{ ...sampleAt(5), speed: 3, altitude: null }])).toMatchObject({
      stored: 0,
      known: 1,
    });
    expect(await on.everything()).toEqual([first]);
  });

  it("fills in a missing heart rate from a later row, but never replaces a heart rate", async () => {
    await on.store([sampleAt(5), sampleAt(6, 60)]);
    const filled = await on.store([sampleAt(5, 120), sampleAt(6, 130), sampleAt(5, 140)]);
    expect(filled).toEqual({
      stored: 0,
      known: 3,
      hrFilled: 1,
      changed: [{ startMs: 5, stopMs: 5 }],
      room: 0,
    });
    expect(await on.everything()).toEqual([sampleAt(5, 120), sampleAt(6, 60)]);
  });

  it("accepts rows in any order, including times before 1970", async () => {
    await on.storeAt(300_000, -1, 299_999, 0, -300_000, -300_001);
    expect((await on.everything()).map(({ ms }) => ms)).toEqual([
      -300_001, -300_000, -1, 0, 299_999, 300_000,
    ]);
  });

  it("returns changed times, split at gaps of more than five minutes", async () => {
    await on.storeAt(1000);
    const { changed } = await on.storeAt(1000, 2000, 302_000, 602_001, 10_000_000);
    expect(changed).toEqual([
      { startMs: 2000, stopMs: 302_000 },
      { startMs: 602_001, stopMs: 602_001 },
      { startMs: 10_000_000, stopMs: 10_000_000 },
    ]);
  });

  it("keeps devices separate", async () => {
    await on.store([sampleAt(1)], 1);
    await on.store([sampleAt(2), sampleAt(3)], 2);
    expect((await readPage(on.db.client, 1, EVER, 0, 10)).count).toBe(1);
    expect((await readPage(on.db.client, 2, EVER, 0, 10)).count).toBe(2);
    expect(await latestTimestamp(on.db.client, 3, 0)).toBeNull();
  });

  it("stores nothing if the transaction fails", async () => {
    const failing = on.db.transaction(async (tx) => {
      await storeSamples(tx, DEVICE, [columnsOf([sampleAt(1)])]);
      throw new Error("later step failed");
    });
    await expect(failing).rejects.toThrow("later step failed");
    expect(await on.everything()).toEqual([]);
  });

  it("refuses a time that is not an integer number of milliseconds, and names the row", async () => {
    const storing = on.store([sampleAt(1), sampleAt(1.5)]);
    await expect(storing).rejects.toMatchObject({ code: "BAD_SAMPLE", row: 1 });
  });

  it("accepts more rows than it sorts at once, in batches whose memory is reused", async () => {
    const all = recordSession(0, 600_000, 4);
    const batch = recordSession(0, 1000, 0);
    function* overwritten() {
      for (let from = 0; from < all.length; from += batch.length) {
        batch.timestampMs.set(all.timestampMs.subarray(from, from + batch.length));
        batch.latitudeE7.set(all.latitudeE7.subarray(from, from + batch.length));
        yield batch;
      }
    }
    const result = await on.db.transaction((tx) => storeSamples(tx, DEVICE, overwritten()));
    expect(result).toMatchObject({ stored: 600_000, known: 0 });
    const middle = await readPage(on.db.client, DEVICE, EVER, 262_000, 1000);
    expect(middle.columns.timestampMs).toEqual(all.timestampMs.slice(262_000, 263_000));
    expect(middle.columns.latitudeE7).toEqual(all.latitudeE7.slice(262_000, 263_000));
  });

  it("loses nothing if many loads of one device run concurrently", async () => {
    const loads = Array.from({ length: 8 }, (_, part) =>
      on.store(Array.from({ length: 500 }, (_, i) => sampleAt((i * 8 + part) * 100))),
    );
    const results = await Promise.all(loads);
    expect(results.map(({ stored }) => stored)).toEqual(Array(8).fill(500));
    expect((await on.everything()).map(({ ms }) => ms)).toEqual(
      Array.from({ length: 4000 }, (_, i) => i * 100),
    );
  });
});
