import { type DamagePlace, watchForDamage } from "../first-damage.js";
import { type Inspection, inspectionOf } from "../read-result.js";
import { noSamples } from "../recording-errors.js";
import { joinBatches } from "../sample-batch.js";
import { SourceReader } from "../source-reader.js";
import type { SampleBatch } from "../types.js";
import { openBetween } from "./convert-input.js";
import type { Input } from "./inputs.js";
import { sayingWhen } from "./no-samples.js";
import type { TimeBounds } from "./time-bounds.js";

/** Which rows of an input are read, and how. */
export interface ReadFlags {
  bounds: TimeBounds;
  serial: string | undefined;
  signal: AbortSignal;
}

/** All rows of an input in memory, 26 bytes each. */
export interface ReadSamples {
  samples: SampleBatch;
  inspection: Inspection;
  /** null: there is none. */
  firstDamage: DamagePlace | null;
  /** Limits of the rows, ms since 1970 UTC, where they were given. */
  from: number | undefined;
  to: number | undefined;
}

/** Reads an input to its end. Throws what `decode` throws, `NO_SAMPLES`, and why an input is missing. */
export function readSamples(
  input: Input,
  { bounds, serial, signal }: ReadFlags,
  onProgress: (bytesRead: number) => void,
): Promise<ReadSamples> {
  const read = async () => {
    const { source, from, to } = await openBetween(input, bounds, serial, onProgress);
    const { chunks, firstDamage } = watchForDamage(source);
    const reader = new SourceReader(chunks, { output: "columns", serial, from, to, signal });
    const batches: SampleBatch[] = [];
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) batches.push(batch);
    const inspection = inspectionOf(await reader.result);
    if (inspection.rowsProduced === 0) throw noSamples(inspection.report);
    return { samples: joinBatches(batches), inspection, firstDamage: firstDamage(), from, to };
  };
  return sayingWhen(bounds, read());
}
