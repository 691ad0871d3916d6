import { AsiError, decode, decodeTrack, type SampleBatch } from "asi-convert";
import type { FactsOfFile } from "./prepare.js";
import { inPageWords } from "./refused-file.js";

export interface RecordingContent {
  batches: SampleBatch[];
  facts: FactsOfFile;
}

export interface FileContent extends RecordingContent {
  /** The file, or its unpacked content. */
  unpacked: File;
  /** Whether a compressed file is truncated. Only its first part is then available. */
  isCut: boolean;
}

interface Options {
  /** Serial number for a log of a receiver, which has no header. */
  serial: string | null;
  /** Called with the number of bytes read so far. */
  onProgress: (bytes: number) => void;
  signal?: AbortSignal;
  /** Reads the available part of a truncated compressed file instead of refusing it. */
  mayBeCut?: boolean;
  /** Also reads the quality of the rows of a recording. */
  quality?: boolean;
}

/**
 * Reads a file of any format that the library supports.
 *
 * @throws AsiError with the codes of `decode` and `decodeTrack`, and a message for the user; `BAD_CSV`, `BAD_ROW`; `ABORTED`
 */
export async function readFile(file: File, options: Options): Promise<FileContent> {
  if (file.size === 0)
    throw new AsiError("NOT_A_RECORDING", "The file is empty. Copy it from the device again.");
  const packed = await firstBytes(file);
  const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
  const { unpacked, isCut } = isPacked
    ? await unpack(file, options.mayBeCut === true)
    : { unpacked: file, isCut: false };
  const first = isPacked ? await firstBytes(unpacked) : packed;
  try {
    return { ...(await read(unpacked, kindOf(first), options)), unpacked, isCut };
  } catch (error) {
    throw inPageWords(error);
  }
}

const firstBytes = async (file: File) => new Uint8Array(await file.slice(0, FIRST_BYTES).arrayBuffer());

/**
 * Maximum size of an unpacked file: a week at 10 Hz with ECG. A limit is necessary, because a small compressed file can expand to any size.
 */
const MOST_UNPACKED_BYTES = 2 ** 31;

/** Unpacks a gzip file. */
async function unpack(file: File, mayBeCut: boolean): Promise<{ unpacked: File; isCut: boolean }> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let isCut = false;
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.length;
      if (bytes > MOST_UNPACKED_BYTES)
        throw new AsiError("BAD_GZIP", "The file is too large when it is unpacked.");
      pieces.push(next.value);
    }
  } catch (error) {
    if (error instanceof AsiError) throw error;
    isCut = mayBeCut && bytes > 0;
    if (!isCut) throw new AsiError("BAD_GZIP", "The gzip file is damaged or incomplete. Copy it again.");
  }
  return { unpacked: new File(pieces, file.name.replace(/\.gz$/i, "")), isCut };
}

async function read(
  file: File,
  kind: ReturnType<typeof kindOf>,
  { serial, onProgress, signal, quality = false }: Options,
): Promise<RecordingContent> {
  const chunks = counted(file, onProgress, signal);
  const about = {
    fileName: file.name,
    fileBytes: file.size,
    info: null,
    report: null,
    cutOff: null,
    engine: null,
    notes: [],
  };
  switch (kind) {
    case "asi": {
      const decoding = decode(chunks, { quality, ...(serial !== null && { serial }) });
      const batches = await collect(decoding);
      const [info, report, engine] = await Promise.all([decoding.info, decoding.report, decoding.engine]);
      return { batches, facts: { ...about, kind, info, report, engine } };
    }
    case "csv": {
      const { decodeCsv } = await import("asi-convert/csv");
      return {
        batches: await collect(decodeCsv(chunks)),
        facts: { ...about, kind, notes: ["Times without an offset are read as UTC."] },
      };
    }
    case "track": {
      const decoding = decodeTrack(chunks);
      const batches = await collect(decoding);
      const summary = await decoding.summary;
      const { format: kind, damage: cutOff, intervals } = summary;
      return { batches, facts: { ...about, kind, cutOff, intervals, notes: notesOn(summary) } };
    }
  }
}

function notesOn({
  leftOut: { withoutPosition, withoutTime },
  speedsFromPositions,
  speedUnit,
}: Awaited<ReturnType<typeof decodeTrack>["summary"]>): string[] {
  const notes: string[] = [];
  if (withoutPosition > 0) notes.push(`Points without a position, left out: ${withoutPosition}.`);
  if (withoutTime > 0) notes.push(`Points without a time, left out: ${withoutTime}.`);
  if (speedsFromPositions > 0) notes.push(`Speeds computed from positions: ${speedsFromPositions}.`);
  if (speedUnit === "km/h")
    notes.push("The file contains speeds in km/h instead of m/s. They are converted.");
  return notes;
}

const FIRST_BYTES = 1024;

/** Detects the format of a file by its first bytes. The reader of recordings receives unknown formats and reports the error. */
function kindOf(first: Uint8Array): "asi" | "csv" | "track" {
  const isFit = [0x2e, 0x46, 0x49, 0x54].every((byte, i) => first[8 + i] === byte);
  const isWide = (first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff);
  if (isFit || isWide) return "track";
  const text = new TextDecoder().decode(first).trimStart();
  if (text.startsWith("<")) return "track";
  // A line of words with separators. Frames of a receiver never match it.
  return /^[\p{L}"][\p{L}\d _."/()-]*[,;\t](?:\t|[^\p{Cc}\uFFFD])*\r?\n/u.test(text) ? "csv" : "asi";
}

/**
 * Maximum number of rows: eleven days at 10 Hz. A row takes up to about 250 bytes of memory, and a browser ends a tab without warning if it
 * uses too much.
 */
const MOST_ROWS = 10_000_000;

/** @throws Error if there are more rows than the page can show */
export async function collect(
  decoding: AsyncIterable<SampleBatch>,
  mostRows = MOST_ROWS,
): Promise<SampleBatch[]> {
  const batches: SampleBatch[] = [];
  let rows = 0;
  for await (const batch of decoding) {
    rows += batch.length;
    if (rows > mostRows) {
      throw new Error(
        `The file has more than ${mostRows.toLocaleString("en")} rows, too many to show. Divide it first, for example with asi convert --split.`,
      );
    }
    batches.push(batch);
  }
  return batches;
}

// Uses a reader, because Safari cannot iterate over a stream.
async function* counted(
  file: File,
  onProgress: (bytes: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (signal?.aborted) throw new AsiError("ABORTED", "Reading was cancelled.");
      yield next.value;
      bytes += next.value.length;
      onProgress(bytes);
    }
  } finally {
    await reader.cancel();
  }
}
