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
import type { LabelledSamples } from "asi-convert";
import { FIX_2D, type SampleColumns, sliceColumns } from "../../store/samples/index.js";

/** Maximum size of a text column in a batch. A label can be long, and is repeated in every row. */
const MAX_LABEL_BYTES = 1024 * 1024;

/** Marks the end of a stream (Apache Arrow, "Columnar Format", "IPC Streaming Format"). */
const END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

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
  of(samples: SampleColumns): Values;
}

/** The columns `rows/1` of docs/formats.md. */
const COLUMNS: readonly SampleColumn[] = [
  {
    name: "timestamp",
    type: timestamp(TimeUnit.MILLISECOND, "UTC"),
    isNullable: false,
    of: ({ timestampMs, length }) => complete(int64Of(timestampMs, length)),
  },
  fraction("latitude", 7, ({ latitudeE7 }) => latitudeE7),
  fraction("longitude", 7, ({ longitudeE7 }) => longitudeE7),
  {
    name: "altitude",
    type: float64(),
    isNullable: true,
    of: ({ altitudeMm, fixType, length }) => ({
      values: quotients(altitudeMm, length, 3),
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
    of: (samples) => complete(quotients(of(samples), samples.length, digits)),
  };
}

const complete = (values: Values["values"]): Values => ({ values, validity: new Uint8Array(), nullCount: 0 });

/** Division, not multiplication by the inverse, gives the double nearest to the decimal value. */
function quotients(integers: Int32Array, length: number, digits: number): Float64Array {
  const divisor = 10 ** digits;
  const values = new Float64Array(length);
  for (let i = 0; i < length; i++) values[i] = (integers[i] ?? 0) / divisor;
  return values;
}

function int64Of(integers: Float64Array, length: number): BigInt64Array {
  const view = new DataView(new ArrayBuffer(8 * length));
  for (let i = 0; i < length; i++) {
    const value = integers[i] ?? 0;
    const high = Math.floor(value / 2 ** 32);
    view.setUint32(8 * i, value - high * 2 ** 32, true);
    view.setInt32(8 * i + 4, high, true);
  }
  return new BigInt64Array(view.buffer);
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

/** A text that is the same in all rows. */
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

function sampleColumn({ type, of }: SampleColumn, samples: SampleColumns): Column<unknown> {
  return new Column([new Batch<unknown>({ length: samples.length, type, ...of(samples) })]);
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
 */
export async function* arrowStream(
  groups: Iterable<LabelledSamples> | AsyncIterable<LabelledSamples>,
  { labels: names, metadata }: { labels: readonly string[]; metadata: Readonly<Record<string, string>> },
): AsyncGenerator<Uint8Array, void, undefined> {
  const fields = [
    ...names.map((name) => field(name, utf8(), false)),
    ...COLUMNS.map(({ name, type, isNullable }) => field(name, type, isNullable)),
  ];
  const schema = { fields, metadata: new Map(Object.entries(metadata)) };
  const messages = (columns: Column<unknown>[]): Uint8Array => {
    const stream = tableToIPC(new Table(schema, columns), { format: "stream" });
    if (stream === null) throw new Error("Arrow wrote no bytes");
    return stream.subarray(0, stream.length - END.length);
  };
  const beginning = messages(fields.map(({ type }) => new Column<unknown>([], type)));
  yield beginning;
  for await (const { labels, samples } of groups) {
    for await (const batch of samples) {
      for (const part of parts(batch, labels)) {
        const columns = [
          ...labels.map((text) => labelColumn(text, part.length)),
          ...COLUMNS.map((column) => sampleColumn(column, part)),
        ];
        // The library writes the schema before the batch.
        yield messages(columns).subarray(beginning.length);
      }
    }
  }
  yield END.slice();
}
