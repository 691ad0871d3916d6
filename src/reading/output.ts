import type { Engine, OutputKind } from "../engine/engine.js";
import { copyBatch } from "../rows/sample-batch.js";
import type { BeatBatch, RecordingInfo, SampleBatch } from "../types.js";
import type { RowThinning } from "./row-thinning.js";

/** The headers of a recording that are known after a step of an engine. */
export interface Headers {
  /** The first header, or its substitute. */
  readonly info: RecordingInfo;
  /** Payload of the header at which the step stopped; null if it stopped for a different reason. */
  readonly payload: Uint8Array | null;
}

/** Produces the outputs of a reader from the steps of an engine. An output is valid until the next one is requested. */
export interface Output<T> {
  /** The kind of output that the engine must produce. */
  readonly reads: OutputKind;
  /** Whether the last output starts a file. */
  readonly beginsFile?: boolean;
  /** Returns the outputs of the last step. The caller must read all of them before the next step. */
  step(engine: Engine, headers: Headers): Iterable<T>;
  /** Returns the outputs at the end of the recording. */
  end(engine: Engine): Iterable<T>;
}

/** @param thinning selects the rows; null to keep all */
export const columnsOutput = (thinning: RowThinning | null): Output<SampleBatch> => ({
  reads: "columns",
  *step(engine) {
    const all = { batch: engine.columns(), breaks: thinning === null ? [] : engine.rangeBreaks() };
    const { batch } = thinning?.step(all) ?? all;
    if (batch.length > 0) yield batch;
  },
  *end() {
    const batch = thinning?.end().batch;
    if (batch !== undefined && batch.length > 0) yield batch;
  },
});

export const beatsOutput: Output<BeatBatch> = {
  reads: "beats",
  *step(engine) {
    const beats = engine.beats();
    if (beats.length > 0) yield beats;
  },
  *end() {},
};

/**
 * Creates an output without data, for callers that need only the result.
 *
 * @param thinning selects the rows to count; null to count all
 */
export function noOutput(thinning: RowThinning | null): Output<never> {
  if (thinning === null) return { reads: "none", step: () => [], end: () => [] };
  const columns = columnsOutput(thinning);
  const count = (batches: Iterable<SampleBatch>): never[] => {
    for (const _ of batches);
    return [];
  };
  return {
    reads: "columns",
    step: (engine, headers) => count(columns.step(engine, headers)),
    end: (engine) => count(columns.end(engine)),
  };
}

/** Returns a copy of an output, which stays valid. */
export function copyOutput(output: Uint8Array | SampleBatch | BeatBatch): typeof output {
  // `slice` would first clear the memory
  if (output instanceof Uint8Array) return new Uint8Array(output);
  // beats are copies already
  return "latitudeE7" in output ? copyBatch(output) : output;
}
