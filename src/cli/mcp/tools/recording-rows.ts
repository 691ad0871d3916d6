import { decode } from "../../../api/decode.js";
import { inspect } from "../../../api/inspect.js";
import { openInput } from "../../batch/inputs.js";
import { openWithBounds } from "../../run/convert-input.js";
import { instant, TIMES, timesOf } from "../recording-answer.js";
import { input, integer, text } from "../schema.js";
import type { Tool } from "../tool.js";

const DEFAULT_ROWS = 200;
const MAX_ROWS = 1000;
const MAX_RANGES = 100;

/** Possible intervals between the rows of a result, as for `asi convert --every`. */
const STEPS_MS = [100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/** Returns the shortest interval that results in at most this number of rows. */
const stepFor = (spanMs: number, rows: number) =>
  STEPS_MS.find((step) => spanMs / step < rows - 1) ?? Math.ceil(spanMs / Math.max(1, rows - 1));

/** Returns the rows and ranges of a time window. */
export const recordingRows: Tool = {
  name: "recording_rows",
  title: "Rows of a recording",
  description:
    "Returns recorded rows of a time window: time, position, altitude, speed and heart rate. For long windows, only the row nearest to each multiple of a step is returned; values are not averaged. ranges are the intervals with rows.",
  inputSchema: input(
    {
      file: text("a recording from list_recordings"),
      ...TIMES,
      max_rows: integer(`maximum number of rows; default ${DEFAULT_ROWS}`, 2, MAX_ROWS),
    },
    ["file"],
  ),
  output: { source: "object", every_ms: "integer", ranges: "array", rows: "array" },
  async answer(given, { folders, signal }) {
    const { from: first, to: last, tz: timeZone } = timesOf(given);
    const most = Number(given.max_rows ?? DEFAULT_ROWS);
    const found = await folders.file(String(given.file));
    const { info, report } = await inspect(openInput(found), { signal });
    const opened = await openWithBounds(found, { from: first, to: last, timeZone }, undefined, () => {});
    const { source, from, to } = opened;
    const [startMs, endMs] = [from ?? report.start ?? 0, to ?? report.end ?? 0];
    const everyMs = stepFor(
      Math.max(0, Math.min(endMs, report.end ?? endMs) - Math.max(startMs, report.start ?? startMs)),
      most,
    );
    const rows: object[] = [];
    for await (const batch of decode(source, { from, to, everyMs, signal })) {
      for (let i = 0; i < batch.length && rows.length < most; i += 1) {
        rows.push({
          time: instant(batch.timestampMs[i] ?? null),
          latitude: (batch.latitudeE7[i] ?? 0) / 1e7,
          longitude: (batch.longitudeE7[i] ?? 0) / 1e7,
          altitude_m: batch.fixType[i] === 2 ? null : (batch.altitudeMm[i] ?? 0) / 1000,
          speed_m_per_s: (batch.speedMmPerS[i] ?? 0) / 1000,
          heart_rate_bpm: batch.hr[i] || null,
        });
      }
    }
    const within = report.ranges.filter(({ start, stop }) => stop >= startMs && start <= endMs);
    return {
      source: { file: found.name, serial: info.serial, from: instant(startMs), to: instant(endMs) },
      every_ms: everyMs,
      ranges: within
        .slice(0, MAX_RANGES)
        .map(({ start, stop, size }) => ({ start: instant(start), stop: instant(stop), rows: size })),
      ...(within.length > MAX_RANGES && { left_out_ranges: within.length - MAX_RANGES }),
      rows,
    };
  },
};
