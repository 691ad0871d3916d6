import {
  Batch,
  Column,
  type DataType,
  field,
  float64,
  Table,
  TimeUnit,
  tableToIPC,
  timestamp,
  uint8,
  utf8,
} from "@uwdata/flechette";
import type { FormatSamplesOptions, LabelledSamples } from "asi-convert";
import { FIX_2D, type SampleColumns, sliceColumns } from "../../store/samples/index.js";

/** Maximum size of a text column in a batch. A label can be long, and is repeated in every row. */
const MAX_LABEL_BYTES = 1024 * 1024;

/** Returns memory of exactly `length` bytes, with any content. */
export type Allocate = NonNullable<FormatSamplesOptions["allocate"]>;

/** Maximum size of a piece of a file, as in `formatSamples`. */
export const PIECE_BYTES = 64 * 1024;

/** Size of the end-of-stream marker (Apache Arrow, "Columnar Format", "IPC Streaming Format"). */
const END_BYTES = 8;

/** The part of a column in one batch. */
interface Values {
  values: BigInt64Array | Float64Array | Uint8Array;
  /**
   * One bit for each row, lowest bit first. The bit is set if the row contains a value. Empty if all rows contain one.
   */
  validity: Uint8Array;
  nullCount: number;
}

interface SampleColumn {
  name: string;
  type: DataType;
  isNullable: boolean;
  /** @returns values that are valid until the next call with the same memory */
  of(samples: SampleColumns, memory: ColumnMemory): Values;
}

/** Memory for a column. Each batch overwrites it. */
class ColumnMemory {
  #bytes = new ArrayBuffer(0);

  /** @returns at least `bytes` bytes, with any content */
  take(bytes: number): ArrayBuffer {
    if (this.#bytes.byteLength < bytes) this.#bytes = new ArrayBuffer(bytes);
    return this.#bytes;
  }
}

/** The columns `rows/1` of docs/formats.md. */
const COLUMNS: readonly SampleColumn[] = [
  {
    name: "timestamp",
    type: timestamp(TimeUnit.MILLISECOND, "UTC"),
    isNullable: false,
    of: ({ timestampMs, length }, memory) => complete(int64Of(timestampMs, length, memory)),
  },
  fraction("latitude", 7, ({ latitudeE7 }) => latitudeE7),
  fraction("longitude", 7, ({ longitudeE7 }) => longitudeE7),
  {
    name: "altitude",
    type: float64(),
    isNullable: true,
    of: ({ altitudeMm, fixType, length }, memory) => ({
      values: quotients(altitudeMm, length, 3, memory),
      ...missingWhere(fixType, FIX_2D, length),
    }),
  },
  fraction("speed", 3, ({ speedMmPerS }) => speedMmPerS),
  {
    name: "hr",
    type: uint8(),
    isNullable: true,
    of: ({ hr, length }) => ({ values: hr.subarray(0, length), ...missingWhere(hr, 0, length) }),
  },
];

function fraction(name: string, digits: number, of: (samples: SampleColumns) => Int32Array): SampleColumn {
  return {
    name,
    type: float64(),
    isNullable: false,
    of: (samples, memory) => complete(quotients(of(samples), samples.length, digits, memory)),
  };
}

const complete = (values: Values["values"]): Values => ({ values, validity: new Uint8Array(), nullCount: 0 });

/**
 * Divides integers by a power of ten. Division, not multiplication by the inverse, gives the double nearest to the decimal value.
 */
function quotients(integers: Int32Array, length: number, digits: number, memory: ColumnMemory): Float64Array {
  const divisor = 10 ** digits;
  const values = new Float64Array(memory.take(8 * length), 0, length);
  for (let i = 0; i < length; i++) values[i] = (integers[i] ?? 0) / divisor;
  return values;
}

function int64Of(integers: Float64Array, length: number, memory: ColumnMemory): BigInt64Array {
  const view = new DataView(memory.take(8 * length));
  for (let i = 0; i < length; i++) {
    const value = integers[i] ?? 0;
    const high = Math.floor(value / 2 ** 32);
    view.setUint32(8 * i, value - high * 2 ** 32, true);
    view.setInt32(8 * i + 4, high, true);
  }
  return new BigInt64Array(view.buffer, 0, length);
}

function missingWhere(
  marks: Uint8Array,
  mark: number,
  length: number,
): Pick<Values, "validity" | "nullCount"> {
  const validity = new Uint8Array((length + 7) >> 3);
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    if (marks[i] === mark) nullCount++;
    else validity[i >> 3] = (validity[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return { validity, nullCount };
}

/** Returns a column with the same text in all rows. */
function labelColumn(text: string, length: number): Column<string> {
  const bytes = Buffer.from(text);
  const values = new Uint8Array(bytes.length * length);
  const offsets = new Int32Array(length + 1);
  for (let i = 0; i < length; i++) {
    values.set(bytes, i * bytes.length);
    offsets[i + 1] = (i + 1) * bytes.length;
  }
  const type = utf8();
  return new Column([
    new Batch<string>({ length, nullCount: 0, type, validity: new Uint8Array(), values, offsets }),
  ]);
}

function sampleColumn(
  { type, of }: SampleColumn,
  samples: SampleColumns,
  memory: ColumnMemory,
): Column<unknown> {
  return new Column([new Batch<unknown>({ length: samples.length, type, ...of(samples, memory) })]);
}

/** Receives the bytes of an Arrow stream without copying them. */
class Views {
  readonly all: Uint8Array[] = [];
  bytes = 0;

  write(view: Uint8Array): void {
    this.all.push(view);
    this.bytes += view.length;
  }

  pad(bytes: number): void {
    this.write(new Uint8Array(bytes));
  }

  finish(): null {
    return null;
  }
}

/** Copies the bytes `from` to `to`, exclusive, into pieces of at most `PIECE_BYTES`. */
function* copyViews(views: Views, from: number, to: number, allocate: Allocate): Generator<Uint8Array> {
  let piece = allocate(Math.min(PIECE_BYTES, to - from));
  let filled = 0;
  let begin = 0;
  for (const view of views.all) {
    const end = begin + view.length;
    for (let at = Math.max(begin, from); at < Math.min(end, to); ) {
      const count = Math.min(piece.length - filled, Math.min(end, to) - at);
      piece.set(view.subarray(at - begin, at - begin + count), filled);
      filled += count;
      at += count;
      if (filled < piece.length) continue;
      yield piece;
      if (at < to) piece = allocate(Math.min(PIECE_BYTES, to - at));
      filled = 0;
    }
    begin = end;
  }
}

/** Splits samples so that no text column of a batch is larger than `MAX_LABEL_BYTES`. */
function* parts(samples: SampleColumns, labels: readonly string[]): Generator<SampleColumns> {
  const longest = Math.max(1, ...labels.map((text) => Buffer.byteLength(text)));
  const most = Math.ceil(MAX_LABEL_BYTES / longest);
  for (let at = 0; at < samples.length; at += most)
    yield sliceColumns(samples, at, Math.min(at + most, samples.length));
}

/**
 * Writes samples as an Arrow IPC stream: one record batch for each batch of samples, so it needs little memory.
 * @param groups samples with the same texts; each group is read once, when the previous one has been written
 * @param options.labels names of text columns, which come first
 * @param options.metadata metadata of the schema; `schema` names the columns and their version
 * @param options.allocate returns the memory of a piece
 */
export async function* arrowStream(
  groups: Iterable<LabelledSamples> | AsyncIterable<LabelledSamples>,
  {
    labels: names,
    metadata,
    allocate = (length) => new Uint8Array(length),
  }: {
    labels: readonly string[];
    metadata: Readonly<Record<string, string>>;
    allocate?: Allocate | undefined;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  const fields = [
    ...names.map((name) => field(name, utf8(), false)),
    ...COLUMNS.map(({ name, type, isNullable }) => field(name, type, isNullable)),
  ];
  const schema = { fields, metadata: new Map(Object.entries(metadata)) };
  const viewsOf = (columns: Column<unknown>[]): Views => {
    const views = new Views();
    tableToIPC(new Table(schema, columns), { format: "stream", sink: views });
    return views;
  };
  const beginning = viewsOf(fields.map(({ type }) => new Column<unknown>([], type)));
  const beginningBytes = beginning.bytes - END_BYTES;
  yield* copyViews(beginning, 0, beginningBytes, allocate);
  const memories = COLUMNS.map(() => new ColumnMemory());
  for await (const { labels, samples } of groups) {
    for await (const batch of samples) {
      for (const part of parts(batch, labels)) {
        const views = viewsOf([
          ...labels.map((text) => labelColumn(text, part.length)),
          ...COLUMNS.map((column, i) => sampleColumn(column, part, memories[i] ?? new ColumnMemory())),
        ]);
        // The library writes the schema before the batch, and the end-of-stream marker after it.
        yield* copyViews(views, beginningBytes, views.bytes - END_BYTES, allocate);
      }
    }
  }
  yield* copyViews(beginning, beginningBytes, beginning.bytes, allocate);
}
