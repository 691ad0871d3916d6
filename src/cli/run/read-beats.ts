import { AsiError } from "../../errors.js";
import { type Beats, beatsBetween } from "../../metrics/index.js";
import { SourceReader } from "../../reading/source-reader.js";
import { type Input, openInput } from "../batch/inputs.js";

/** Limits of beats, ms since 1970 UTC; undefined: none. */
interface Limits {
  from: number | undefined;
  to: number | undefined;
}

/**
 * The beats in the ECG waveform of an input, restricted to its rows, which have been read before.
 *
 * @throws AsiError like `decodeBeats`; `BAD_OPTION` for the standard input, which cannot be read again
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
  const reader = new SourceReader(openInput(input), { output: "beats", serial, signal });
  const batches: Beats[] = [];
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
    batches.push(beatsBetween(batch, limits.from, limits.to));
  }
  return batches;
}
