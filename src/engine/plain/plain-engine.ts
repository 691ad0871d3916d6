import { PlainRowWriter } from "../../rows/row-text/plain-row-writer.js";
import type { BeatBatch, Report, SampleBatch } from "../../types.js";
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
import type { EcgFigures } from "../heart-rate/waveform-figures.js";
import { EcgFrames } from "./ecg-frames.js";
import { checksum, PrefixSums } from "./fletcher.js";
import { GnssRows, MIN_GNSS_BYTES } from "./gnss-rows.js";
import { HeaderSerials } from "./header-serials.js";

/** Size of a frame without its payload: sync (2), class, id, length (2), checksum (2). UBX interface description. */
const ENVELOPE_BYTES = 8;
/** The maximum payload of a frame (docs/recording-format.md, "Frames"). */
const MAX_PAYLOAD_BYTES = 8192;

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
  readonly #sums = new PrefixSums(this.#bytes);
  readonly #headers = new HeaderSerials();
  readonly #counters = Object.fromEntries(COUNTERS.map((field) => [field, 0])) as Counters;
  readonly #ecg = new EcgFrames(this.#view, this.#counters);
  readonly #rows = new GnssRows(this.#view, this.#output, this.#counters, this.#ecg.heartRates, MAX_ROWS);
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
    this.#needsHeader = settings.needsHeader;
    this.#isStrict = settings.strict;
    this.#head = 0;
    this.#tail = 0;
    this.#passed = 0;
    this.#out = 0;
    this.#ranges = new RangeLog();
    this.#sums.drop();
    this.#headers.reset(settings.serial);
    this.#ecg.reset(settings);
    this.#rows.reset(settings);
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
    this.#rows.counted.beginStep();
    this.#ecg.beginStep();
    const signal = this.#read(final);
    if (final && signal === DRAINED) this.#ecg.end();
    this.#putKept();
    this.#ranges.append(this.#rows.counted.closed, this.#rows.counted.breaks);
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
            this.#out = this.#rows.read(at + 6, this.#out);
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
    const counters = this.#counters;
    const size = length + ENVELOPE_BYTES;
    if (this.#ecg.read(kind, payload, length)) {
      counters.knownBytes += size;
    } else {
      counters.unknownFrames += 1;
      counters.unknownBytes += size;
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
    return this.#rows.columns(this.#out);
  }

  beats(): BeatBatch {
    return this.#ecg.beats();
  }

  rangeBreaks(): RangeBreak[] {
    const { breaks } = this.#rows.counted;
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
    return this.#ecg.figures();
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
