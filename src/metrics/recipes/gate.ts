import { AsiError } from "../../errors.js";
import type { SampleQuality } from "../../types.js";
import { durationAround } from "../prepare.js";
import type { OrderedSamples } from "../samples.js";
import { type GapRule, hasSpeed } from "../segments.js";
import { shared } from "../shared.js";
import type { RecipeGate } from "./recipe.js";

/** The samples that pass a gate. */
export interface GatedSamples extends OrderedSamples {
  /** Times of all samples with a speed, which determine the sampling rate. */
  readonly recordedMs: Float64Array;
  /**
   * The number of samples with a speed that do not pass the gate, and the duration of the intervals that begin or end with one of
   * them.
   */
  readonly dropped: { readonly samples: number; readonly durationMs: number };
}

/**
 * Removes the samples that do not pass a gate, and those without a speed.
 *
 * @param gap determines which steps between samples are gaps instead of intervals
 * @throws AsiError `BAD_ARGUMENT` for samples without quality
 */
export function gatedSamples(samples: OrderedSamples, gate: RecipeGate, gap: GapRule): GatedSamples {
  return shared(samples, `gate ${JSON.stringify([gate, gap])}`, () => {
    const { timestampMs, speedMmPerS, hr, quality, startsMs } = samples;
    const rows = rowsWithSpeed(speedMmPerS);
    const recordedMs = Float64Array.from(rows, (row) => timestampMs[row] ?? 0);
    if (quality === undefined || !rows.some((row) => isKnown(quality, row))) {
      if (rows.length > 0) throw noQuality();
      return { ...samples, recordedMs, dropped: { samples: 0, durationMs: 0 } };
    }
    const fails = Uint8Array.from(rows, (row) => (reaches(quality, row, gate) ? 0 : 1));
    const kept = rows.filter((_, k) => fails[k] === 0);
    return {
      length: kept.length,
      timestampMs: Float64Array.from(kept, (row) => timestampMs[row] ?? 0),
      speedMmPerS: Int32Array.from(kept, (row) => speedMmPerS[row] ?? 0),
      hr: Uint8Array.from(kept, (row) => hr[row] ?? 0),
      ...(startsMs !== undefined && { startsMs }),
      recordedMs,
      dropped: {
        samples: rows.length - kept.length,
        durationMs: durationAround(recordedMs, (k) => fails[k] === 1, { gap, startsMs }),
      },
    };
  });
}

function rowsWithSpeed(speedMmPerS: Int32Array): Uint32Array {
  const rows = new Uint32Array(speedMmPerS.length);
  let count = 0;
  for (let i = 0; i < speedMmPerS.length; i++) if (hasSpeed(speedMmPerS[i] ?? -1)) rows[count++] = i;
  return rows.subarray(0, count);
}

/** Returns whether the quality is known: no receiver reports 0 for all three values. */
function isKnown({ satellites, speedAccuracyMmPerS, pdopHundredths }: SampleQuality, row: number): boolean {
  return satellites[row] !== 0 || speedAccuracyMmPerS[row] !== 0 || pdopHundredths[row] !== 0;
}

function reaches(
  quality: SampleQuality,
  row: number,
  {
    min_satellites = 0,
    max_speed_accuracy = Number.POSITIVE_INFINITY,
    max_pdop_hundredths = Number.POSITIVE_INFINITY,
  }: RecipeGate,
): boolean {
  return (
    isKnown(quality, row) &&
    (quality.satellites[row] ?? 0) >= min_satellites &&
    (quality.speedAccuracyMmPerS[row] ?? 0) <= max_speed_accuracy &&
    (quality.pdopHundredths[row] ?? 0) <= max_pdop_hundredths
  );
}

function noQuality(): AsiError {
  return new AsiError(
    "BAD_ARGUMENT",
    "recipe.gate needs satellites, speed accuracy and PDOP, which these samples do not contain. Use a recording of a receiver (in code, decode it with quality: true), or set recipe.gate to null.",
  );
}
