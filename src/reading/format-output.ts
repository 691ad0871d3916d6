import type { Engine } from "../engine/engine.js";
import type { FormatWriter, OpenFormat } from "../formats/format.js";
import type { BeatBatch, RecordingInfo, SampleBatch } from "../types.js";
import type { Headers, Output } from "./output.js";
import type { RowThinning } from "./row-thinning.js";

/** Writes rows in a format, to one file or to a file for each range. */
export class FormatOutput implements Output<Uint8Array> {
  readonly reads = "columns";
  beginsFile = false;
  readonly #open: OpenFormat;
  readonly #split: boolean;
  readonly #thinning: RowThinning | null;
  #writer: FormatWriter | null = null;
  // whether the writer has received rows; a format may produce no output until it has received all rows
  #hasRows = false;
  readonly #beats: BeatBatch[] = [];
  // whether the next piece starts a file
  #isNew = true;

  /**
   * @param split whether to write a separate file for each range
   * @param thinning selects the rows; null to keep all
   */
  constructor(open: OpenFormat, split: boolean, thinning: RowThinning | null) {
    this.#open = open;
    this.#split = split;
    this.#thinning = thinning;
  }

  *step(engine: Engine, { info }: Headers): Generator<Uint8Array> {
    if (this.#open.takesBeats === true) this.#beats.push(engine.beats());
    const columns = engine.columns();
    if (columns.length === 0) return;
    let writer = this.#writer ?? this.#openWriter(engine, info);
    // a format that does not represent ranges receives all rows of a step at once
    const hasRanges = this.#split || writer.startRange !== undefined;
    const all = {
      batch: columns,
      breaks: hasRanges || this.#thinning !== null ? engine.rangeBreaks() : [],
    };
    const { batch, breaks } = this.#thinning?.step(all) ?? all;
    let from = 0;
    let measured = 0;
    for (const [range, { outputOffset: to }] of hasRanges ? breaks.entries() : []) {
      measured = this.#measure(writer, columns, measured, all.breaks[range]?.outputOffset);
      yield* this.#rows(writer, batch, from, to);
      if (this.#split && this.#hasRows) {
        yield* this.#pieces(writer.end(engine.report()));
        writer = this.#openWriter(engine, info);
      }
      if (writer.startRange !== undefined) yield* this.#pieces(writer.startRange());
      from = to;
    }
    this.#measure(writer, columns, measured);
    yield* this.#rows(writer, batch, from, batch.length);
  }

  /** Passes all rows to a format with totals, if only some of the rows are written. Returns `to`. */
  #measure(writer: FormatWriter, batch: SampleBatch, from: number, to = batch.length): number {
    if (this.#thinning !== null && to > from) writer.measure?.(batch, from, to);
    return to;
  }

  *end(engine: Engine): Generator<Uint8Array> {
    const writer = this.#writer;
    if (writer === null) return;
    if (this.#thinning !== null) {
      const { batch } = this.#thinning.end();
      yield* this.#rows(writer, batch, 0, batch.length);
    }
    yield* this.#pieces(writer.end(engine.report(), this.#beats));
  }

  #openWriter(engine: Engine, info: RecordingInfo): FormatWriter {
    this.#writer = this.#open({ info, rowWriter: engine.rowWriter });
    this.#hasRows = false;
    this.#isNew = true;
    return this.#writer;
  }

  *#rows(writer: FormatWriter, batch: SampleBatch, from: number, to: number): Generator<Uint8Array> {
    if (to <= from) return;
    this.#hasRows = true;
    yield* this.#pieces(writer.rows(batch, from, to));
  }

  *#pieces(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      this.beginsFile = this.#isNew;
      this.#isNew = false;
      yield piece;
    }
  }
}
