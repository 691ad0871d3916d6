import { availableParallelism } from "node:os";
import type { Input } from "../batch/inputs.js";

// Starting a thread takes as long as reading several megabytes. Each job therefore has at least this many bytes.
const BYTES_PER_JOB = 8_000_000;
const MAX_JOBS = 64;

/**
 * Returns the number of inputs to process in parallel.
 *
 * @param given number from the user. Default: the number of cores, or fewer for small inputs
 */
export function jobsFor(inputs: readonly Input[], given: number | undefined): number {
  return Math.min(given ?? jobsByDefault(inputs), inputs.length);
}

function jobsByDefault(inputs: readonly Input[]): number {
  const bytes = inputs.reduce((sum, input) => sum + (input.kind === "file" ? input.bytes : 0), 0);
  return Math.max(1, Math.min(availableParallelism(), MAX_JOBS, Math.floor(bytes / BYTES_PER_JOB)));
}
