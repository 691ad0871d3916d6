import { analyse, type SampleColumns } from "../../../analytics/index.js";
// Not imported from the index, which loads the query builder: a thread has no database.
import { decodeStored, type StoredChunk } from "../../../store/samples/stored.js";
import type { ComputationTask } from "../../computer.js";

/** @returns the computed data as JSON text; the same task always gives the same bytes */
export function runTask({ deviceId, chunks, frame, parameters, computedAtMs }: ComputationTask): string {
  return JSON.stringify(analyse(columnsOf(deviceId, chunks), frame, parameters, computedAtMs));
}

function columnsOf(deviceId: number, chunks: readonly StoredChunk[]): SampleColumns {
  const size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  const columns = {
    timestampMs: new Float64Array(size),
    speedMmPerS: new Int32Array(size),
    heartRateBpm: new Uint8Array(size),
  };
  let at = 0;
  for (const chunk of chunks) {
    const samples = decodeStored(deviceId, chunk);
    columns.timestampMs.set(samples.timestampMs.subarray(0, samples.length), at);
    columns.speedMmPerS.set(samples.speedMmPerS.subarray(0, samples.length), at);
    columns.heartRateBpm.set(samples.hr.subarray(0, samples.length), at);
    at += samples.length;
  }
  return columns;
}
