import {
  type BeatBatch,
  decodeBeats,
  decodeEcg,
  decodeTrackBeats,
  inspect,
  type TrackBeatBatch,
} from "asi-convert";
import { gapsAfter } from "asi-convert/metrics";
import { buildPyramid } from "../plots/pyramid.js";
import type { Heart, HeartBeats, Recording } from "./recording.js";
import { alphaOf } from "./variability.js";
import { collectWaveform, type Waveform } from "./waveform.js";

// Intervals further apart than this are not joined by a line.
const RR_GAP = { minMs: 5000, steps: 0 };

/** Reads the ECG waveform of a recording and finds its beats, or reads the RR intervals of a FIT file. Returns null if there are none. */
export async function readHeart(
  file: Blob,
  { facts: { info, intervals = 0 } }: Pick<Recording, "facts">,
): Promise<{ heart: Heart; waveform: Waveform | null } | null> {
  if (intervals > 0) {
    const beats = await collectBeats(decodeTrackBeats(file));
    return { heart: heartOf(beats, null, false), waveform: null };
  }
  // the log of a receiver has no header
  const options = info?.formatVersion === null ? { serial: info.serial } : {};
  const waveform = await collectWaveform(decodeEcg(file, options));
  if (waveform === null) return null;
  const beats = await collectBeats(decodeBeats(file, options));
  const { ecg } = await inspect(file, options);
  return { heart: heartOf(beats, ecg, true), waveform };
}

const heartOf = (beats: HeartBeats, figures: Heart["figures"], hasWaveform: boolean): Heart => ({
  hasWaveform,
  figures,
  beats,
  rr: rrOf(beats),
  alpha1: alphaOf(beats),
});

async function collectBeats(batches: AsyncIterable<BeatBatch | TrackBeatBatch>): Promise<HeartBeats> {
  const all: (BeatBatch | TrackBeatBatch)[] = [];
  for await (const batch of batches) all.push(batch);
  const length = all.reduce((sum, batch) => sum + batch.length, 0);
  const beats = {
    length,
    timestampMs: new Float64Array(length),
    rrMs: new Float64Array(length),
    quality: all.some((batch) => "quality" in batch) ? new Uint8Array(length) : null,
  };
  let at = 0;
  for (const batch of all) {
    beats.timestampMs.set(batch.timestampMs, at);
    beats.rrMs.set(batch.rrMs, at);
    if ("quality" in batch) beats.quality?.set(batch.quality, at);
    at += batch.length;
  }
  return beats;
}

function rrOf({ timestampMs, rrMs, length }: HeartBeats): Heart["rr"] {
  const timesMs = new Float64Array(length);
  const values = new Int32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const ms = timestampMs[i] as number;
    // after the clock was set back, the line omits beats with earlier times
    if (rrMs[i] === 0 || ms < (timesMs[count - 1] ?? ms)) continue;
    timesMs[count] = ms;
    // the columns of plots contain whole numbers
    values[count] = Math.round(rrMs[i] as number);
    count += 1;
  }
  const times = timesMs.slice(0, count);
  return buildPyramid({
    timesMs: times,
    values: values.slice(0, count),
    gapsAfter: new Set(gapsAfter(times, RR_GAP)),
  });
}
