import type { SampleBatch } from "asi-convert";
import { computeMetrics, distanceCurve, individualZones } from "asi-convert/metrics";
import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";
import { recordedTimeMs } from "./recorded-time.js";
import type { DistanceCurve, FigureSettings, Figures } from "./recording.js";

/**
 * Returns the figures of the rows in a window.
 *
 * @throws AsiError `BAD_ARGUMENT` for a window of more than 366 days
 */
export function figuresOf(
  rows: SampleBatch,
  { startMs, stopMs }: TimeWindow,
  { preset, params, maxHeartRate, maxSpeedMPerS: mss, aerobicSpeedMPerS: mas }: FigureSettings,
): Figures {
  const from = Math.ceil(startMs);
  const to = Math.max(from, Math.floor(stopMs));
  const metrics = computeMetrics(rows, {
    preset,
    from,
    to,
    params: {
      ...params,
      ...(maxHeartRate !== null && { max_hr: maxHeartRate }),
      ...(mss !== null && individualZones(mas === null ? "mss" : "asr", { mss, mas: mas ?? undefined })),
    },
  });
  return {
    metrics,
    rows: indexAt(rows.timestampMs, to + 1) - indexAt(rows.timestampMs, from),
    recordedMs: recordedTimeMs(metrics),
  };
}

/** Returns the distance covered since the first row, according to the rules of the figures. */
export function distanceOf(rows: SampleBatch, { preset, params }: FigureSettings): DistanceCurve {
  const { timestampMs, distanceM } = distanceCurve(rows, { preset, params });
  return { timesMs: timestampMs, distanceMm: distanceM.map((metres) => metres * 1000) };
}
