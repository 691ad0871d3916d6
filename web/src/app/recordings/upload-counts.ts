import { decimal } from "../../view/values.js";
import type { Upload, UploadState } from "./upload-queue.js";

const STEPS = [
  ["sending", "uploading"],
  ["storing", "being stored"],
  ["waiting", "waiting"],
  ["stored", "done"],
  ["failed", "not stored"],
  ["cancelled", "cancelled"],
] as const;

/** Returns whether the service has accepted a recording without storing any of it. */
export const hasNothing = (state: UploadState): boolean =>
  state.step === "stored" && state.details.samples_stored === 0 && state.details.samples_known === 0;

/** Returns the progress of several files, such as "1 uploading, 2 waiting, 1 done". */
export function countsOf(uploads: readonly Pick<Upload, "state">[]): string {
  const states = uploads.map(({ state }) => state.value);
  return STEPS.flatMap(([step, words]) => {
    const count = states.filter((state) => (hasNothing(state) ? "failed" : state.step) === step).length;
    return count === 0 ? [] : [`${decimal(count, 0)} ${words}`];
  }).join(", ");
}

/** The maximum length of a session in the service. */
const LONGEST_MS = 24 * 3_600_000;

/** Returns the time of the stored recordings, or null if there are none or the time is too long for a session. */
export function timesOfStored(
  uploads: readonly Pick<Upload, "state">[],
): { start: string; stop: string } | null {
  const stored = uploads.flatMap(({ state: { value } }) => (value.step === "stored" ? value.details : []));
  const instants = stored.flatMap(({ start, stop }) =>
    start === null || stop === null ? [] : [start, stop],
  );
  const times = instants.map((text) => Date.parse(text));
  const [startMs, stopMs] = [Math.min(...times), Math.max(...times)];
  if (times.length === 0 || stopMs - startMs > LONGEST_MS) return null;
  // the end of a session is exclusive
  return {
    start: new Date(startMs).toISOString(),
    stop: new Date(Math.ceil((stopMs + 1) / 1000) * 1000).toISOString(),
  };
}
