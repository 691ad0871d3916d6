import { availableParallelism } from "node:os";
import type { Input } from "../batch/inputs.js";

// Starting a thread takes as long as reading several megabytes.
const BYTES_PER_JOB = 8_000_000;
const MAX_JOBS = 64;

/**
 * The number of inputs that are processed in parallel.
 *
 * @param given from the user; default: the number of cores, fewer for small inputs
 */
export function jobsFor(inputs: readonly Input[], given: number | undefined): number {
  return Math.min(given ?? jobsByDefault(inputs), inputs.length);
}

function jobsByDefault(inputs: readonly Input[]): number {
  const bytes = inputs.reduce((sum, input) => sum + (input.kind === "file" ? input.bytes : 0), 0);
  return Math.max(1, Math.min(availableParallelism(), MAX_JOBS, Math.floor(bytes / BYTES_PER_JOB)));
}
