import { AsiError } from "../../errors.js";
import type { Beats } from "../../metrics/index.js";
import { SourceReader } from "../../reading/source-reader.js";
import type { BeatBatch } from "../../types.js";
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
      "The standard input can be read once only, and --hrv reads twice; give a file.",
    );
  }
  const reader = new SourceReader(openInput(input), { output: "beats", serial, signal });
  const batches: Beats[] = [];
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
    batches.push(between(batch, limits));
  }
  return batches;
}

/** The interval of the first beat after `from` began before it. */
function between(
  { length, timestampMs, rrMs }: BeatBatch,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Limits,
): Beats {
  const inside = Array.from({ length }, (_, i) => i).filter((i) => {
    const ms = timestampMs[i] ?? 0;
    return ms >= from && ms <= to;
  });
  const startOf = (i: number) => (timestampMs[i] ?? 0) - (rrMs[i] ?? 0);
  return {
    length: inside.length,
    timestampMs: Float64Array.from(inside, (i) => timestampMs[i] ?? 0),
    rrMs: Float64Array.from(inside, (i) => (startOf(i) >= from ? (rrMs[i] ?? 0) : 0)),
  };
}
