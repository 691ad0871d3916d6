/** The content of an EDF+ file (www.edfplus.info/specs), read by a parser that follows only the specification. */
export interface EdfFile {
  reserved: string;
  recording: string;
  sampleRateHz: number;
  /** Excludes the samples that pad a record before a gap. */
  records: { startMs: number; samples: number[] }[];
}

const END_OF_FIELD = "\x14";
const DURATION = "\x15";

export function edfIn(bytes: Uint8Array): EdfFile {
  const text = (from: number, length: number) =>
    new TextDecoder("ascii", { fatal: true }).decode(bytes.subarray(from, from + length)).trimEnd();
  const number = (from: number, length: number) => Number(text(from, length));
  const signals = number(252, 4);
  const field = (offset: number, length: number, signal: number) =>
    text(256 + offset * signals + length * signal, length);
  if (
    text(0, 8) !== "0" ||
    signals !== 2 ||
    field(0, 16, 0) !== "ECG" ||
    field(0, 16, 1) !== "EDF Annotations"
  )
    throw new Error("no EDF+ file with one signal");
  const [date, clock] = [text(168, 8).split("."), text(176, 8).replaceAll(".", ":")];
  const startMs = Date.parse(`20${date[2]}-${date[1]}-${date[0]}T${clock}Z`);
  const seconds = number(244, 8);
  const count = Number(field(216, 8, 0));
  const listBytes = 2 * Number(field(216, 8, 1));
  const records: EdfFile["records"] = [];
  let at = number(184, 8);
  for (let i = 0; i < number(236, 8); i++) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 2 * count);
    const samples = Array.from({ length: count }, (_, k) => view.getInt16(2 * k, true));
    // each list: start, duration, text
    const [first = [], noSignal] = text(at + 2 * count, listBytes)
      .split("\0")
      .map((list) => list.split(END_OF_FIELD));
    const onsetS = Number(first[0]);
    const [fromS] = noSignal?.[1] === "No signal" ? (noSignal[0] ?? "").split(DURATION) : [];
    const filled = fromS === undefined ? count : Math.round(((Number(fromS) - onsetS) * count) / seconds);
    records.push({ startMs: startMs + 1000 * onsetS, samples: samples.slice(0, filled) });
    at += 2 * count + listBytes;
  }
  if (at !== bytes.length) throw new Error(`the file has ${bytes.length} bytes, its records end at ${at}`);
  return { reserved: text(192, 44), recording: text(88, 80), sampleRateHz: count / seconds, records };
}
