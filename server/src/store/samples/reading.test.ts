import { describe, expect, it } from "vitest";
import { BUCKET_MS } from "./bucket.js";
import {
  addedSamples,
  type KnownSamples,
  latestSamples,
  latestTimestamp,
  listRanges,
  readPage,
  SampleStoreError,
  type SqlClient,
  streamSamples,
} from "./index.js";
import { DEVICE, EVER, onEachDatabase } from "./testing/on-each-database.js";
import { type Sample, sampleAt, samplesOf } from "./testing/samples.js";

onEachDatabase("reading samples", (on) => {
  /** Creates a client that calls a function once, before the statement with this number, counted from 1. */
  function onceBefore(statement: number, happens: () => Promise<unknown>) {
    let sent = 0;
    const client: SqlClient = {
      async query<R>(text: string, params?: unknown[]) {
        if (++sent === statement) await happens();
        return on.db.client.query<R>(text, params);
      },
    };
    return { client, sent: () => sent };
  }

  describe("a page", () => {
    it("contains the samples from start to stop, both inclusive, and counts all of them", async () => {
      await on.storeAt(...Array.from({ length: 20 }, (_, i) => i * 100_000));
      const { count, samples } = await on.page([{ startMs: 100_000, stopMs: 1_500_000 }], 4, 5);
      expect(count).toBe(15);
      expect(samples.map(({ ms }) => ms)).toEqual([500_000, 600_000, 700_000, 800_000, 900_000]);
    });

    it("is empty after the last sample, and still contains the count", async () => {
      await on.storeAt(1, 2, 3);
      expect(await on.page(EVER, 3, 10)).toEqual({ count: 3, samples: [] });
    });

    it("is empty if there are no intervals or samples, and for an empty interval", async () => {
      await on.storeAt(1_000_000);
      expect(await on.page([])).toEqual({ count: 0, samples: [] });
      expect(await on.page([{ startMs: 2_000_000, stopMs: 0 }])).toEqual({ count: 0, samples: [] });
      expect(await on.page([{ startMs: 0, stopMs: 999_999 }])).toEqual({ count: 0, samples: [] });
      expect(await on.page([{ startMs: 1_000_001, stopMs: 9_000_000 }])).toEqual({ count: 0, samples: [] });
    });

    it("contains no samples from the time between several ownerships", async () => {
      await on.storeAt(10, 20, 30, 40, 50, 400_000, 900_000);
      const { count, samples } = await on.page([
        { startMs: 850_000, stopMs: 900_000 },
        { startMs: 40, stopMs: 45 },
        { startMs: 15, stopMs: 25 },
      ]);
      expect(count).toBe(3);
      expect(samples.map(({ ms }) => ms)).toEqual([20, 40, 900_000]);
    });

    it("is read by one statement, regardless of where it starts and ends", async () => {
      const times = Array.from({ length: 4000 }, (_, i) => i * 1000);
      await on.storeAt(...times);
      for (const startMs of [0, 1000, 299_000, 300_000, 450_500]) {
        const wanted = times.filter((ms) => ms >= startMs);
        for (const [offset, limit] of [
          [0, 1],
          [0, 1000],
          [599, 2],
          [1500, 700],
          [3000, 5000],
        ] as const) {
          const { client, sent } = onceBefore(Number.POSITIVE_INFINITY, async () => undefined);
          const page = await readPage(
            client,
            DEVICE,
            [{ startMs, stopMs: Number.POSITIVE_INFINITY }],
            offset,
            limit,
          );
          expect(page.count).toBe(wanted.length);
          expect([...page.columns.timestampMs]).toEqual(wanted.slice(offset, offset + limit));
          expect(sent()).toBe(1);
        }
      }
    });

    it("gets a different source if one value or one position differs, and the same source if it is stored again", async () => {
      const samples = [1, 2, 3, 400_000].map((ms) => sampleAt(ms, 100));
      const sourceOf = async (stored: Sample[], offset = 0, limit = 3) => {
        await on.db.clear();
        await on.store(stored);
        return (await readPage(on.db.client, DEVICE, EVER, offset, limit)).source;
      };
      const source = await sourceOf(samples);
      expect(await sourceOf(samples)).toEqual(source);
      for (const changed of [0, 2]) {
        const others = samples.map((sample, i) => (i === changed ? { ...sample, hr: 101 } : sample));
        expect(await sourceOf(others)).not.toEqual(source);
      }
      expect(await sourceOf(samples, 1)).not.toEqual(source);
      expect(await sourceOf(samples, 0, 2)).not.toEqual(source);
    });

    describe("read by two statements because its intervals are far apart", () => {
      const intervals = [
        { startMs: 0, stopMs: 0 },
        { startMs: 4_000_000, stopMs: Number.POSITIVE_INFINITY },
      ];
      const everySecond = (afterMs: number) => Array.from({ length: 5000 }, (_, i) => i * 1000 + afterMs);

      it("is consistent even if a load occurs between the two statements", async () => {
        await on.storeAt(...everySecond(0));
        const { client, sent } = onceBefore(2, () => on.storeAt(...everySecond(500)));
        const { count, columns } = await readPage(client, DEVICE, intervals, 401, 10);
        expect(count).toBe(2001);
        expect([...columns.timestampMs]).toEqual(Array.from({ length: 10 }, (_, i) => 4_200_000 + i * 500));
        expect(sent()).toBe(3);
      });

      it("is consistent even if retention runs between the two statements", async () => {
        await on.storeAt(...everySecond(0));
        const { client, sent } = onceBefore(2, () =>
          on.db.client.query("DELETE FROM sample_chunks WHERE bucket = 14"),
        );
        const { count, columns } = await readPage(client, DEVICE, intervals, 301, 2);
        expect(count).toBe(701);
        expect([...columns.timestampMs]).toEqual([4_600_000, 4_601_000]);
        expect(sent()).toBe(3);
      });
    });

    it("causes an error with the device and the bucket if a chunk is damaged", async () => {
      await on.storeAt(600_001, 600_002);
      await on.db.client.query("UPDATE sample_chunks SET payload = substr(payload, 1, 20)");
      const reading = on.page(EVER);
      await expect(reading).rejects.toThrow(SampleStoreError);
      await expect(reading).rejects.toMatchObject({ code: "CORRUPT_CHUNK", deviceId: DEVICE, bucket: 2 });
    });
  });

  describe("ranges", () => {
    it("continue over a gap of exactly five minutes, and end at a gap that is 1 ms longer", async () => {
      await on.storeAt(1000, 301_000, 601_000, 901_001);
      expect(await listRanges(on.db.client, DEVICE, EVER)).toEqual([
        { start: 1000, stop: 601_000, size: 3 },
        { start: 901_001, stop: 901_001, size: 1 },
      ]);
    });

    it("include only samples inside the intervals: a sample outside does not connect ranges", async () => {
      await on.storeAt(0, 200_000, 400_000);
      const without = [
        { startMs: 0, stopMs: 100_000 },
        { startMs: 300_000, stopMs: 400_000 },
      ];
      expect(await listRanges(on.db.client, DEVICE, without)).toEqual([
        { start: 0, stop: 0, size: 1 },
        { start: 400_000, stop: 400_000, size: 1 },
      ]);
    });
  });

  describe("the latest samples", () => {
    it("are newest first, at most the requested number, from as many buckets as needed", async () => {
      await on.storeAt(0, 1, 400_000, 800_000, 800_001);
      const latest = async (fromMs: number, size: number) =>
        samplesOf(await latestSamples(on.db.client, DEVICE, fromMs, size)).map(({ ms }) => ms);
      expect(await latest(-10, 4)).toEqual([800_001, 800_000, 400_000, 1]);
      expect(await latest(1, 300)).toEqual([800_001, 800_000, 400_000, 1]);
      expect(await latest(800_001, 300)).toEqual([800_001]);
      expect(await latest(800_002, 300)).toEqual([]);
    });

    it("have a time, unless they were recorded before the caller's ownership", async () => {
      expect(await latestTimestamp(on.db.client, DEVICE, 0)).toBeNull();
      await on.storeAt(-5, 700_000, 700_010);
      expect(await latestTimestamp(on.db.client, DEVICE, -10)).toBe(700_010);
      expect(await latestTimestamp(on.db.client, DEVICE, 700_010)).toBe(700_010);
      expect(await latestTimestamp(on.db.client, DEVICE, 700_011)).toBeNull();
    });
  });

  describe("samples added since the last poll", () => {
    it("are found exactly once, within the newest four chunks and after the given time", async () => {
      let known: KnownSamples | null = null;
      const poll = async () => {
        const watched = {
          deviceId: DEVICE,
          times: [{ startMs: 100, stopMs: Number.POSITIVE_INFINITY }],
          known,
        };
        const found = (await addedSamples(on.db.client, [watched], { limit: 300 })).get(DEVICE);
        known = found?.known ?? null;
        return found && samplesOf(found.samples).map(({ ms }) => ms);
      };
      expect(await poll()).toEqual([]);
      await on.storeAt(50, 100, 300_000);
      expect(await poll()).toEqual([100, 300_000]);
      await on.storeAt(200, 299_999, 300_000, 900_000, 1_200_000);
      expect(await poll()).toEqual([200, 299_999, 900_000, 1_200_000]);
      await on.storeAt(150, 600_000);
      // The newest four chunks now begin at 300,000.
      expect(await poll()).toEqual([600_000]);
      await on.storeAt(160, 300_001, 1_199_999);
      expect(await poll()).toEqual([300_001, 1_199_999]);
      expect(await poll()).toEqual([]);
    });
  });

  describe("samples added to chunks with 1,000 samples per second", () => {
    const SECONDS = 29;
    const dense = (startMs: number, device = DEVICE) =>
      on.store(
        Array.from({ length: SECONDS * 1000 }, (_, i) => sampleAt(startMs + i)),
        device,
      );
    const watched = { deviceId: DEVICE, times: [{ startMs: 0, stopMs: Number.POSITIVE_INFINITY }] };

    it("are returned in a separate buffer, newest ones only, without the times of all samples", async () => {
      for (const bucket of [0, 1, 2]) await dense(bucket * BUCKET_MS);
      const first = (await addedSamples(on.db.client, [{ ...watched, known: null }], { limit: 300 })).get(
        DEVICE,
      );
      const newestMs = 2 * BUCKET_MS + SECONDS * 1000 - 1;
      expect(first?.samples.length).toBe(300);
      expect(first?.samples.timestampMs.at(-1)).toBe(newestMs);
      expect(first?.samples.timestampMs.buffer.byteLength).toBe(300 * 26);
      const compared = [...(first?.known.chunks.values() ?? [])].map(({ offsets }) => offsets?.length ?? 0);
      expect(compared.toSorted((a, b) => a - b)).toEqual([0, 0, SECONDS * 1000]);
      await on.storeAt(newestMs + 1, newestMs + 2, BUCKET_MS + SECONDS * 1000);
      const known = first?.known ?? null;
      const next = (await addedSamples(on.db.client, [{ ...watched, known }], { limit: 300 })).get(DEVICE);
      expect([...(next?.samples.timestampMs ?? [])]).toEqual([
        BUCKET_MS + SECONDS * 1000,
        newestMs + 1,
        newestMs + 2,
      ]);
    });

    it("are read by several statements, because one reads a limited number of samples", async () => {
      const devices = Array.from({ length: 7 }, (_, i) => DEVICE + i);
      for (const device of devices) await dense(0, device);
      const { client, sent } = onceBefore(Number.POSITIVE_INFINITY, async () => undefined);
      const times = [{ startMs: 0, stopMs: 10 }];
      const found = await addedSamples(
        client,
        devices.map((deviceId) => ({ deviceId, times, known: null })),
        { limit: 300 },
      );
      expect([...found.values()].map(({ samples }) => samples.length)).toEqual(devices.map(() => 11));
      expect(sent()).toBe(3);
    });
  });

  it("decodes no further chunk of a poll that has been aborted", async () => {
    await on.storeAt(1, 400_000);
    await on.db.client.query("UPDATE sample_chunks SET payload = substr(payload, 1, 10)");
    const controller = new AbortController();
    const { client } = onceBefore(2, async () => controller.abort());
    const { signal } = controller;
    const watched = { deviceId: DEVICE, times: [{ startMs: 0, stopMs: 900_000 }], known: null };
    // A chunk that is decoded fails.
    expect((await addedSamples(client, [watched], { limit: 300, signal })).size).toBe(0);
  });

  it("exports all samples in order, over more chunks than fit in one batch", async () => {
    const times = Array.from({ length: 100 }, (_, i) => i * BUCKET_MS + 5);
    await on.storeAt(...times);
    const batches: number[][] = [];
    for await (const batch of streamSamples(on.db.client, DEVICE, EVER)) batches.push([...batch.timestampMs]);
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.flat()).toEqual(times);
  });
});
