import { UntilCut } from "../../files/gzip.js";
import { type Repeated, repeatedIn } from "../../metrics/samples.js";
import { checkDecodeOptions } from "../../reading/decode-options.js";
import { type Inspection, inspectionOf } from "../../reading/read-result.js";
import { noSamples } from "../../reading/recording-errors.js";
import { SourceReader } from "../../reading/source-reader.js";
import { joinBatches } from "../../rows/sample-batch.js";
import type { HrSource, SampleBatch } from "../../types.js";
import { resolveBounds, type TimeBound, type TimeBounds } from "../arguments/time-bounds.js";
import type { Input } from "../batch/inputs.js";
import { openWithBounds } from "./convert-input.js";
import { explainEmptyRange } from "./no-samples.js";

/** Options that select the rows of an input and the way to read them. */
export interface SampleFlags {
  from?: TimeBound;
  to?: TimeBound;
  tz?: string;
  serial?: string;
  hr?: HrSource;
}

/** The options after validation. */
export interface SampleSelection {
  bounds: TimeBounds;
  serial: string | undefined;
  hr: HrSource | undefined;
  /** Whether the gate of a recipe needs the quality of the rows. Default false. */
  quality?: boolean;
  /** Whether truncated compressed data are read up to their end. By default, they throw `BAD_GZIP`. */
  mayBeCut?: boolean;
}

/** Throws `BAD_OPTION` for invalid flags. */
export function selectionOf({ from, to, tz, serial, hr }: SampleFlags): SampleSelection {
  const bounds = { from, to, timeZone: tz };
  checkDecodeOptions({ serial, hr, ...resolveBounds(bounds, null) });
  return { bounds, serial, hr };
}

/** All rows of an input in memory, 26 bytes each, with their quality 33. */
export interface ReadSamples {
  samples: SampleBatch;
  repeated: Repeated;
  inspection: Inspection;
  /** Whether the compressed data end early. */
  isCut: boolean;
  /** Limits of the rows, ms since 1970 UTC; undefined if they are not set. */
  from: number | undefined;
  to: number | undefined;
}

/** Reads an input to its end. Throws the errors of `decode`, `NO_SAMPLES`, and the reason for a missing input. */
export function readSamples(
  input: Input,
  { bounds, serial, hr, quality, mayBeCut = false }: SampleSelection,
  signal: AbortSignal,
  onProgress: (bytesRead: number) => void,
): Promise<ReadSamples> {
  const read = async () => {
    const { source: whole, from, to } = await openWithBounds(input, bounds, serial, onProgress);
    const untilCut = mayBeCut ? new UntilCut(whole) : null;
    const source = untilCut ?? whole;
    const reader = new SourceReader(source, { output: "columns", serial, hr, quality, from, to, signal });
    const batches: SampleBatch[] = [];
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) batches.push(batch);
    const inspection = inspectionOf(await reader.result);
    if (inspection.rowsProduced === 0) throw noSamples(inspection.report);
    const samples = joinBatches(batches);
    return { samples, repeated: repeatedIn(samples), inspection, isCut: untilCut?.isCut ?? false, from, to };
  };
  return explainEmptyRange(bounds, read());
}
