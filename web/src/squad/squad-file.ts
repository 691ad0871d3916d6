import type { SheetKind } from "asi-convert/squad-sheets";
import type { DeviceRange } from "../recording/device-range.js";
import type { OpenRecording } from "../recording/squad/squad-recording.js";
import { isOutdated } from "../view/use-loaded.js";

/** A chosen file and its state. */
export interface SquadFile {
  readonly id: number;
  /** The file, which is an empty placeholder if the data are a range from the service. */
  readonly file: File;
  /** The range of the service that is read, or null for a file. */
  readonly range: DeviceRange | null;
  readonly state: FileState;
}

export type FileState =
  | { name: "waiting" }
  | { name: "reading"; bytes: number }
  | { name: "recording"; recording: OpenRecording }
  | ({ name: "sheet" } & SheetFile)
  /** An unrelated or duplicate file, with the reason. */
  | { name: "left out"; why: string }
  /** The corners of a pitch, for the map. */
  | { name: "corners" }
  /** A recording that cannot be read. Its player still has a row. */
  | { name: "failed"; code: string | null; message: string };

/** Files that operating systems create in folders. */
const OF_SYSTEMS = /^(\.|Thumbs\.db$|desktop\.ini$)/i;

export const isOfSystem = ({ name }: File): boolean => OF_SYSTEMS.test(name);

/** Returns the progress of reading, such as "17 of 26 recordings". */
export function readText(files: readonly SquadFile[]): string {
  const count = (...names: readonly string[]) =>
    files.filter(({ state }) => names.includes(state.name)).length;
  const read = count("recording");
  return `${read} of ${read + count("waiting", "reading", "failed")} recordings`;
}

/** A roster, periods, or the corners of a pitch. */
export interface SheetFile {
  kind: SheetKind;
  bytes: Uint8Array;
  /** The reader of these files, loaded with the first of them. */
  reader: typeof import("asi-convert/squad-sheets");
}

/** Reads a roster, periods, or the corners of a pitch. Returns null for a different file, and "no reader" if the page is outdated. */
export async function readSheetFile(file: File): Promise<SheetFile | "no reader" | null> {
  if (!/\.(csv|txt|tsv)$/i.test(file.name)) return null;
  const reader = await import("asi-convert/squad-sheets").catch(() => null);
  if (reader === null) {
    isOutdated.value = true;
    return "no reader";
  }
  // this is one byte more than the limit of the reader
  const bytes = await bytesOf(file, reader.MAX_SHEET_BYTES + 1);
  const kind = bytes === null ? null : reader.sheetKind(file.name, bytes);
  return bytes === null || kind === null ? null : { kind, bytes, reader };
}

/** Reads the first bytes of a file. Returns null if the file cannot be read; the page reports the error with the recordings. */
const bytesOf = (file: File, count: number): Promise<Uint8Array | null> =>
  file
    .slice(0, count)
    .arrayBuffer()
    .then(
      (buffer) => new Uint8Array(buffer),
      () => null,
    );
