import { newQuality, qualityBetween } from "../../metrics/quality.js";
import { newBatch, rowsBetween } from "../../rows/sample-batch.js";
import type { SampleBatch, SampleQuality } from "../../types.js";
import type { EngineSettings, OutputKind } from "../engine.js";
import type { Counters } from "../engine-counters.js";
import { Clock } from "./clock.js";
import { CsvLines } from "./csv-lines.js";
import type { HeartRates } from "./heart-rates.js";
import { RowCounters } from "./row-counters.js";

/** The minimum payload of a NAV-PVT, from u-blox 7. */
export const MIN_GNSS_BYTES = 84;

/** Converts NAV-PVT to rows. The core reads the same fields in assembly/gnss.ts and assembly/run.ts. */
export class GnssRows {
  /** Counts the rows of the recording and of the last step. */
  readonly counted: RowCounters;
  readonly #view: DataView;
  readonly #counters: Counters;
  readonly #heartRates: HeartRates;
  readonly #maxRows: number;
  readonly #csv: CsvLines;
  readonly #columns: SampleBatch;
  // null if the quality of rows is not required
  #quality: SampleQuality | null = null;
  readonly #clock = new Clock();
  #kind: OutputKind = "none";

  /**
   * @param view the input
   * @param output memory for CSV
   * @param maxRows maximum number of rows of a step
   */
  constructor(
    view: DataView,
    output: Uint8Array,
    counters: Counters,
    heartRates: HeartRates,
    maxRows: number,
  ) {
    this.#view = view;
    this.#counters = counters;
    this.#heartRates = heartRates;
    this.#maxRows = maxRows;
    this.#csv = new CsvLines(output);
    this.#columns = newBatch(maxRows);
    this.counted = new RowCounters(counters, maxRows);
  }

  reset({ output, quality, fromMs, toMs }: EngineSettings): void {
    this.#kind = output;
    this.#quality = quality ? (this.#quality ?? newQuality(this.#maxRows)) : null;
    this.#clock.reset();
    this.counted.reset(fromMs, toMs);
  }

  /**
   * Reads a NAV-PVT with at least 84 bytes of payload. Outputs a row, or counts the first reason for rejecting it
   * (docs/recording-format.md, "Rows").
   *
   * @param at the end of the output: an offset in CSV, or an index in columns
   * @returns the new end of the output
   */
  read(payload: number, at: number): number {
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
      return this.#takeRow(payload, at, latitudeE7, longitudeE7, fixType);
    }
    return at;
  }

  #takeRow(payload: number, at: number, latitudeE7: number, longitudeE7: number, fixType: number): number {
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
    if (!this.counted.count(timestampMs, at)) return at;
    const altitudeMm = view.getInt32(payload + 36, true);
    const speed = view.getInt32(payload + 60, true);
    if (this.#kind === "csv") {
      return this.#csv.write(at, seconds, ms, latitudeE7, longitudeE7, altitudeMm, speed, hr, fixType);
    }
    if (this.#kind !== "columns") return at;
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
    return at + 1;
  }

  /** Returns the first `length` rows of the last step as columns, in the same memory. */
  columns(length: number): SampleBatch {
    const rows = rowsBetween(this.#columns, 0, length);
    if (this.#quality !== null) rows.quality = qualityBetween(this.#quality, 0, length);
    return rows;
  }
}
