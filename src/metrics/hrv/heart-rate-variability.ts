import { optionNames, requireBooleans, requireOptions, shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import type { BeatBatch } from "../../types.js";
import { roundHalfUp } from "../rounding.js";
import { ARTEFACTS, type Artefact, correctIntervals, type Label, labelArtefacts } from "./artefacts.js";
import { dfaOverTime, MOST_ARTEFACTS_PERCENT } from "./dfa.js";
import { lowHighPower } from "./lomb.js";

/** Version of the rules for heart-rate variability. */
export const HRV_VERSION = 1;

/** The caution that accompanies LF and HF in every output. */
export const LF_HF_CAUTION =
  "LF/HF does not measure the balance of the autonomic nervous system (Billman 2013, Front Physiol 4:26)";

const FEWEST_INTERVALS = 20;
const LONG_DIFFERENCE_MS = 50;
/** Interpolated intervals have rounding errors, and a difference of 50 ms must not count as more than 50 ms. */
const ROUNDING_MS = 1e-9;

/**
 * Limits for the length of an interval between heartbeats *(choice)*. Without them, one wrong interval would cause millions of
 * windows for alpha 1.
 */
const SHORTEST_INTERVAL_MS = 1;
const LONGEST_INTERVAL_MS = 60_000;

/** Beats: a batch of `decodeBeats`, or these columns of it. `rrMs` is 0 if the interval is unknown, which ends a series. */
export type Beats = Readonly<Pick<BeatBatch, "length" | "timestampMs" | "rrMs">>;

export interface HrvOptions {
  /** Whether the person was at rest, which LF and HF require. Default false. */
  readonly atRest?: boolean | undefined;
}

const OPTIONS = optionNames<HrvOptions>({ atRest: true });

/** Figures computed from corrected intervals (docs/metrics.md, "Heart-rate variability"). */
export interface HeartRateVariability {
  /** Number of recorded intervals. */
  readonly intervals: number;
  /** Number of sequences of intervals without a gap. */
  readonly series: number;
  readonly artefacts: Readonly<Record<Artefact, number>>;
  /** Percentage of intervals that are artefacts; null if there are no intervals. */
  readonly artefacts_percent: number | null;
  /** bpm; null with fewer than 20 corrected intervals, like the next three figures. */
  readonly mean_hr: number | null;
  /** ms */
  readonly rmssd: number | null;
  /** ms */
  readonly sdnn: number | null;
  /** Percentage of the pairs of successive intervals that differ by more than 50 ms. */
  readonly pnn50: number | null;
  /** Alpha 1, every 5 s from the 120th second of each series. */
  readonly dfa_alpha1: readonly {
    /** ms since 1970 UTC. */
    readonly end_time: number;
    readonly alpha1: number | null;
    readonly artefacts_percent: number;
    readonly mean_hr: number;
  }[];
  /** LF and HF. Present only with `atRest`; null if no 300 s are without a gap, or if there are too many artefacts. */
  readonly lf_hf?: {
    readonly lf: number;
    readonly hf: number;
    readonly ratio: number;
    readonly caution: string;
  } | null;
  readonly definition: { readonly version: number };
}

/** A sequence of intervals without a gap. */
interface Series {
  /** Time of the beat before the first interval. */
  readonly startMs: number;
  readonly rrMs: Float64Array;
  readonly labels: readonly Label[];
  readonly corrected: Float64Array;
}

/**
 * Computes heart-rate variability from beats, after correcting artefacts.
 *
 * @param beats a batch of `decodeBeats`, or all of them
 * @throws AsiError `BAD_ARGUMENT` for invalid beats; `BAD_OPTION`
 */
export function heartRateVariability(
  beats: Beats | Iterable<Beats>,
  options: HrvOptions = {},
): HeartRateVariability {
  requireOptions(options, OPTIONS);
  requireBooleans(options, OPTIONS);
  const all = seriesOf(beats);
  const labels = all.flatMap((series) => series.labels);
  const labelled = labels.filter((label) => label !== null).length;
  return {
    intervals: labels.length,
    series: all.length,
    artefacts: Object.fromEntries(
      ARTEFACTS.map((kind) => [kind, labels.filter((label) => label === kind).length]),
    ) as Record<Artefact, number>,
    artefacts_percent: labels.length === 0 ? null : roundHalfUp((100 * labelled) / labels.length, 1),
    ...timeFigures(all.map(({ corrected }) => corrected)),
    dfa_alpha1: all.flatMap(({ startMs, rrMs, labels: own }) =>
      dfaOverTime(rrMs, own).map(({ endMs, alpha1, artefactsPercent, meanHeartRate }) => ({
        end_time: Math.round(startMs + endMs),
        alpha1: alpha1 === null ? null : roundHalfUp(alpha1, 3),
        artefacts_percent: roundHalfUp(artefactsPercent, 1),
        mean_hr: roundHalfUp(meanHeartRate, 1),
      })),
    ),
    ...(options.atRest === true && { lf_hf: lowHighOf(all) }),
    definition: { version: HRV_VERSION },
  };
}

function timeFigures(corrected: readonly Float64Array[]) {
  const figures = timeDomain(corrected);
  if (figures === null) return { mean_hr: null, rmssd: null, sdnn: null, pnn50: null };
  const { meanRr, rmssd, sdnn, pnn50 } = figures;
  return {
    mean_hr: roundHalfUp(60_000 / meanRr, 1),
    rmssd: roundHalfUp(rmssd, 1),
    sdnn: roundHalfUp(sdnn, 1),
    pnn50: roundHalfUp(pnn50, 1),
  };
}

/**
 * Computes the figures for all series together, not rounded. A pair consists of two successive intervals in one series.
 *
 * @returns null with fewer than 20 intervals
 */
export function timeDomain(
  series: readonly Float64Array[],
): { meanRr: number; rmssd: number; sdnn: number; pnn50: number } | null {
  const count = series.reduce((sum, { length }) => sum + length, 0);
  if (count < FEWEST_INTERVALS) return null;
  let sum = 0;
  for (const rr of series) for (const ms of rr) sum += ms;
  const meanRr = sum / count;
  let squares = 0;
  let pairs = 0;
  let differences = 0;
  let long = 0;
  for (const rr of series) {
    rr.forEach((ms, i) => {
      squares += (ms - meanRr) ** 2;
      if (i === 0) return;
      const difference = ms - (rr[i - 1] ?? ms);
      pairs++;
      differences += difference ** 2;
      if (Math.abs(difference) > LONG_DIFFERENCE_MS + ROUNDING_MS) long++;
    });
  }
  if (pairs === 0) return null;
  return {
    meanRr,
    rmssd: Math.sqrt(differences / pairs),
    sdnn: Math.sqrt(squares / (count - 1)),
    pnn50: (100 * long) / pairs,
  };
}

/** Computes LF and HF from the first series that has 300 s. */
function lowHighOf(all: readonly Series[]): NonNullable<HeartRateVariability["lf_hf"]> | null {
  for (const { rrMs, labels, corrected } of all) {
    const power = lowHighPower(corrected);
    if (power === null) continue;
    const labelled = labels.filter((label) => label !== null).length;
    if (100 * labelled > MOST_ARTEFACTS_PERCENT * rrMs.length) return null;
    return {
      lf: roundHalfUp(power.low, 0),
      hf: roundHalfUp(power.high, 0),
      ratio: roundHalfUp(power.low / power.high, 3),
      caution: LF_HF_CAUTION,
    };
  }
  return null;
}

/**
 * Returns the label of each known interval, in the order of the beats; null for a valid interval.
 *
 * @param beats a batch of `decodeBeats`, or all of them
 * @throws AsiError `BAD_ARGUMENT` for invalid beats
 */
export function intervalLabels(beats: Beats | Iterable<Beats>): Label[] {
  return seriesOf(beats).flatMap(({ labels }) => labels);
}

function seriesOf(beats: Beats | Iterable<Beats>): Series[] {
  const found: { startMs: number; rrMs: number[] }[] = [];
  for (const batch of batchesOf(beats)) {
    for (let i = 0; i < batch.length; i++) {
      const rr = batch.rrMs[i] ?? 0;
      const ms = batch.timestampMs[i] ?? 0;
      requireBeat(ms, rr, i);
      if (rr > 0 && found.length > 0) found.at(-1)?.rrMs.push(rr);
      else found.push({ startMs: rr > 0 ? ms - rr : ms, rrMs: rr > 0 ? [rr] : [] });
    }
  }
  return found
    .filter(({ rrMs }) => rrMs.length > 0)
    .map(({ startMs, rrMs }) => {
      const labels = labelArtefacts(rrMs);
      return { startMs, rrMs: Float64Array.from(rrMs), labels, corrected: correctIntervals(rrMs, labels) };
    });
}

function requireBeat(ms: number, rr: number, i: number): void {
  if (!Number.isFinite(ms)) throw bad(`timestampMs[${i}] is ${ms}; it must be a number of ms since 1970.`);
  if (rr === 0 || (rr >= SHORTEST_INTERVAL_MS && rr <= LONGEST_INTERVAL_MS)) return;
  throw bad(
    `rrMs[${i}] is ${rr}; it must be from ${SHORTEST_INTERVAL_MS} to ${LONGEST_INTERVAL_MS} ms, or 0 if the interval is unknown.`,
  );
}

function batchesOf(beats: Beats | Iterable<Beats>): Beats[] {
  const isIterable = typeof beats === "object" && beats !== null && Symbol.iterator in beats;
  const batches = isIterable ? [...beats] : [beats];
  for (const batch of batches) {
    const isBatch =
      typeof batch === "object" &&
      batch !== null &&
      [batch.timestampMs, batch.rrMs].every((column) => column?.length >= batch.length);
    if (!isBatch) {
      throw bad(`The beats are ${shown(batch)}; pass a batch of decodeBeats, or an array of batches.`);
    }
  }
  return batches;
}

function bad(message: string): AsiError {
  return new AsiError("BAD_ARGUMENT", message);
}
