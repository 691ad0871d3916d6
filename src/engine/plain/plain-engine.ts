import { newQuality, qualityBetween } from "../../metrics/quality.js";
import { PlainRowWriter } from "../../rows/row-text/plain-row-writer.js";
import { newBatch, rowsBetween } from "../../rows/sample-batch.js";
import type { BeatBatch, Report, SampleBatch, SampleQuality } from "../../types.js";
import type {
  Engine,
  EngineSettings,
  OutputKind,
  Produced,
  RangeBreak,
  Recorded,
  StepResult,
} from "../engine.js";
import { COUNTERS, type Counters, DAMAGE_KINDS, FIRST_DAMAGE_SIGNAL, RangeLog } from "../engine-counters.js";
import { type EcgFigures, figuresOf } from "../heart-rate/waveform-figures.js";
import { WaveformHeartRate } from "../heart-rate/waveform-heart-rate.js";
import { Clock } from "./clock.js";
import { CsvLines } from "./csv-lines.js";
import { checksum, PrefixSums } from "./fletcher.js";
import { HeaderSerials } from "./header-serials.js";
import { HeartRates } from "./heart-rates.js";
import { RowCounters } from "./row-counters.js";

/** Size of a frame without its payload: sync (2), class, id, length (2), checksum (2). UBX interface description. */
const ENVELOPE_BYTES = 8;
/** The maximum payload of a frame (docs/recording-format.md, "Frames"). */
const MAX_PAYLOAD_BYTES = 8192;
/** The minimum payload of a NAV-PVT, from u-blox 7. */
const MIN_GNSS_BYTES = 84;

/** Maximum input of a step. */
const MAX_WRITTEN_BYTES = 0x40000;
// the input of a step, and at most one incomplete frame from the previous step
const INPUT_BYTES = MAX_WRITTEN_BYTES + 0x4000;
// A row is shorter than its frame, so the output of a step is never longer than its input. The margin is needed for overlapping
// writes.
const OUTPUT_BYTES = INPUT_BYTES + 64;
const MAX_ROWS = Math.floor(INPUT_BYTES / (MIN_GNSS_BYTES + ENVELOPE_BYTES)) + 1;

// class and id, as in the frame
const ASI_INF = 0x00a5;
const NAV_PVT = 0x0701;
const ECG_HR = 0x01a5;
const ECG_RAW = 0x02a5;

const SYNC_1 = 0xb5;
const SYNC_2 = 0x62;

/**
 * The decoder in TypeScript, for environments where WebAssembly is not allowed. It is about an eighth as fast as the core with
 * SIMD.
 */
export class PlainEngine implements Engine {
  readonly name = "plain";
  readonly rowWriter = new PlainRowWriter();
  readonly #bytes = new Uint8Array(INPUT_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #output = new Uint8Array(OUTPUT_BYTES);
  readonly #columns = newBatch(MAX_ROWS);
  // null if the output is not CSV
  #quality: SampleQuality | null = null;
  readonly #sums = new PrefixSums(this.#bytes);
  readonly #headers = new HeaderSerials();
  readonly #clock = new Clock();
  readonly #heartRates = new HeartRates();
  readonly #csv = new CsvLines(this.#output);
  readonly #counters = Object.fromEntries(COUNTERS.map((field) => [field, 0])) as Counters;
  readonly #rows = new RowCounters(this.#counters, MAX_ROWS);
  readonly #waveform = new WaveformHeartRate(
    {
      onBeat: (timeMs, rrMs, quality) => {
        if (this.#analysesEcg) this.#beats.push(timeMs, rrMs, quality);
      },
      onReading: (timeMs, bpm) => this.#heartRates.addDerived(timeMs, bpm),
    },
    this.#counters,
  );
  /** Three numbers for each beat of this step: time, RR interval, quality. */
  #beats: number[] = [];
  #analysesEcg = false;
  #ranges = new RangeLog();
  #kind: OutputKind = "none";
  #needsHeader = true;
  #isStrict = false;
  // the unread bytes are from #bytes[#head] to #bytes[#tail], exclusive
  #head = 0;
  #tail = 0;
  /** Offset in the input of #bytes[0]. */
  #passed = 0;
  /** Output of this step: bytes of CSV or frames, or rows of columns. */
  #out = 0;
  // consecutive frames that have not been copied to the output
  #keptFrom = 0;
  #keptTo = 0;

  reset(settings: EngineSettings): void {
    for (const field of COUNTERS) this.#counters[field] = 0;
    this.#kind = settings.output;
    this.#quality = settings.quality ? (this.#quality ?? newQuality(MAX_ROWS)) : null;
    this.#needsHeader = settings.needsHeader;
    this.#isStrict = settings.strict;
    this.#head = 0;
    this.#tail = 0;
    this.#passed = 0;
    this.#out = 0;
    this.#ranges = new RangeLog();
    this.#sums.drop();
    this.#headers.reset(settings.serial);
    this.#clock.reset();
    this.#heartRates.reset(settings.fillHrMs, settings.hr);
    this.#waveform.reset();
    this.#analysesEcg = settings.analysesEcg;
    this.#rows.reset(settings.fromMs, settings.toMs);
  }

  write(chunk: Uint8Array, offset: number): number {
    const wanted = Math.min(chunk.length - offset, MAX_WRITTEN_BYTES);
    if (INPUT_BYTES - this.#tail < wanted) this.#moveToFront();
    const taken = Math.min(wanted, INPUT_BYTES - this.#tail);
    this.#bytes.set(chunk.subarray(offset, offset + taken), this.#tail);
    this.#tail += taken;
    return taken;
  }

  #moveToFront(): void {
    this.#bytes.copyWithin(0, this.#head, this.#tail);
    this.#sums.moveToFront(this.#head);
    this.#passed += this.#head;
    this.#tail -= this.#head;
    this.#head = 0;
  }

  step(final: boolean): StepResult {
    this.#out = 0;
    this.#rows.beginStep();
    this.#beats = [];
    const signal = this.#read(final);
    if (final && signal === DRAINED) this.#waveform.end();
    this.#putKept();
    this.#ranges.append(this.#rows.closed, this.#rows.breaks);
    return signal;
  }

  #read(final: boolean): StepResult {
    const view = this.#view;
    const counters = this.#counters;
    const end = this.#tail;
    let at = this.#head;
    for (;;) {
      at = nextSync(this.#bytes, at, end);
      this.#head = at;
      const available = end - at;
      if (available < 2) {
        if (final) this.#head = end;
        return DRAINED;
      }
      const length = available < 6 ? 0 : view.getUint16(at + 4, true);
      const size = length + ENVELOPE_BYTES;
      let damage: keyof Report["damage"];
      if (length > MAX_PAYLOAD_BYTES) {
        damage = "overlong";
      } else if (available < size) {
        if (!final) return DRAINED;
        damage = "overruns";
      } else if (!this.#holds(at, at + 6 + length)) {
        damage = "badChecksums";
      } else {
        const kind = view.getUint16(at + 2, true);
        if (kind === ASI_INF) {
          this.#head = at + size;
          if (this.#takeHeader(at, length)) {
            const payload = this.#bytes.subarray(at + 6, at + 6 + length);
            return { kind: "header", byteOffset: this.#passed + at, payload };
          }
        } else if (this.#needsHeader) {
          return { kind: "notRecording", byteOffset: this.#passed + at };
        } else {
          if (kind === NAV_PVT && length >= MIN_GNSS_BYTES) {
            counters.gnssFrames += 1;
            counters.knownBytes += size;
            this.#readGnss(at + 6);
          } else {
            this.#takeOther(kind, at + 6, length);
          }
          if (this.#kind === "frames") this.#keep(at, at + size);
        }
        at += size;
        continue;
      }
      counters[damage] += 1;
      if (counters.damageSignal === 0) {
        counters.damageSignal = FIRST_DAMAGE_SIGNAL + DAMAGE_KINDS.indexOf(damage);
        counters.damageOffset = this.#passed + at;
        counters.damageAfterMs = counters.rows === 0 ? Number.NaN : counters.rangeStopMs;
      }
      if (this.#isStrict) return { kind: "damaged", byteOffset: this.#passed + at, damage };
      // Valid frames may be inside the span of an invalid frame, so the search continues after its first byte.
      at += 1;
    }
  }

  /** Returns whether the checksum of the frame at `at` is correct. `end` is the end of its payload. */
  #holds(at: number, end: number): boolean {
    if (this.#sums.covers(at)) return this.#sums.holds(at + 2, end, this.#tail);
    if (checksum(this.#view, at + 2, end) === this.#view.getUint16(end, true)) return true;
    // overlapping false frames may start here
    this.#sums.begin(at + 2, end);
    return false;
  }

  /** Counts a header. Returns whether it has new content. */
  #takeHeader(at: number, length: number): boolean {
    const size = length + ENVELOPE_BYTES;
    const payload = this.#bytes.subarray(at + 6, at + 6 + length);
    this.#counters.headerFrames += 1;
    this.#counters.knownBytes += size;
    this.#needsHeader = false;
    if (!this.#headers.repeats(payload)) return true;
    if (this.#kind !== "frames") return false;
    const renamed = this.#headers.renamed(payload);
    if (renamed === null) {
      this.#keep(at, at + size);
    } else {
      this.#putKept();
      this.#output.set(renamed, this.#out);
      this.#out += size;
    }
    return false;
  }

  #takeOther(kind: number, payload: number, length: number): void {
    const view = this.#view;
    const counters = this.#counters;
    const size = length + ENVELOPE_BYTES;
    if (kind === ECG_HR && length >= 12 && length === 12 + 2 * view.getUint8(payload + 10)) {
      counters.ecgHrFrames += 1;
      const timeMs = view.getUint32(payload, true) + view.getUint32(payload + 4, true) * 2 ** 32;
      this.#heartRates.add(timeMs, view.getUint8(payload + 8));
    } else if (kind === ECG_RAW && length >= 16 && length === 16 + 2 * view.getUint16(payload + 12, true)) {
      counters.ecgRawFrames += 1;
      counters.ecgRawHz = view.getUint16(payload + 8, true);
      this.#takeWaveform(payload);
    } else {
      counters.unknownFrames += 1;
      counters.unknownBytes += size;
      return;
    }
    counters.knownBytes += size;
  }

  #takeWaveform(payload: number): void {
    if (!this.#analysesEcg && !this.#heartRates.takesDerived) return;
    const view = this.#view;
    const timeMs = view.getUint32(payload, true) + view.getUint32(payload + 4, true) * 2 ** 32;
    const count = view.getUint16(payload + 12, true);
    this.#waveform.add(timeMs, view.getUint16(payload + 8, true), view, payload + 16, count);
  }

  /**
   * Reads a NAV-PVT with at least 84 bytes of payload. Outputs a row, or counts the first reason for rejecting it
   * (docs/recording-format.md, "Rows"). The core reads the same fields in assembly/gnss.ts and assembly/run.ts.
   */
  #readGnss(payload: number): void {
    const view = this.#view;
    const counters = this.#counters;
    const low = view.getInt32(payload + 4, true);
    const high = view.getInt32(payload + 8, true);
    const fixType = view.getUint8(payload + 20);
    const longitudeE7 = view.getInt32(payload + 24, true);
    const latitudeE7 = view.getInt32(payload + 28, true);
    if (((high >>> 24) & 3) !== 3) {
      counters.withoutDateOrTime += 1;
    } else if ((view.getUint8(payload + 21) & 1) === 0) {
      counters.withoutFixOk += 1;
    } else if (fixType < 2 || fixType > 4) {
      counters.withoutFixType += 1;
    } else if (
      latitudeE7 > 900_000_000 ||
      latitudeE7 < -900_000_000 ||
      longitudeE7 > 1_800_000_000 ||
      longitudeE7 < -1_800_000_000
    ) {
      counters.outOfRange += 1;
    } else if (!this.#clock.read(low, high)) {
      counters.withBadDate += 1;
    } else {
      this.#takeRow(payload, latitudeE7, longitudeE7, fixType);
    }
  }

  #takeRow(payload: number, latitudeE7: number, longitudeE7: number, fixType: number): void {
    const view = this.#view;
    const counters = this.#counters;
    let seconds = this.#clock.seconds;
    let ms = Math.floor((view.getInt32(payload + 16, true) + 500_000) / 1_000_000);
    if (ms < 0 || ms > 999) {
      const carried = Math.floor(ms / 1000);
      seconds += carried;
      ms -= carried * 1000;
    }
    const timestampMs = seconds * 1000 + ms;
    const hr = this.#heartRates.at(timestampMs);
    if (hr !== 0) {
      counters.rowsWithHr += 1;
      if (this.#heartRates.isDerived) counters.rowsWithDerivedHr += 1;
    }
    counters.replacedReadings = this.#heartRates.replaced;
    if (fixType === 2) counters.rowsTwoD += 1;
    const at = this.#out;
    if (!this.#rows.count(timestampMs, at)) return;
    const altitudeMm = view.getInt32(payload + 36, true);
    const speed = view.getInt32(payload + 60, true);
    if (this.#kind === "csv") {
      this.#out = this.#csv.write(at, seconds, ms, latitudeE7, longitudeE7, altitudeMm, speed, hr, fixType);
    } else if (this.#kind === "columns") {
      const columns = this.#columns;
      columns.timestampMs[at] = timestampMs;
      columns.latitudeE7[at] = latitudeE7;
      columns.longitudeE7[at] = longitudeE7;
      columns.altitudeMm[at] = altitudeMm;
      columns.speedMmPerS[at] = speed;
      columns.hr[at] = hr;
      columns.fixType[at] = fixType;
      if (this.#quality !== null) {
        this.#quality.satellites[at] = view.getUint8(payload + 23);
        this.#quality.speedAccuracyMmPerS[at] = view.getUint32(payload + 68, true);
        this.#quality.pdopHundredths[at] = view.getUint16(payload + 76, true);
      }
      this.#out = at + 1;
    }
  }

  /** Outputs the frames from `from` to `to`, immediately or together with later ones. */
  #keep(from: number, to: number): void {
    if (from !== this.#keptTo) {
      this.#putKept();
      this.#keptFrom = from;
    }
    this.#keptTo = to;
  }

  #putKept(): void {
    if (this.#keptTo === 0) return;
    this.#output.set(this.#bytes.subarray(this.#keptFrom, this.#keptTo), this.#out);
    this.#out += this.#keptTo - this.#keptFrom;
    this.#keptFrom = 0;
    this.#keptTo = 0;
  }

  csv(): Uint8Array {
    return this.#output.subarray(0, this.#out);
  }

  frames(): Uint8Array {
    return this.csv();
  }

  columns(): SampleBatch {
    const rows = rowsBetween(this.#columns, 0, this.#out);
    if (this.#quality !== null) {
      rows.quality = qualityBetween(this.#quality, 0, this.#out);
    }
    return rows;
  }

  beats(): BeatBatch {
    const numbers = this.#beats;
    const length = numbers.length / 3;
    const column = (place: number) => Float64Array.from({ length }, (_, i) => numbers[3 * i + place] ?? 0);
    return { length, timestampMs: column(0), rrMs: column(1), quality: Uint8Array.from(column(2)) };
  }

  rangeBreaks(): RangeBreak[] {
    const { breaks } = this.#rows;
    return Array.from({ length: breaks.length / 3 }, (_, i) => ({ outputOffset: breaks[3 * i] ?? 0 }));
  }

  produced(): Produced {
    return this.#ranges.produced(this.#counters);
  }

  recorded(): Recorded {
    return this.#ranges.recorded(this.#counters);
  }

  ecgRawHz(): number {
    return this.#counters.ecgRawHz;
  }

  ecgFigures(): EcgFigures | null {
    return this.#analysesEcg ? figuresOf(this.#counters) : null;
  }

  report(): Report {
    this.#counters.writtenBytes = this.#passed + this.#tail;
    this.#counters.readBytes = this.#passed + this.#head;
    return this.#ranges.report(this.#counters);
  }
}

const DRAINED: StepResult = { kind: "drained" };

/**
 * Returns the position of the next sync at or after `from`. If there is none, returns the position from which to search again.
 */
function nextSync(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; at + 1 < end; at++) {
    if (bytes[at] === SYNC_1 && bytes[at + 1] === SYNC_2) return at;
  }
  // the last byte may be the first half of a sync
  return from < end && bytes[end - 1] === SYNC_1 ? end - 1 : end;
}
