import { decode, decodeTrack, type SampleBatch } from "asi-convert";
import type { FactsOfFile } from "./prepare.js";
import type { FileKind } from "./recording.js";

export interface FileContent {
  batches: SampleBatch[];
  facts: FactsOfFile;
}

/** Reads a file of any kind that the library reads. `onProgress` hears how many bytes have been read. */
export async function readFile(file: File, onProgress: (bytes: number) => void): Promise<FileContent> {
  const kind = kindOf(new Uint8Array(await file.slice(0, FIRST_BYTES).arrayBuffer()));
  const facts = { fileName: file.name, fileBytes: file.size };
  const chunks = counted(file, onProgress);
  if (kind === "asi") {
    const decoding = decode(chunks);
    const batches = await collect(decoding);
    const [info, report] = await Promise.all([decoding.info, decoding.report]);
    return { batches, facts: { ...facts, kind, info, report, notes: [] } };
  }
  const decoding = decodeTrack(chunks);
  const batches = await collect(decoding);
  const { format, speedsFromPositions, speedUnit, leftOut } = await decoding.summary;
  const notes: string[] = [];
  if (leftOut.withoutPosition > 0)
    notes.push(`${leftOut.withoutPosition} points have no position and are left out.`);
  if (leftOut.withoutTime > 0) notes.push(`${leftOut.withoutTime} points have no time and are left out.`);
  if (speedsFromPositions > 0) notes.push(`${speedsFromPositions} speeds are computed from positions.`);
  if (speedUnit === "km/h") notes.push("The file gives speeds in km/h instead of m/s; they are converted.");
  return { batches, facts: { ...facts, kind: format, info: null, report: null, notes } };
}

const FIRST_BYTES = 64;

/** What a file is, by its first bytes: a track, or else a recording, whose reader says what is wrong with any other file. */
function kindOf(first: Uint8Array): FileKind {
  const isFit = [0x2e, 0x46, 0x49, 0x54].every((byte, i) => first[8 + i] === byte);
  if (isFit) return "fit";
  const isWide = (first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff);
  const text = new TextDecoder().decode(first).trimStart();
  return isWide || text.startsWith("<") ? "gpx" : "asi";
}

async function collect(decoding: AsyncIterable<SampleBatch>): Promise<SampleBatch[]> {
  const batches: SampleBatch[] = [];
  for await (const batch of decoding) batches.push(batch);
  return batches;
}

// Safari cannot iterate over a stream, so this reads it by hand.
async function* counted(file: File, onProgress: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield next.value;
      bytes += next.value.length;
      onProgress(bytes);
    }
  } finally {
    await reader.cancel();
  }
}
