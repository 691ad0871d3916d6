import type { Engine, EngineSettings, Produced, RangeBreak, Recorded, Signal } from "../../src/engine.js";
import { PlainRowWriter } from "../../src/row-text/plain-row-writer.js";
import type { Report, SampleBatch } from "../../src/types.js";
import { frameKind } from "./frame-kind.js";
import { type Frame, FrameSearch } from "./frame-search.js";
import { readFix } from "./gnss-fix.js";
import { Headers } from "./headers.js";
import { HeartRateJoin } from "./heart-rate.js";
import { RowRanges } from "./row-ranges.js";
import type { Sample } from "./sample.js";
import { StepOutput } from "./step-output.js";

/**
 * The decoder written to be read beside the recording format, and not to be fast: what the tests hold the engines of the
 * library against.
 */
export class Oracle implements Engine {
  // the library has no name for it
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
  });

  reset(settings: EngineSettings): void {
    this.#reading = newReading({ ...settings });
  }

  write(chunk: Uint8Array, offset: number): number {
    return this.#reading.search.write(chunk, offset);
  }

  step(final: boolean): Signal {
    const { settings, search, account } = this.#reading;
    this.#reading.output = new StepOutput(settings.output);
    for (;;) {
      const found = search.next(final);
      if (found === null) return { kind: "drained" };
      if ("damage" in found) {
        account.damage[found.damage] += 1;
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
      if (kind === "ecgRaw") this.#reading.ecgRawHz = waveformHz(found.payload);
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

  report(): Report {
    const { search, account, ranges } = this.#reading;
    return {
      bytes: { total: search.totalBytes, ...account.bytes, skipped: search.skippedBytes },
      frames: { ...account.frames },
      damage: { ...account.damage },
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
    const hr = heartRate.heartRateAt(fix.timestampMs);
    account.rows.total += 1;
    if (hr > 0) account.rows.withHr += 1;
    if (fix.fixType === 2) account.rows.twoD += 1;
    ranges.add(fix.timestampMs);
    this.#produce({ ...fix, hr });
  }

  #produce(sample: Sample): void {
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

/** All that is known of one recording while it is read. */
interface Reading {
  readonly settings: EngineSettings;
  readonly search: FrameSearch;
  readonly headers: Headers;
  readonly heartRate: HeartRateJoin;
  readonly ranges: RowRanges;
  readonly account: Account;
  readonly produced: Produced & {
    /** The range, counted from 1, of the last produced row. */
    rangeNumber: number;
  };
  /** The first valid frame is still to come and must be a header. */
  headerDue: boolean;
  /** Sample rate of the last waveform frame. */
  ecgRawHz: number;
  output: StepOutput;
}

/** The part of the report that is counted frame by frame. */
interface Account extends Pick<Report, "frames" | "damage" | "rows" | "gnssWithoutRow"> {
  bytes: Pick<Report["bytes"], "known" | "unknown">;
}

// ECG-RAW: 8 u16 sample rate, Hz
function waveformHz(payload: Uint8Array): number {
  return (payload[8] ?? 0) | ((payload[9] ?? 0) << 8);
}

function newReading(settings: EngineSettings): Reading {
  return {
    settings,
    search: new FrameSearch(),
    headers: new Headers(settings.serial),
    heartRate: new HeartRateJoin(settings.fillHrMs),
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
    output: new StepOutput(settings.output),
  };
}
