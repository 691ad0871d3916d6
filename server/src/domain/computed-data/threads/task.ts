import { computeMetrics } from "asi-convert/metrics";
// Not imported from the index, which loads the query builder, because a thread has no database.
import { decodeStored } from "../../../store/samples/stored.js";
import type { ComputationTask } from "../../change/compute-pool.js";
import { computedDataFrom } from "../computed-data.js";

/** @returns the computed data as JSON text; equal tasks give equal bytes */
export function runTask({ deviceId, chunks, options, computedAtMs }: ComputationTask): string {
  const metrics = computeMetrics(
    chunks.map((chunk) => decodeStored(deviceId, chunk)),
    options,
  );
  return JSON.stringify(computedDataFrom(metrics, computedAtMs));
}
