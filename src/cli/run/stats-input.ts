import { computeMetrics, type Metrics, type MetricsOptions } from "../../metrics/index.js";
import type { RecordingInfo, Report } from "../../types.js";
import type { Input } from "../batch/inputs.js";
import { readSamples, type SampleSelection } from "./read-samples.js";

/** A computation, as a message to a worker thread. */
export interface StatsTask {
  input: Input;
  selection: SampleSelection;
  options: MetricsOptions;
}

/** Figures of a recording. */
export interface Stats {
  info: RecordingInfo;
  report: Report;
  metrics: Metrics;
}

/** Reads an input and computes its figures. Throws what `readSamples` throws. */
export async function statsOf(
  { input, selection, options }: StatsTask,
  { onProgress, signal }: { onProgress(bytesRead: number): void; signal: AbortSignal },
): Promise<Stats> {
  const { samples, inspection, from, to } = await readSamples(input, selection, signal, onProgress);
  const { info, report } = inspection;
  return { info, report, metrics: computeMetrics(samples, { ...options, ...limitsOf({ from, to }) }) };
}

/** Limits of rows, which may be between two milliseconds, as limits of figures. */
export function limitsOf({ from, to }: { from: number | undefined; to: number | undefined }): MetricsOptions {
  return {
    ...(from !== undefined && { from: Math.ceil(from) }),
    ...(to !== undefined && { to: Math.floor(to) }),
  };
}
