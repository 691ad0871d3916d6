import { computeMetrics, prepareSamples } from "asi-convert/metrics";
// Do not import from the index, which loads the query builder. A thread has no database.
import { decodeStored } from "../../../store/samples/stored.js";
import type { ComputationTask, ComputedTexts } from "../../change/compute-pool.js";
import { computedDataFrom } from "../computed-data.js";
import { optionalFigures } from "../optional-figures.js";

/** Runs a task. The same task always produces the same bytes. */
export function runTask({
  deviceId,
  chunks,
  options,
  recipes,
  computedAtMs,
}: ComputationTask): ComputedTexts {
  const samples = prepareSamples(chunks.map((chunk) => decodeStored(deviceId, chunk)));
  const metrics = computeMetrics(samples, options);
  const { first_timestamp, last_timestamp, definition } = metrics;
  const { profile_points, ...optional } = optionalFigures(samples, options, recipes, {
    parameters: definition.parameters,
    lengthMs: (last_timestamp ?? 0) - (first_timestamp ?? 0),
  });
  return {
    data: JSON.stringify(computedDataFrom(metrics, computedAtMs)),
    further: JSON.stringify(optional),
    profilePoints: JSON.stringify(profile_points),
    sessionMaxSpeed: optional.session_max_speed,
  };
}
