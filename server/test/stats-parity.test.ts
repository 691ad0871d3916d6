/** Tests that the service and `asi stats` give the same results for a recording, to the last digit. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeSync, rowsOf } from "asi-convert";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordingOf } from "./recordings.js";
import { startService, type TestService } from "./service.js";
import { newActivity, schemaId, Team } from "./team.js";

const ROOT = join(import.meta.dirname, "../..");
const HOUR_MS = 3_600_000;
let s: TestService;

beforeAll(async () => {
  s = await startService();
});

afterAll(() => s.stop());

describe("computed data and asi stats", () => {
  it.each([
    { name: "match-hr", sport: "soccer", params: { max_hr: 195 }, flags: ["--max-hr", "195"] },
    { name: "match-ecg", sport: "soccer", params: {}, flags: [] },
    { name: "run-fix-loss", sport: "running", params: {}, flags: ["--sport", "running"] },
  ])("are equal for $name", async ({ name, sport, params, flags }) => {
    const path = join(ROOT, "fixtures/valid", `${name}.asi`);
    const command = [join(ROOT, "dist/bin/asi.cjs"), "stats", path, "--json", ...flags];
    const { metrics } = JSON.parse(execFileSync(process.execPath, command, { encoding: "utf8" }));

    const { samples } = decodeSync(new Uint8Array(readFileSync(path)));
    const startMs = samples.timestampMs[0] ?? 0;
    const stopMs = samples.timestampMs.at(-1) ?? 0;
    s.clock.stopAt(startMs - HOUR_MS);
    const team = await Team.of(s);
    const { manager, device } = team;
    s.clock.stopAt(stopMs + HOUR_MS);
    // Load the rows of the fixture, with the serial number of a device of this service.
    const load = await s.load(device, manager, await recordingOf(device.serial_number, rowsOf(samples)));
    expect(load.body.details.samples_stored).toBe(samples.length);

    const { body: frame } = await team.create({
      start_time: new Date(startMs).toISOString(),
      end_time: new Date(stopMs).toISOString(),
      params,
      activity: await newActivity(s, manager, "A session", sport),
      json_schema: await schemaId(s, `timeframe_${sport}`),
    });
    await s.runJobs();
    const address = `/api/v1/timeframes/${frame.id}/computed-data/?with_definition=true`;
    const { last_computation, ...computed } = (await s.get(address, manager.token)).body;
    expect(last_computation).toBe(stopMs + HOUR_MS);
    // Compare the text, because the digits and the order of keys must be equal.
    expect(JSON.stringify(computed)).toBe(JSON.stringify(metrics));
  });
});
