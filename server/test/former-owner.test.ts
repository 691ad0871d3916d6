/** Tests that only the manager who loaded samples of a device can read them, and not the next owner. */
import { describe, expect } from "vitest";
import { authorize } from "../src/domain/change/access.js";
import { withOwnershipRecheck } from "../src/domain/raw-data/ownership-recheck.js";
import { storeSamples } from "../src/store/samples/index.js";
import {
  AHEAD_MS,
  heartRateOf,
  iso,
  isPostgres,
  latitudeOf,
  MINUTE_MS,
  recordingBy,
  withManagers,
} from "./former-owner-scene.js";
import { hold } from "./held-locks.js";
import { TestService } from "./service.js";

const it = withManagers();

describe("a former owner's samples", () => {
  it("are removed after the time of the release, and samples of the next owner at the same times are stored", async ({
    owners: { s, manager, now, load, release, take, timesRead },
  }) => {
    const device = await s.ownedDevice(manager(0));
    const ahead = now() + 4 * MINUTE_MS;
    expect(await load(device, 0, [now(), ahead])).toMatchObject({ samples_stored: 2 });
    s.clock.advance(MINUTE_MS);
    await release(device, 0);
    s.clock.advance(MINUTE_MS);
    await take(device, 1);
    expect(await timesRead(device, 1, now(), ahead)).toEqual([]);
    expect((await s.get(`/api/v1/devices/${device.id}/latest-raw-data/`, manager(1).token)).body).toEqual([]);
    expect(await load(device, 1, [ahead])).toMatchObject({ samples_stored: 1, samples_known: 0 });
    s.clock.advance(3 * MINUTE_MS);
    expect(await timesRead(device, 1, ahead, ahead)).toEqual([ahead]);
  });

  it("still belong to the former owner if they are from before the release, even in a chunk with samples of the next owner", async ({
    owners: { s, manager, now, load, release, timesRead },
  }) => {
    const device = await s.ownedDevice(manager(0));
    const first = now() + 1;
    const times = Array.from({ length: 240 }, (_, i) => first + i * 1000);
    await load(device, 0, times);
    s.clock.advance(2 * MINUTE_MS);
    const end = now();
    await release(device, 0);
    expect(await timesRead(device, 0, first, first + 3_600_000)).toEqual(times.filter((ms) => ms < end));
  });

  it("are not stored if they are too far in the future: five minutes, or the configured limit", async ({
    owners: { s, manager, now, load },
  }) => {
    const device = await s.ownedDevice(manager(0));
    s.clock.stopAt(now());
    const times = [now() + AHEAD_MS, now() + AHEAD_MS + 1];
    expect(await load(device, 0, times)).toMatchObject({ samples_stored: 1, samples_refused: 1 });
    const strict = await TestService.start(s.store, { bulkLoadMaxAheadMs: 0 });
    strict.clock.stopAt(now());
    const recording = await recordingBy(device, 0, [now(), now() + 1]);
    const { body } = await strict.load(device, manager(0), recording);
    expect(body.details).toMatchObject({ samples_stored: 1, samples_refused: 1 });
    await strict.stop();
    s.clock.stopAt(Date.now());
  });

  it("are stored up to the end of the ownership if a job with an upload is waiting", async ({
    owners: { s, manager, now, upload, release, take, timesRead },
  }) => {
    const device = await s.ownedDevice(manager(0));
    s.clock.advance(MINUTE_MS);
    const before = now() - 30_000;
    const unowned = now() - 3_600_000;
    const { body } = await upload(device, 0, [unowned, before, now() + MINUTE_MS, now() + 3 * MINUTE_MS]);
    await release(device, 0);
    // Nobody owns the device when the job runs. If the job stored the other samples now, the next owner could read them.
    await s.runJobs();
    const job = await s.get(`/api/v1/jobs/${body.job_id}/`, manager(0).token);
    expect(job.body.details).toMatchObject({ samples_stored: 1, samples_refused: 3 });
    s.clock.advance(2 * MINUTE_MS);
    await take(device, 1);
    expect(await timesRead(device, 1, before, before + 3_600_000)).toEqual([]);
    expect(await timesRead(device, 0, before, before + 3_600_000)).toEqual([before]);
  });

  it("are not returned from the page cache of the former owner", async ({
    owners: { s, manager, now, load, timesRead, release, take },
  }) => {
    const device = await s.ownedDevice(manager(0));
    const ahead = now() + 4 * MINUTE_MS;
    await load(device, 0, [ahead]);
    expect(await timesRead(device, 0, ahead - 1000, ahead + 1000)).toEqual([ahead]);
    await release(device, 0);
    await take(device, 1);
    expect(await timesRead(device, 1, ahead - 1000, ahead + 1000)).toEqual([]);
  });

  it("do not become part of an ownership that is extended backwards, and an empty ownership leaves no row", async ({
    owners: { s, take, now, load, release, timesRead },
  }) => {
    const device = await s.device();
    s.clock.stopAt(Date.now());
    await take(device, 0);
    const history = now() - 24 * 3_600_000;
    expect(await load(device, 0, [history])).toMatchObject({ samples_stored: 0, samples_unowned: 1 });
    await release(device, 0);
    await take(device, 1);
    await s.backdate(device, iso(history - 1000));
    expect(await timesRead(device, 1, history, now())).toEqual([]);
  });

  it.runIf(isPostgres)(
    "are not stored by a load that runs concurrently with the release",
    async ({ owners: { s, manager, now, upload, release, take, timesRead } }) => {
      const device = await s.ownedDevice(manager(0));
      const ahead = now() + 4 * MINUTE_MS;
      await upload(device, 0, [ahead]);
      // The release waits before it removes samples, and the load starts before it can see that the ownership has ended.
      const held = await hold(s, "LOCK TABLE sample_chunks IN ACCESS EXCLUSIVE MODE");
      const releasing = release(device, 0);
      await held.waiters(1);
      const loading = s.runJobs();
      await held.waiters(2);
      await held.release();
      await Promise.all([loading, releasing]);
      await take(device, 1);
      expect(await timesRead(device, 1, now(), ahead)).toEqual([]);
    },
  );

  it.runIf(isPostgres)(
    "do not include samples of the next owner in a request in progress",
    async ({ owners: { s, manager, now, frameOf, computedRead, raw, timesRead } }) => {
      const device = await s.ownedDevice(manager(0));
      const ahead = now() + 2 * MINUTE_MS;
      await frameOf(device, 0);
      const held = await hold(s, "LOCK TABLE sample_chunks IN ACCESS EXCLUSIVE MODE");
      const computing = computedRead(device, 0);
      const reads = [
        raw(device, 0, now(), ahead),
        s.get(`/api/v1/devices/${device.id}/raw-data-ranges/?start=${now()}&stop=${ahead}`, manager(0).token),
        s.get(`/api/v1/devices/${device.id}/latest-raw-data/`, manager(0).token),
        s.get(`/api/v1/devices/${device.id}/latest-timestamp/`, manager(0).token),
      ];
      await held.waiters(5);
      // The release, the take-over and the load commit while the readers wait for the lock.
      const { client } = held;
      const from = iso(now());
      await client.query("UPDATE ownerships SET end_time = $1, version = version + 1 WHERE device_id = $2", [
        from,
        device.id,
      ]);
      await client.query(
        "INSERT INTO ownerships (device_id, manager_id, start_time, end_time) VALUES ($1, $2, $3, '2999-12-31T23:59:59Z')",
        [device.id, manager(1).id, from],
      );
      await storeSamples(client, device.id, [
        {
          length: 1,
          timestampMs: Float64Array.of(ahead),
          latitudeE7: Int32Array.of(latitudeOf(1) * 1e7),
          longitudeE7: Int32Array.of(0),
          altitudeMm: Int32Array.of(0),
          speedMmPerS: Int32Array.of(0),
          hr: Uint8Array.of(heartRateOf(1)),
          fixType: Uint8Array.of(3),
        },
      ]);
      await held.release();
      const [page, ranges, latest, timestamp] = await Promise.all(reads);
      expect([page?.status, page?.body.results ?? []]).toEqual([expect.toBeOneOf([200, 403]), []]);
      expect([ranges?.status, ranges?.body.results ?? []]).toEqual([expect.toBeOneOf([200, 403]), []]);
      expect(latest?.status).toBe(403);
      expect(timestamp?.status).toBe(403);
      expect(await computing).toMatchObject({ first_timestamp: null, hr_max: null });
      expect(await timesRead(device, 1, ahead, ahead)).toEqual([ahead]);
    },
  );

  it.for([
    { does: "takes the device", isReleased: false },
    { does: "takes the device and releases it", isReleased: true },
  ])("are read again if the former owner $does meanwhile", async ({ isReleased }, { owners }) => {
    const { s, manager, now, release, take } = owners;
    const device = await s.ownedDevice(manager(0));
    // An empty ownership would leave no row.
    s.clock.advance(MINUTE_MS);
    await release(device, 0);
    s.clock.advance(MINUTE_MS);
    const { id, username } = manager(0);
    const caller = { id, username, role: "MANAGER" as const, canCreateManagedAthletes: false, scopes: null };
    const ctx = { ...s.ctx, caller };
    const target = await authorize(ctx, "fetchRawData", { device: device.id });
    let reads = 0;
    await withOwnershipRecheck(ctx, "fetchRawData", target, async (_, recheck) => {
      if (++reads === 1) {
        await take(device, 0);
        s.clock.advance(MINUTE_MS);
        if (isReleased) await release(device, 0);
      }
      await recheck(now());
    });
    expect(reads).toBe(2);
  });
});
