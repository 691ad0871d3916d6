import type { EcgBatch } from "asi-convert";
import type { Columns } from "../plots/columns.js";
import { buildPyramid, type Extent, extentOf, type Pyramid } from "../plots/pyramid.js";
import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";

/** Consecutive samples with a constant rate. */
interface Stretch {
  startMs: number;
  stepMs: number;
  /** The index of its first sample in the column of all samples. */
  first: number;
  count: number;
}

// Frame times are whole milliseconds, and therefore off by up to 1 ms. A larger difference starts a new stretch.
const TOLERANCE_MS = 20;
// A line bridges frames that are late by up to this time. It does not bridge longer gaps in the signal.
const GAP_MS = 1000;

/** The waveform of a recording. Samples have no times; the stretches define them. */
export class Waveform {
  readonly #starts: Float64Array;
  readonly #stretches: readonly Stretch[];
  readonly #pyramid: Pyramid;
  /** Minimum and maximum of nearly all samples. Spikes of a loose electrode are excluded. */
  readonly range: [number, number];

  constructor(samples: Int16Array, stretches: readonly Stretch[]) {
    this.#stretches = stretches;
    this.#starts = Float64Array.from(stretches, ({ startMs }) => startMs);
    this.#pyramid = buildPyramid({ timesMs: new Float64Array(0), values: samples, gapsAfter: new Set() });
    this.range = usualRange(samples);
  }

  /**
   * Returns the plot data of a part. An entry is a sample, or minimum, maximum and mean of the samples in a pixel.
   *
   * @param pixels number of columns of the plot
   */
  columnsIn(shown: TimeWindow, pixels: number): Columns {
    const parts = this.#partsIn(shown);
    const samples = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const isExact = samples <= 2 * pixels;
    const columns: Columns = { timesMs: [], mean: [], minimum: [], maximum: [], isExact };
    const perPixelMs = (shown.stopMs - shown.startMs) / pixels;
    let previousMs = Number.NEGATIVE_INFINITY;
    let pixel = -1;
    let samplesOfEntry = 0;
    for (const { stretch, from, to } of parts) {
      const timeOf = (sample: number) => stretch.startMs + (sample - stretch.first) * stretch.stepMs;
      const perEntry = isExact ? 1 : Math.max(1, perPixelMs / stretch.stepMs);
      for (let at = from, entry = 1; at < to; entry++) {
        const next = Math.min(to, Math.max(at + 1, from + Math.round(entry * perEntry)));
        const ms = (timeOf(at) + timeOf(next - 1)) / 2;
        const extent = extentOf(this.#pyramid, at, next);
        const pixelOfEntry = Math.floor((ms - shown.startMs) / perPixelMs);
        if (!isExact && pixelOfEntry === pixel && extent !== null) {
          // Many short stretches get at most one entry for each pixel.
          merge(columns, extent, samplesOfEntry, next - at);
          samplesOfEntry += next - at;
        } else {
          if (ms - previousMs > Math.max(GAP_MS, 2 * perPixelMs) && columns.timesMs.length > 0) {
            push(columns, (ms + previousMs) / 2, null);
          }
          push(columns, Math.max(ms, columns.timesMs.at(-1) ?? ms), extent);
          samplesOfEntry = next - at;
          pixel = pixelOfEntry;
        }
        previousMs = ms;
        at = next;
      }
    }
    return columns;
  }

  // Returns the samples of a part, and one beyond each end, which extends the lines to the edge.
  #partsIn({ startMs, stopMs }: TimeWindow): { stretch: Stretch; from: number; to: number }[] {
    const parts: { stretch: Stretch; from: number; to: number }[] = [];
    for (let i = Math.max(0, indexAt(this.#starts, startMs) - 1); i < this.#stretches.length; i++) {
      const stretch = this.#stretches[i] as Stretch;
      if (stretch.startMs > stopMs) break;
      const from = Math.max(0, Math.floor((startMs - stretch.startMs) / stretch.stepMs));
      const to = Math.min(stretch.count, Math.ceil((stopMs - stretch.startMs) / stretch.stepMs) + 1);
      if (from < to) parts.push({ stretch, from: stretch.first + from, to: stretch.first + to });
    }
    return parts;
  }
}

function push(columns: Columns, ms: number, extent: Extent | null): void {
  columns.timesMs.push(ms);
  columns.mean.push(extent?.mean ?? null);
  columns.minimum.push(extent?.minimum ?? null);
  columns.maximum.push(extent?.maximum ?? null);
}

/** Adds samples to the last entry. */
function merge(columns: Columns, { minimum, maximum, mean }: Extent, before: number, added: number): void {
  const at = columns.timesMs.length - 1;
  columns.minimum[at] = Math.min(columns.minimum[at] ?? minimum, minimum);
  columns.maximum[at] = Math.max(columns.maximum[at] ?? maximum, maximum);
  columns.mean[at] = ((columns.mean[at] ?? mean) * before + mean * added) / (before + added);
}

/** Collects a waveform. Returns null if there is no sample. */
export async function collectWaveform(batches: AsyncIterable<EcgBatch>): Promise<Waveform | null> {
  const parts: Int16Array[] = [];
  const stretches: Stretch[] = [];
  let length = 0;
  for await (const { sampleRateHz, timestampMs, sample } of batches) {
    // without a rate, a waveform has no times
    if (sampleRateHz === 0) continue;
    parts.push(sample);
    addStretches(stretches, timestampMs, 1000 / sampleRateHz, length);
    length += sample.length;
  }
  if (length === 0) return null;
  const samples = new Int16Array(length);
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  // after the clock was set back, later frames have earlier times
  return new Waveform(
    samples,
    stretches.sort((a, b) => a.startMs - b.startMs),
  );
}

function addStretches(stretches: Stretch[], timesMs: Float64Array, stepMs: number, first: number): void {
  for (let i = 0; i < timesMs.length; i++) {
    const ms = timesMs[i] as number;
    const last = stretches.at(-1);
    const expectedMs = last === undefined ? Number.NaN : last.startMs + last.count * last.stepMs;
    if (last !== undefined && last.stepMs === stepMs && Math.abs(ms - expectedMs) <= TOLERANCE_MS) {
      last.count += 1;
    } else {
      stretches.push({ startMs: ms, stepMs, first: first + i, count: 1 });
    }
  }
}

const SAMPLED = 50_000;
const OUTLIERS = 0.0005;

function usualRange(samples: Int16Array): [number, number] {
  const step = Math.ceil(samples.length / SAMPLED);
  const sorted = Int16Array.from(
    { length: Math.ceil(samples.length / step) },
    (_, i) => samples[i * step] as number,
  ).sort();
  const cut = Math.floor(sorted.length * OUTLIERS);
  const lowest = sorted[cut] ?? 0;
  const highest = sorted[sorted.length - 1 - cut] ?? 0;
  const margin = Math.max(1, (highest - lowest) * 0.1);
  return [lowest - margin, highest + margin];
}
