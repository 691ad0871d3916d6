import { AsiError } from "../../errors.js";
import { type Beats, beatsBetween } from "../../metrics/index.js";
import { SourceReader } from "../../reading/source-reader.js";
import { decodeTrackBeats } from "../../tracks/decode-track.js";
import { type Input, openInput } from "../batch/inputs.js";
import { detectTrack } from "./track-input.js";

/** Limits for the times of beats, ms since 1970 UTC; undefined for no limit. */
interface Limits {
  from: number | undefined;
  to: number | undefined;
}

/**
 * Reads the beats within limits: those in the ECG waveform of a recording, or from the RR intervals of a track. The rows of the input must
 * have been read before.
 *
 * @throws the errors of `decodeBeats`; AsiError `BAD_OPTION` for standard input, which cannot be read twice
 */
export async function readBeats(
  input: Input,
  serial: string | undefined,
  limits: Limits,
  signal: AbortSignal,
): Promise<Beats[]> {
  if (input.kind === "standardInput") {
    throw new AsiError(
      "BAD_OPTION",
      "Standard input can be read only once, but --hrv reads the input twice; name a file.",
    );
  }
  const batches: Beats[] = [];
  const { whole, isTrack } = await detectTrack(openInput(input));
  if (isTrack) {
    for await (const batch of decodeTrackBeats(whole)) {
      batches.push(beatsBetween(batch, limits.from, limits.to));
    }
    return batches;
  }
  const reader = new SourceReader(whole, { output: "beats", serial, signal });
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
    batches.push(beatsBetween(batch, limits.from, limits.to));
  }
  return batches;
}
