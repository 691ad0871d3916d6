import type {
  Engine,
  EngineSettings,
  Produced,
  RangeBreak,
  Recorded,
  StepResult,
} from "../../src/engine/engine.js";
import {
  type EcgFigures,
  figuresOf,
  type WaveformSums,
} from "../../src/engine/heart-rate/waveform-figures.js";
import { WaveformHeartRate } from "../../src/engine/heart-rate/waveform-heart-rate.js";
import { PlainRowWriter } from "../../src/rows/row-text/plain-row-writer.js";
import type { BeatBatch, Report, SampleBatch } from "../../src/types.js";
import { fields, frameKind } from "./frame-kind.js";
import { type Frame, FrameSearch } from "./frame-search.js";
import { type Quality, readFix } from "./gnss-fix.js";
import { Headers } from "./headers.js";
import { HeartRateJoin } from "./heart-rate.js";
import { RowRanges } from "./row-ranges.js";
import type { Sample } from "./sample.js";
import { StepOutput } from "./step-output.js";

/**
 * A decoder whose code follows the recording format closely, without optimization. It is the reference for the tests
 * of the library's engines.
 */
export class Oracle implements Engine {
  // the library has no name for the oracle
  readonly name = "plain";
  readonly rowWriter = new PlainRowWriter();
  #reading = newReading({
    output: "none",
    serial: null,
    needsHeader: true,
    strict: false,
    fromMs: Number.NEGATIVE_INFINITY,
    toMs: Number.POSITIVE_INFINITY,
    fillHrMs: 0,
    hr: "auto",
    quality: false,
    analysesEcg: false,
  });

  reset(settings: EngineSettings): void {
    this.#reading = newReading({ ...settings });
  }

  write(chunk: Uint8Array, offset: number): number {
    return this.#reading.search.write(chunk, offset);
  }

  step(final: boolean): StepResult {
    const { settings, search, account } = this.#reading;
    this.#reading.output = new StepOutput(settings);
    this.#reading.beats.length = 0;
    for (;;) {
      const found = search.next(final);
      if (found === null) {
        if (final) this.#reading.waveform.end();
        return { kind: "drained" };
      }
      if ("damage" in found) {
        account.damage[found.damage] += 1;
        account.firstDamage ??= {
          byteOffset: found.byteOffset,
          kind: found.damage,
          afterMs: this.#reading.ranges.lastMs,
        };
        if (settings.strict) return { kind: "damaged", ...found };
        search.pass(found);
        continue;
      }
      const kind = frameKind(found);
      if (this.#reading.headerDue && kind !== "header") {
        return { kind: "notRecording", byteOffset: found.byteOffset };
      }
      this.#reading.headerDue = false;
      search.pass(found);
      account.frames[kind] += 1;
      account.bytes[kind === "unknown" ? "unknown" : "known"] += found.bytes.length;
      if (kind === "header") {
        if (!this.#reading.headers.repeats(found.payload)) {
          return { kind: "header", byteOffset: found.byteOffset, payload: found.payload };
        }
        this.#reading.output.addFrame(this.#reading.headers.named(found));
        continue;
      }
      this.#reading.output.addFrame(found.bytes);
      if (kind === "ecgHr") this.#reading.heartRate.receive(found.payload);
      if (kind === "ecgRaw") this.#readWaveform(found.payload);
      if (kind === "gnss") this.#readGnss(found);
    }
  }

  csv(): Uint8Array {
    return this.#reading.output.csv();
  }

  columns(): SampleBatch {
    return this.#reading.output.columns();
  }

  frames(): Uint8Array {
    return this.#reading.output.frames();
  }

  beats(): BeatBatch {
    const { beats } = this.#reading;
    return {
      length: beats.length,
      timestampMs: Float64Array.from(beats, ({ timeMs }) => timeMs),
      rrMs: Float64Array.from(beats, ({ rrMs }) => rrMs),
      quality: Uint8Array.from(beats, ({ quality }) => quality),
    };
  }

  rangeBreaks(): RangeBreak[] {
    return this.#reading.output.rangeBreaks();
  }

  produced(): Produced {
    const { rows, start, end, spans } = this.#reading.produced;
    return { rows, start, end, spans: spans.map((span) => ({ ...span })) };
  }

  recorded(): Recorded {
    const { ranges } = this.#reading;
    return { ranges: ranges.count, ms: ranges.lengthMs };
  }

  ecgRawHz(): number {
    return this.#reading.ecgRawHz;
  }

  ecgFigures(): EcgFigures | null {
    const { settings, ecgSums } = this.#reading;
    return settings.analysesEcg || settings.output === "beats" ? figuresOf(ecgSums) : null;
  }

  report(): Report {
    const { search, account, ranges } = this.#reading;
    return {
      bytes: { total: search.totalBytes, ...account.bytes, skipped: search.skippedBytes },
      frames: { ...account.frames },
      damage: { ...account.damage },
      ...(account.firstDamage !== undefined && { firstDamage: account.firstDamage }),
      rows: { ...account.rows },
      gnssWithoutRow: { ...account.gnssWithoutRow },
      start: ranges.earliestMs,
      end: ranges.latestMs,
      ranges: ranges.list(),
    };
  }

  #readGnss(frame: Frame): void {
    const { account, heartRate, ranges } = this.#reading;
    const fix = readFix(frame.payload);
    if (typeof fix === "string") {
      account.gnssWithoutRow[fix] += 1;
      return;
    }
    const reading = heartRate.readingAt(fix.timestampMs);
    const hr = reading?.beatsPerMinute ?? 0;
    account.rows.total += 1;
    if (hr > 0) account.rows.withHr += 1;
    if (reading?.isDerived === true) account.rows.withDerivedHr = (account.rows.withDerivedHr ?? 0) + 1;
    if (fix.fixType === 2) account.rows.twoD += 1;
    if (heartRate.replaced > 0) account.rows.replacedHr = heartRate.replaced;
    if (fix.timestampMs < (ranges.lastMs ?? fix.timestampMs))
      account.rows.backwards = (account.rows.backwards ?? 0) + 1;
    ranges.add(fix.timestampMs);
    this.#produce({ ...fix, hr });
  }

  /**
   * Uses the library's detector, separately from the engines, to compare how the engines call it and join its
   * readings. test/beat-detector.test.ts measures its accuracy.
   */
  #readWaveform(payload: Uint8Array): void {
    const view = fields(payload);
    this.#reading.ecgRawHz = view.getUint16(8, true);
    const timeMs = Number(view.getBigUint64(0, true));
    this.#reading.waveform.add(timeMs, view.getUint16(8, true), view, 16, view.getUint16(12, true));
  }

  #produce(sample: Sample & Quality): void {
    const { settings, produced, ranges, output } = this.#reading;
    const { timestampMs } = sample;
    if (timestampMs < settings.fromMs || timestampMs > settings.toMs) return;
    const beginsRange = produced.rangeNumber !== ranges.count;
    output.addSample(sample, beginsRange);
    produced.rangeNumber = ranges.count;
    produced.rows += 1;
    produced.start = Math.min(timestampMs, produced.start ?? timestampMs);
    produced.end = Math.max(timestampMs, produced.end ?? timestampMs);
    const span = produced.spans.at(-1);
    if (beginsRange || span === undefined) {
      produced.spans.push({ start: timestampMs, end: timestampMs });
    } else {
      span.start = Math.min(timestampMs, span.start);
      span.end = Math.max(timestampMs, span.end);
    }
  }
}

/** The state of one recording during reading. */
interface Reading {
  readonly settings: EngineSettings;
  readonly search: FrameSearch;
  readonly headers: Headers;
  readonly heartRate: HeartRateJoin;
  readonly waveform: WaveformHeartRate;
  readonly ecgSums: WaveformSums;
  /** The beats of this step. */
  readonly beats: { timeMs: number; rrMs: number; quality: number }[];
  readonly ranges: RowRanges;
  readonly account: Account;
  readonly produced: Produced & {
    /** The range, counted from 1, of the last produced row. */
    rangeNumber: number;
  };
  /** Whether the next valid frame is the first and must be a header. */
  headerDue: boolean;
  /** Sample rate of the last waveform frame. */
  ecgRawHz: number;
  output: StepOutput;
}

/** The part of the report that is counted frame by frame. */
interface Account extends Pick<Report, "frames" | "damage" | "firstDamage" | "rows" | "gnssWithoutRow"> {
  bytes: Pick<Report["bytes"], "known" | "unknown">;
}

function newReading(settings: EngineSettings): Reading {
  const heartRate = new HeartRateJoin(settings.fillHrMs, settings.hr);
  const beats: Reading["beats"] = [];
  const ecgSums: WaveformSums = {
    ecgSeconds: 0,
    ecgReadings: 0,
    ecgReadingSum: 0,
    ecgReadingMax: 0,
    rrPairs: 0,
    rrSquares: 0,
  };
  return {
    settings,
    search: new FrameSearch(),
    headers: new Headers(settings.serial),
    heartRate,
    waveform: new WaveformHeartRate(
      {
        onBeat: (timeMs, rrMs, quality) => beats.push({ timeMs, rrMs, quality }),
        onReading: (timeMs, bpm) => heartRate.derive(timeMs, bpm),
      },
      ecgSums,
    ),
    ecgSums,
    beats,
    ranges: new RowRanges(),
    account: {
      bytes: { known: 0, unknown: 0 },
      frames: { header: 0, gnss: 0, ecgHr: 0, ecgRaw: 0, unknown: 0 },
      damage: { badChecksums: 0, overlong: 0, overruns: 0 },
      rows: { total: 0, withHr: 0, twoD: 0 },
      gnssWithoutRow: { noDateOrTime: 0, noFixOk: 0, fixType: 0, outOfRange: 0, badDate: 0 },
    },
    produced: { rows: 0, start: null, end: null, spans: [], rangeNumber: 0 },
    headerDue: settings.needsHeader,
    ecgRawHz: 0,
    output: new StepOutput(settings),
  };
}
