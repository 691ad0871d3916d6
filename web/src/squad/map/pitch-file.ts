/** The part of the map that is loaded for a file with the corners of a pitch. */
import { type PitchFrame, pitchFrame } from "asi-convert/metrics";
import { readPitchCorners } from "asi-convert/squad-sheets";

/** @throws AsiError for a file without four corners of a pitch */
export async function frameIn(file: File): Promise<PitchFrame> {
  return pitchFrame(readPitchCorners(await file.text()));
}
