import type { SampleBatch } from "asi-convert";
import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";
import type { Summary } from "./recording.js";

/** Figures of the rows of a window. Times in `rows` ascend; rows further apart than `gapMs` have nothing between them. */
export function summarise(rows: SampleBatch, { startMs, stopMs }: TimeWindow, gapMs: number): Summary {
  const { timestampMs, speedMmPerS, hr } = rows;
  const from = indexAt(timestampMs, startMs);
  const to = indexAt(timestampMs, stopMs + 1);
  let recordedMs = 0;
  let distanceMicrons = 0;
  let maxSpeed = -1;
  let maxHeartRate = 0;
  let heartRates = 0;
  let heartRateSum = 0;
  for (let row = from; row < to; row++) {
    const speed = speedMmPerS[row] as number;
    if (speed > maxSpeed) maxSpeed = speed;
    const rate = hr[row] as number;
    if (rate > 0) {
      heartRates += 1;
      heartRateSum += rate;
      if (rate > maxHeartRate) maxHeartRate = rate;
    }
    if (row === from) continue;
    const elapsedMs = (timestampMs[row] as number) - (timestampMs[row - 1] as number);
    if (elapsedMs > gapMs) continue;
    recordedMs += elapsedMs;
    distanceMicrons += (elapsedMs * (speed + (speedMmPerS[row - 1] as number))) / 2;
  }
  const distanceM = distanceMicrons / 1e6;
  return {
    recordedMs,
    rows: to - from,
    distanceM,
    maxSpeed: to > from ? maxSpeed / 1000 : null,
    meanSpeed: recordedMs > 0 ? (distanceM * 1000) / recordedMs : null,
    maxHeartRate: heartRates > 0 ? maxHeartRate : null,
    meanHeartRate: heartRates > 0 ? heartRateSum / heartRates : null,
  };
}
