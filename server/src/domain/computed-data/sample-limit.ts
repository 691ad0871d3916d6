import type { Queries } from "../../store/connection/database.js";
import { countStored, type Interval, type StoredChunk, sqlClientOf } from "../../store/samples/index.js";
import { ServiceError } from "../change/errors.js";
import { groupBy } from "../change/group-by.js";

/**
 * Maximum number of samples of one computation: 48 h at 10 Hz have 1,728,000. A thread needs about 100 bytes of memory for each
 * sample.
 */
export const MAX_COMPUTED_SAMPLES = 2_000_000;

/** There are too many samples to compute figures. */
export class TooManySamples extends ServiceError {
  readonly reason: string;

  /** @param of subject of the message, such as "time frame 5" */
  constructor(of: string) {
    // The number would include samples of other owners of the device.
    const reason = `The device of ${of} has more than ${MAX_COMPUTED_SAMPLES} samples in this time, too many to compute figures (48 hours at 10 Hz have 1728000). Shorten the time, or load samples at a lower rate.`;
    super("conflict", "too_many_samples", { message: reason });
    this.reason = reason;
  }
}

/** A time for which the samples of a device are needed. */
interface DeviceTime {
  deviceId: number;
  startTime: Date;
  endTime: Date;
}

/**
 * Limits the samples of a computation before their payloads are read. For each device, counts whole chunks from the first to the
 * last time.
 * @returns the number of samples
 * @throws TooManySamples
 */
export async function requireFewStored(
  queries: Queries,
  of: string,
  times: readonly DeviceTime[],
): Promise<number> {
  let samples = 0;
  for (const [deviceId, ofDevice] of groupBy(times, (time) => time.deviceId)) {
    samples += await countStored(sqlClientOf(queries), deviceId, spanOf(ofDevice));
  }
  requireFew(of, samples);
  return samples;
}

/** Checks the limit again, because a load may have added samples before their payloads were read. @throws TooManySamples */
export const requireFewRead = (of: string, chunks: readonly StoredChunk[]): void =>
  requireFew(
    of,
    chunks.reduce((sum, { size }) => sum + size, 0),
  );

function requireFew(of: string, samples: number): void {
  if (samples > MAX_COMPUTED_SAMPLES) throw new TooManySamples(of);
}

const spanOf = (times: readonly DeviceTime[]): Interval => ({
  startMs: times.reduce(
    (first, { startTime }) => Math.min(first, startTime.getTime()),
    Number.POSITIVE_INFINITY,
  ),
  stopMs: times.reduce((last, { endTime }) => Math.max(last, endTime.getTime()), Number.NEGATIVE_INFINITY),
});
