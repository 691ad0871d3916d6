import { DescribedError, failureOf } from "./problem.js";
import type { TimeBounds } from "./time-bounds.js";
import { instantFormat } from "./time-text.js";

/** If --from and --to leave nothing, the error says when the recording is, in the time zone of the user. */
export async function sayingWhen<T>({ timeZone }: TimeBounds, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const failure = failureOf(error);
    const { start = null, end = null } = failure.report ?? {};
    if (failure.error.code !== "NO_SAMPLES" || start === null || end === null) throw error;
    const instantText = instantFormat(timeZone);
    const message = `The recording runs from ${instantText(start)} to ${instantText(end)}; --from/--to leave none of it.`;
    throw new DescribedError({ ...failure, error: { ...failure.error, message } });
  }
}
