import { ecgRaw } from "./frames.js";
import { seededRandom } from "./mutations.js";

export interface SyntheticEcg {
  rateHz: number;
  samples: number[];
  /** Times of the QRS complexes, s after the first sample. */
  beatsS: number[];
}

export interface SyntheticEcgOptions {
  seed?: number;
  rateHz?: number;
  durationS: number;
  bpm?: number;
  /** Height of the R wave, in units of the samples; negative for an inverted signal. */
  gain?: number;
  /** Share of beats that are early and wide, and followed by a pause. */
  prematureShare?: number;
  /** Amplitudes relative to the R wave: of steps with their muscle noise, of a drifting baseline, of mains hum. */
  running?: number;
  drift?: number;
  hum?: number;
  /** Samples are clipped at these values, as by a converter. */
  limits?: readonly [low: number, high: number];
}

/** Waves of a heart beat: time from the R wave in s, width in s, height in R waves. */
const WAVES = [
  [-0.17, 0.022, 0.12],
  [-0.026, 0.008, -0.14],
  [0, 0.01, 1],
  [0.026, 0.009, -0.22],
  [0.24, 0.045, 0.28],
] as const;
/** Waves of a premature ventricular beat, in the same units. */
const WIDE_WAVES = [
  [0, 0.03, 1.1],
  [0.09, 0.04, -0.5],
  [0.3, 0.06, -0.25],
] as const;

/** An ECG with known beats. It is not a model of a heart, but contains the shapes and disturbances that a detector must
 * handle. */
export function syntheticEcg(options: SyntheticEcgOptions): SyntheticEcg {
  const { seed = 1, rateHz = 250, durationS, bpm = 75, gain = 1000, prematureShare = 0 } = options;
  const random = seededRandom(seed);
  const uniform = () => random(1_000_000) / 1_000_000;
  const noise = () => uniform() + uniform() + uniform() - 1.5;
  const signal = new Float64Array(Math.round(durationS * rateHz));
  const add = (waves: readonly (readonly [number, number, number])[], atS: number) => {
    for (const [offsetS, widthS, height] of waves) {
      const centre = (atS + offsetS) * rateHz;
      const width = widthS * rateHz;
      const from = Math.max(0, Math.ceil(centre - 5 * width));
      const to = Math.min(signal.length - 1, Math.floor(centre + 5 * width));
      for (let i = from; i <= to; i++) {
        signal[i] = (signal[i] ?? 0) + height * Math.exp(-(((i - centre) / width) ** 2) / 2);
      }
    }
  };

  const beatsS: number[] = [];
  let rrS = 60 / bpm;
  for (let atS = 0.4; atS < durationS - 0.1; ) {
    const isPremature = beatsS.length > 8 && uniform() < prematureShare;
    if (isPremature) atS -= 0.3 * rrS;
    beatsS.push(atS);
    add(isPremature ? WIDE_WAVES : WAVES, atS);
    rrS = (60 / bpm) * (1 + 0.03 * Math.sin(beatsS.length / 4) + 0.02 * noise());
    atS += isPremature ? 1.3 * rrS : rrS;
  }

  const { running = 0, drift = 0, hum = 0, limits = [-32_768, 32_767] } = options;
  const samples = Array.from(signal, (value, i) => {
    const s = i / rateHz;
    const step = Math.max(0, Math.sin(2 * Math.PI * 2.7 * s)) ** 4;
    const disturbance =
      running * (0.5 * Math.sin(2 * Math.PI * 2.7 * s) + 0.35 * step * noise()) +
      drift * Math.sin(2 * Math.PI * 0.31 * s) +
      hum * Math.sin(2 * Math.PI * 50 * s);
    const sample = Math.round(gain * (value + disturbance + 0.01 * noise()));
    // no negative zero, which a recording cannot contain
    return Math.max(limits[0], Math.min(limits[1], sample)) + 0;
  });
  return { rateHz, samples, beatsS };
}

/** The waveform as ECG-RAW frames of `pieceSamples` samples. */
export function waveformFrames(
  { samples, rateHz }: Pick<SyntheticEcg, "samples" | "rateHz">,
  startMs: number,
  pieceSamples = Math.round(rateHz / 10),
): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += pieceSamples) {
    frames.push(
      ecgRaw({
        timeMs: Math.round(startMs + (at * 1000) / rateHz),
        sampleRateHz: rateHz,
        samples: samples.slice(at, at + pieceSamples),
      }),
    );
  }
  return frames;
}
