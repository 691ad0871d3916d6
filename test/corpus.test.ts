import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { convert, type EngineName, inspect } from "../src/index.js";
import { wholeText } from "./whole.js";

/** Logs of real receivers, with CSV and counts from independent decoders; not part of the repository. */
const folder = fileURLToPath(new URL("../../shared/corpus/recordings/", import.meta.url));
const names = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith(".asi"))
      .map((file) => file.slice(0, -".asi".length))
  : [];

if (names.length === 0) console.warn("skipped: there are no real recordings in ../shared/corpus/recordings");

interface Counts {
  serial: string;
  period_ms: number;
  expected_file_name: string;
}

const engines: EngineName[] = ["simd", "scalar", "plain"];

describe.skipIf(names.length === 0)("real recordings", () => {
  describe.for(engines)("are read by the %s engine", (engine) => {
    it.for(names)("with the results of independent decoders: %s", async (name) => {
      const recording = new Uint8Array(readFileSync(`${folder}${name}.asi`));
      const counts = JSON.parse(readFileSync(`${folder}${name}.json`, "utf8")) as Counts;

      const conversion = convert(recording, { engine });
      expect(await wholeText(conversion.body)).toBe(readFileSync(`${folder}${name}.csv`, "utf8"));
      expect(await conversion.fileName).toBe(counts.expected_file_name);
      expect(await conversion.info).toMatchObject({ serial: counts.serial, periodMs: counts.period_ms });

      const report = await conversion.report;
      expect(counts).toMatchObject({
        asi_bytes: report.bytes.total,
        asi_inf: report.frames.header,
        nav_pvt: report.frames.gnss,
        ecg_hr: report.frames.ecgHr,
        ecg_raw: report.frames.ecgRaw,
        other_frames: report.frames.unknown,
        bad_checksums: report.damage.badChecksums,
        overlong: report.damage.overlong,
        overruns: report.damage.overruns,
        skipped_bytes: report.bytes.skipped,
        rows: report.rows.total,
        rows_with_hr: report.rows.withHr,
        rows_2d: report.rows.twoD,
        ranges: report.ranges.map(({ start, stop, size }) => ({ start_ms: start, stop_ms: stop, size })),
      });
      expect(report.frames.gnss - report.rows.total).toBe(sum(Object.values(report.gnssWithoutRow)));
      expect(report.bytes.total).toBe(report.bytes.known + report.bytes.unknown + report.bytes.skipped);

      const inspection = await inspect(recording, { engine });
      expect(inspection.report).toEqual(report);
      expect(inspection.fileName).toBe(counts.expected_file_name);
    });
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
