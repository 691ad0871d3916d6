import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSoakedService } from "./service.js";
import type { Measurement } from "./service-process.js";
import { startTraffic } from "./traffic.js";
import { judge, type Series } from "./verdict.js";

const CALLERS = 4;
/** Number of measurements in a run of any length. */
const MEASUREMENTS = 30;

export interface SoakOptions {
  minutes: number;
  /** Interval between the starts of two pieces of work of each of the four managers, ms. */
  intervalMs: number;
  /** URL of an empty PostgreSQL database; null for a new embedded one. */
  databaseUrl: string | null;
  /** Called with each measurement. */
  tell?(line: string): void;
}

export interface SoakResult {
  requests: number;
  statuses: Record<string, number>;
  /** Unexpected responses. */
  surprises: readonly string[];
  /** Figures that were still growing at the end; empty if none was. */
  growing: readonly string[];
  /** Figures at one third, two thirds and the end. */
  table: readonly string[];
}

/**
 * Runs the service under mixed traffic, sets its clock a day ahead with each measurement, and checks that memory and tables do
 * not grow at the end.
 */
export async function soak({ minutes, intervalMs, databaseUrl, tell }: SoakOptions): Promise<SoakResult> {
  const folder = mkdtempSync(join(tmpdir(), "asi-server-soak-"));
  const service = await startSoakedService(join(folder, "data"), databaseUrl);
  try {
    const traffic = await startTraffic(service, CALLERS, intervalMs);
    const measurements: Measurement[] = [];
    const measureEveryMs = (minutes * 60_000) / MEASUREMENTS;
    for (let count = 1; count <= MEASUREMENTS; count++) {
      await sleep(measureEveryMs);
      await service.nextDay();
      const measured = await service.measure();
      measurements.push(measured);
      tell?.(lineOf((count * measureEveryMs) / 60_000, measured, total(traffic.statuses.values())));
    }
    await traffic.stop();
    const { growing, table } = judge(seriesOf(measurements));
    return {
      requests: total(traffic.statuses.values()),
      statuses: Object.fromEntries([...traffic.statuses].sort(([one], [other]) => one - other)),
      surprises: traffic.surprises,
      growing,
      table,
    };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const total = (numbers: Iterable<number>) => [...numbers].reduce((sum, number) => sum + number, 0);
const mb = (bytes: number) => (bytes / 1e6).toFixed(1);

function lineOf(
  atMinutes: number,
  { residentSet, heap, arrayBuffers, tables, rows }: Measurement,
  requests: number,
) {
  return (
    `${atMinutes.toFixed(1)} min: ${requests} requests, resident ${mb(residentSet)} MB, heap ${mb(heap)} MB, ` +
    `buffers ${mb(arrayBuffers)} MB, tables ${mb(total(Object.values(tables)))} MB, ${total(Object.values(rows))} rows`
  );
}

function seriesOf(measurements: readonly Measurement[]): Series[] {
  const of = (name: string, kind: Series["kind"], value: (measured: Measurement) => number): Series => ({
    name,
    kind,
    values: measurements.map(value),
  });
  const tables = Object.keys(measurements[0]?.tables ?? {}).sort();
  return [
    of("resident set", "memory", ({ residentSet }) => residentSet),
    of("heap", "memory", ({ heap }) => heap),
    of("array buffers", "memory", ({ arrayBuffers }) => arrayBuffers),
    ...tables.map((table) => of(`table ${table}`, "table", ({ tables }) => tables[table] ?? 0)),
    ...tables.map((table) => of(`rows of ${table}`, "rows", ({ rows }) => rows[table] ?? 0)),
  ];
}
