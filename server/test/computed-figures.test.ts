/**
 * Compares the computed data of a synthetic match, loaded and read only over HTTP, with the results of `independent.py`, which
 * implements the written definition in exact arithmetic without code of the service.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matchFrame, matchSamples } from "../../test/metrics/golden/match.js";
import { recordingOf } from "./recordings.js";
import { startService, type TestService } from "./service.js";
import { newActivity, schemaId, Team } from "./team.js";

interface Case {
  name: string;
  sport: string;
  params: Record<string, unknown>;
  birthDate: string | null;
  every: number;
  offset: number;
}

const golden = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../test/metrics/golden", name), "utf8"));
const { cases }: { cases: Case[] } = golden("cases.json");
const independent: Record<string, unknown> = golden("independent.json");

const HOUR_MS = 3_600_000;
let s: TestService;

beforeAll(async () => {
  s = await startService();
});

afterAll(() => s.stop());

describe("computed data over HTTP", () => {
  it.each(cases)("$name: match the independently computed figures", async (match) => {
    const { from: startMs, to: stopMs, periods } = matchFrame(match.birthDate);
    const [second, first] = periods;
    if (first === undefined || second === undefined) throw new Error("The match has two ownerships");
    s.clock.stopAt(startMs - HOUR_MS);
    const team = await Team.of(s, { birth_date: match.birthDate });
    const { manager, device } = team;
    // The device has no owner for some seconds of the match.
    s.clock.stopAt(first.endMs);
    expect((await s.release(device, manager)).status).toBe(204);
    s.clock.stopAt(second.startMs);
    expect((await s.take(device, manager)).status).toBe(201);

    s.clock.stopAt(stopMs + HOUR_MS);
    const samples = matchSamples(match.every, match.offset);
    const rows = samples.map(({ t, speed, hr }) => ({
      timestamp: t,
      latitude: 45.7,
      longitude: 4.8,
      altitude: 170,
      speed: speed / 1000,
      hr: hr === 0 || hr === undefined ? null : hr,
    }));
    const recording = await recordingOf(device.serial_number, rows);
    const load = await s.post(
      `/api/v1/devices/${device.id}/bulk-load/`,
      { asi_b64: Buffer.from(recording).toString("base64") },
      manager.token,
    );
    await s.runJobs();
    const { body: job } = await s.get(`/api/v1/jobs/${load.body.job_id}/`, manager.token);
    const unowned = samples.filter(({ t }) => t >= first.endMs && t < second.startMs).length;
    const details = { samples_stored: samples.length - unowned, samples_unowned: unowned };
    expect(job).toMatchObject({ state: "SUCCESS", details });

    const { status, body: frame } = await team.create({
      start_time: new Date(startMs).toISOString(),
      end_time: new Date(stopMs).toISOString(),
      params: match.params,
      activity: await newActivity(s, manager, "A session", match.sport),
      json_schema: await schemaId(s, `timeframe_${match.sport}`),
    });
    expect(status).toBe(201);
    await s.runJobs();
    const { last_computation, ...figures } = (await team.computed(frame.id)).body;
    expect(figures).toEqual(independent[match.name]);
    expect(last_computation).toBe(stopMs + HOUR_MS);
  });
});
