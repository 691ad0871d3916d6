import type { BeatBatch } from "../../types.js";
import type { EngineSettings } from "../engine.js";
import type { Counters } from "../engine-counters.js";
import { type EcgFigures, figuresOf } from "../heart-rate/waveform-figures.js";
import { WaveformHeartRate } from "../heart-rate/waveform-heart-rate.js";
import { HeartRates } from "./heart-rates.js";

// class and id, as in the frame
const ECG_HR = 0x01a5;
const ECG_RAW = 0x02a5;

/** Reads heart rates and the ECG waveform (docs/recording-format.md, "Frames"). */
export class EcgFrames {
  readonly heartRates = new HeartRates();
  readonly #view: DataView;
  readonly #counters: Counters;
  readonly #waveform: WaveformHeartRate;
  /** Three numbers for each beat of this step: time, RR interval, quality. */
  #beats: number[] = [];
  #analysesEcg = false;

  /** @param view the input */
  constructor(view: DataView, counters: Counters) {
    this.#view = view;
    this.#counters = counters;
    this.#waveform = new WaveformHeartRate(
      {
        onBeat: (timeMs, rrMs, quality) => {
          if (this.#analysesEcg) this.#beats.push(timeMs, rrMs, quality);
        },
        onReading: (timeMs, bpm) => this.heartRates.addDerived(timeMs, bpm),
      },
      counters,
    );
  }

  reset({ fillHrMs, hr, analysesEcg }: EngineSettings): void {
    this.heartRates.reset(fillHrMs, hr);
    this.#waveform.reset();
    this.#analysesEcg = analysesEcg;
  }

  beginStep(): void {
    this.#beats = [];
  }

  /** Reads a frame. Returns false if it is neither an ECG-HR nor an ECG-RAW with the correct length. */
  read(kind: number, payload: number, length: number): boolean {
    const view = this.#view;
    const counters = this.#counters;
    if (kind === ECG_HR && length >= 12 && length === 12 + 2 * view.getUint8(payload + 10)) {
      counters.ecgHrFrames += 1;
      this.heartRates.add(this.#timeMs(payload), view.getUint8(payload + 8));
      return true;
    }
    if (kind === ECG_RAW && length >= 16 && length === 16 + 2 * view.getUint16(payload + 12, true)) {
      counters.ecgRawFrames += 1;
      counters.ecgRawHz = view.getUint16(payload + 8, true);
      if (this.#analysesEcg || this.heartRates.takesDerived) {
        const count = view.getUint16(payload + 12, true);
        this.#waveform.add(this.#timeMs(payload), counters.ecgRawHz, view, payload + 16, count);
      }
      return true;
    }
    return false;
  }

  #timeMs(payload: number): number {
    return this.#view.getUint32(payload, true) + this.#view.getUint32(payload + 4, true) * 2 ** 32;
  }

  /** Ends the waveform, and reports its last beats. */
  end(): void {
    this.#waveform.end();
  }

  /** Returns the beats of the last step, as copies. */
  beats(): BeatBatch {
    const numbers = this.#beats;
    const length = numbers.length / 3;
    const column = (place: number) => Float64Array.from({ length }, (_, i) => numbers[3 * i + place] ?? 0);
    return { length, timestampMs: column(0), rrMs: column(1), quality: Uint8Array.from(column(2)) };
  }

  figures(): EcgFigures | null {
    return this.#analysesEcg ? figuresOf(this.#counters) : null;
  }
}
