import { computeMetrics, type Metrics, type MetricsOptions } from "../../metrics/index.js";
import type { RecordingInfo, Report } from "../../types.js";
import type { Input } from "../batch/inputs.js";
import { type Figures, figuresOf, type WantedFigures } from "./figures.js";
import { readBeats } from "./read-beats.js";
import { readSamples, type SampleSelection } from "./read-samples.js";

/** What is to be computed, as it can be sent to a worker thread. */
export interface StatsTask {
  input: Input;
  selection: SampleSelection;
  options: MetricsOptions;
  figures: WantedFigures | null;
}

/** Figures of a recording. */
export interface Stats {
  info: RecordingInfo;
  report: Report;
  metrics: Metrics;
  /** null: none was asked for. */
  figures: Figures | null;
}

/** Reads an input and computes its figures. Throws what `readSamples` throws. */
export async function statsOf(
  { input, selection, options, figures }: StatsTask,
  { onProgress, signal }: { onProgress(bytesRead: number): void; signal: AbortSignal },
): Promise<Stats> {
  const { samples, inspection, from, to } = await readSamples(input, selection, signal, onProgress);
  const { info, report } = inspection;
  const limited = { ...options, ...limitsOf({ from, to }) };
  const metrics = computeMetrics(samples, limited);
  const beats = figures?.hrv === true ? await readBeats(input, selection.serial, { from, to }, signal) : [];
  return { info, report, metrics, figures: figures && figuresOf(samples, beats, limited, figures) };
}

/** Limits of rows, which may be between two milliseconds, as limits of figures. */
export function limitsOf({ from, to }: { from: number | undefined; to: number | undefined }): MetricsOptions {
  return {
    ...(from !== undefined && { from: Math.ceil(from) }),
    ...(to !== undefined && { to: Math.floor(to) }),
  };
}
