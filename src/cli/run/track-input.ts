import { rowsOf } from "../../api/decode.js";
import { AsiError } from "../../errors.js";
import { type EncodableRow, encode } from "../../recording/encode.js";
import { type ChunkReader, type ChunkSource, readChunks } from "../../sources/source.js";
import { decodeTrack, type TrackDecoding, type TrackSummary } from "../../tracks/decode-track.js";
import { ContinuedSource, readFirstBytes } from "../../tracks/first-bytes.js";
import { DETECTION_BYTES, trackKind } from "../../tracks/track-kind.js";
import { type Input, openInput } from "../batch/inputs.js";

/** Detects whether a source is a FIT, GPX or TCX file. The result's `whole` is the complete source. */
export async function detectTrack(source: ChunkReader): Promise<{ whole: ChunkSource; isTrack: boolean }> {
  const first = await readFirstBytes(source, DETECTION_BYTES);
  return { whole: new ContinuedSource(first, source), isTrack: trackKind(first) !== null };
}

/** An opened recording, or a track in the form of the recording that `asi encode` writes. */
export interface OpenedInput {
  source: ChunkSource;
  /** Returns the summary of the track after the source has been read; null if the input is a recording. */
  summary: (() => Promise<TrackSummary>) | null;
}

/** A placeholder, because a track has no serial number but a recording needs one. */
const SERIAL = "track";

/**
 * Opens a recording or a track.
 *
 * @param mayLackRows whether a track may have RR intervals instead of rows
 */
export async function openRecordingOrTrack(
  input: Input,
  { serial = SERIAL, mayLackRows }: { serial?: string | undefined; mayLackRows: boolean },
  onProgress: (bytesRead: number) => void,
): Promise<OpenedInput> {
  const { whole, isTrack } = await detectTrack(openInput(input, onProgress));
  if (!isTrack) return { source: whole, summary: null };
  const track = decodeTrack(whole);
  const recording = readChunks(encode(rowsOfTrack(track, mayLackRows), { serial }));
  return { source: new ContinuedSource(new Uint8Array(0), recording), summary: () => track.summary };
}

/**
 * Yields the rows of a track.
 *
 * @throws AsiError `NO_SAMPLES` at the end if there are none; with `mayLackRows`, only if there are no RR intervals either
 */
export async function* rowsOfTrack(
  track: TrackDecoding,
  mayLackRows = false,
): AsyncGenerator<EncodableRow, void, undefined> {
  for await (const batch of track) yield* rowsOf(batch);
  const { rows, intervals, leftOut } = await track.summary;
  if (rows > 0 || (mayLackRows && intervals > 0)) return;
  throw new AsiError(
    "NO_SAMPLES",
    `The track has no point with a time and a position: ${leftOut.withoutTime} points have no time, ${leftOut.withoutPosition} have no position.`,
  );
}
