/** Code of the map that is loaded only when the user opens a file with the corners of a pitch. */
import { type PitchFrame, pitchFrame } from "asi-convert/metrics";
import { MAX_SHEET_BYTES, readPitchCorners } from "asi-convert/squad-sheets";

/** @throws Error for a file that is too large, or lacks four corners of a pitch */
export async function frameIn(file: File): Promise<PitchFrame> {
  if (file.size > MAX_SHEET_BYTES)
    throw new Error("The file is larger than 4 MiB. Is it the file with the four corners?");
  return pitchFrame(readPitchCorners(new Uint8Array(await file.arrayBuffer())));
}
