import { BeatDetector } from "../src/engine/heart-rate/beat-detector.js";

/** A waveform with annotated beats. */
export interface AnnotatedRecord {
  rateHz: number;
  samples: Int16Array;
  /** Sample indices of the beats, ascending. */
  beats: readonly number[];
}

/** The output of the beat detector for a waveform. */
export interface Detection {
  /** Sample indices. */
  beats: number[];
  /** For each second, the index of the sample at its end, and the heart rate known at that time in bpm, not rounded; 0 if there is none. */
  seconds: { n: number; bpm: number }[];
}

/** Maximum distance between a detected beat and its annotation (ANSI/AAMI EC57). */
const TOLERANCE_S = 0.15;
/** This much is excluded at both ends of a record. */
const MARGIN_S = 5;
/** A reading is compared with the mean of the annotated RR intervals in this time before it. */
const REFERENCE_S = 8;
const CLOSE_BPM = 5;

/** Counts over one or more records. */
export interface Score {
  found: number;
  missed: number;
  extra: number;
  seconds: number;
  readings: number;
  /** Sum of the errors of the readings. */
  errorBpm: number;
  close: number;
}

export const NO_SCORE: Score = {
  found: 0,
  missed: 0,
  extra: 0,
  seconds: 0,
  readings: 0,
  errorBpm: 0,
  close: 0,
};

/** Returns F1 in percent: 2 found / (2 found + missed + extra). */
export function f1({ found, missed, extra }: Score): number {
  return (200 * found) / (2 * found + missed + extra);
}

export function sumOf(a: Score, b: Score): Score {
  const sum = { ...a };
  for (const key of Object.keys(sum) as (keyof Score)[]) sum[key] += b[key];
  return sum;
}

export function detect({ rateHz, samples }: Omit<AnnotatedRecord, "beats">): Detection {
  const detection: Detection = { beats: [], seconds: [] };
  const detector = new BeatDetector({
    onBeat: (n) => detection.beats.push(n),
    onDoubtfulBeat: () => {},
    onSecond: (n, bpm) => detection.seconds.push({ n, bpm }),
  });
  detector.forget(rateHz);
  if (samples.length > 0) {
    const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);
    detector.push(view, 0, samples.length);
  }
  detector.end();
  detection.beats.sort((a, b) => a - b);
  return detection;
}

/** Compares a detection with the annotations. */
export function scoreOf(record: AnnotatedRecord, detection: Detection): Score {
  const { rateHz, samples, beats } = record;
  const from = MARGIN_S * rateHz;
  const to = samples.length - MARGIN_S * rateHz;
  const isInside = (n: number) => n >= from && n < to;
  const score = { ...NO_SCORE };
  const isUsed = new Set<number>();
  let first = 0;
  for (const beat of beats) {
    while (first < detection.beats.length && (detection.beats[first] ?? 0) < beat - TOLERANCE_S * rateHz) {
      first++;
    }
    let best = -1;
    for (let i = first; i < detection.beats.length; i++) {
      const distance = Math.abs((detection.beats[i] ?? 0) - beat);
      if ((detection.beats[i] ?? 0) > beat + TOLERANCE_S * rateHz) break;
      if (!isUsed.has(i) && (best < 0 || distance < Math.abs((detection.beats[best] ?? 0) - beat))) best = i;
    }
    if (best >= 0) isUsed.add(best);
    if (!isInside(beat)) continue;
    if (best >= 0) score.found++;
    else score.missed++;
  }
  detection.beats.forEach((beat, i) => {
    if (!isUsed.has(i) && isInside(beat)) score.extra++;
  });
  for (const { n, bpm } of detection.seconds) {
    if (!isInside(n)) continue;
    score.seconds++;
    if (bpm === 0) continue;
    score.readings++;
    const reference = referenceBpm(record, n);
    if (reference === null) continue;
    score.errorBpm += Math.abs(bpm - reference);
    if (Math.abs(bpm - reference) <= CLOSE_BPM) score.close++;
  }
  return score;
}

function referenceBpm({ rateHz, beats }: AnnotatedRecord, n: number): number | null {
  const ends = beats.filter((beat, i) => i > 0 && beat <= n && beat > n - REFERENCE_S * rateHz);
  const last = ends.at(-1);
  const before = beats[beats.indexOf(ends[0] ?? -1) - 1];
  if (last === undefined || before === undefined) return null;
  return (60 * ends.length * rateHz) / (last - before);
}
