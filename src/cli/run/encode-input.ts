import { AsiError } from "../../errors.js";
import { type EncodeCsvOptions, encodeCsv } from "../../files/encode-csv.js";
import { encode } from "../../recording/encode.js";
import type { RecordingHeader } from "../../recording/header.js";
import type { ChunkReader } from "../../sources/source.js";
import { decodeTrack, type TrackSummary } from "../../tracks/decode-track.js";
import { ContinuedSource, readFirstBytes } from "../../tracks/first-bytes.js";
import { DETECTION_BYTES, trackKind } from "../../tracks/track-kind.js";
import type { TrackDamage } from "../../tracks/track-parser.js";
import type { Console, Part } from "../terminal/console.js";
import { rowsOfTrack } from "./track-input.js";

/** A recording that is being encoded. After the track has been read, `summary` returns its summary; null if the input is not a track. */
export interface EncodedInput {
  stream: ReadableStream<Uint8Array>;
  summary: (() => Promise<TrackSummary>) | null;
}

/** Converts a CSV or a track to a recording. The format is detected from the content. */
export async function encodeInput(
  source: ChunkReader,
  header: RecordingHeader,
  csv: EncodeCsvOptions,
): Promise<EncodedInput> {
  const first = await readFirstBytes(source, DETECTION_BYTES);
  const whole = new ContinuedSource(first, source);
  const problem = problemOf(first);
  if (problem !== null) {
    await source.close();
    throw new AsiError("BAD_CSV", problem, { byteOffset: 0 });
  }
  if (trackKind(first) === null) return { stream: encodeCsv(whole, header, csv), summary: null };
  const ofCsv = csv.delimiter !== undefined ? "--delimiter" : csv.timeZone !== undefined ? "--tz" : null;
  if (ofCsv !== null) {
    await source.close();
    throw new AsiError("BAD_OPTION", `${ofCsv} applies only to CSV, but the input is a track.`);
  }
  const track = decodeTrack(whole);
  return { stream: encode(rowsOfTrack(track), header), summary: () => track.summary };
}

/** Returns the reason why an input is neither a CSV nor a track; null if it can be one of them. */
function problemOf(first: Uint8Array): string | null {
  if (first.length === 0) return "The input is empty; give a CSV, FIT, GPX or TCX file.";
  if (trackKind(first) !== null) return null;
  if (first[0] === SYNC[0] && first[1] === SYNC[1]) return "The input is already a recording.";
  if (!first.subarray(0, DETECTION_BYTES).some(isControl)) return null;
  return "The input is neither a track nor text in UTF-8; give a CSV, FIT, GPX or TCX file.";
}

// in UTF-8, 0xb5 cannot be the first byte of a character
const SYNC = [0xb5, 0x62];

/** Returns whether a byte never occurs in text, because it is a control character other than white space. */
const isControl = (byte: number) => byte < 0x09 || (byte > 0x0d && byte < 0x20);

/** Describes the place from which a track is unreadable, in the wording for damaged recordings. */
export function damagedTrack(console: Console, { byteOffset, reason }: TrackDamage): Part[] {
  return [
    console.paint("yellow", "damaged:"),
    ` ${reason}, at byte ${byteOffset}; only the rows before it are read`,
  ];
}

/** Summarizes a track in one line. */
export function trackText({ format, rows, speedsFromPositions, speedUnit, leftOut }: TrackSummary): string {
  const parts = [`${rows} rows of a ${format.toUpperCase()} file`];
  if (speedsFromPositions > 0) parts.push(`${speedsFromPositions} speeds computed from positions`);
  if (speedUnit === "km/h") parts.push("speeds read as km/h");
  if (leftOut.withoutTime > 0) parts.push(`${leftOut.withoutTime} points without a time omitted`);
  if (leftOut.withoutPosition > 0) parts.push(`${leftOut.withoutPosition} points without a position omitted`);
  return parts.join(", ");
}
