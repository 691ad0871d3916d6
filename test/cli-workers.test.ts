import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { asiProcess, MATCH, namesIn, RIDE, scratchFolder, TORN, textOf, WITH_NMEA } from "./asi-process.js";

const BREAKING_THREAD = fileURLToPath(new URL("./children/breaking-thread.cjs", import.meta.url));

/** Runs `asi convert --json` with two threads, which fail as in breaking-thread.cjs; returns the results by input. */
async function convertWithBreakdowns(folder: string, inputs: string[]) {
  const { status, stdout, stderr } = await asiProcess(
    ["convert", ...inputs, "--jobs", "2", "--json", "-d", "out"],
    {
      cwd: folder,
      env: { NODE_OPTIONS: `--require "${BREAKING_THREAD}"` },
    },
  );
  const results = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { status, stderr, results };
}

describe("a worker thread that fails", () => {
  test("causes an error only for its own file, whether it exits or throws", async () => {
    const folder = scratchFolder();
    for (const name of ["ends.asi", "throws.asi"]) MATCH.copyTo(folder, name);
    RIDE.copyTo(folder, "ride.asi");
    TORN.copyTo(folder, "torn.asi");
    WITH_NMEA.copyTo(folder, "nmea.asi");
    const inputs = ["ride.asi", "ends.asi", "torn.asi", "throws.asi", "nmea.asi"];
    const { status, stderr, results } = await convertWithBreakdowns(folder, inputs);
    expect(stderr).toBe("");
    expect(status).toBe(1);
    expect(results.map(({ input }) => input)).toEqual(inputs);
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      "WORKER_FAILED",
      undefined,
      "WORKER_FAILED",
      undefined,
    ]);
    expect(results[1].error.message).toMatch(/ended with 7.*with --jobs 1/);
    expect(results[3].error.message).toMatch(/a fault in the thread.*with --jobs 1/);
    const converted = [RIDE, TORN, WITH_NMEA];
    const out = join(folder, "out");
    expect(namesIn(out)).toEqual(converted.map(({ expected }) => expected.fileName).sort());
    for (const { csv, expected } of converted) expect(textOf(out, expected.fileName)).toBe(csv);
  });

  test("causes no error after it has finished its file", async () => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, "throws-when-idle.asi");
    RIDE.copyTo(folder, "waits.asi");
    const { status, stderr, results } = await convertWithBreakdowns(folder, [
      "throws-when-idle.asi",
      "waits.asi",
    ]);
    expect(existsSync(join(folder, "broken-when-idle"))).toBe(true);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(results.map(({ files }) => files.length)).toEqual([1, 1]);
    expect(textOf(join(folder, "out"), RIDE.expected.fileName)).toBe(RIDE.csv);
  });
});
