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

/** Whether the service has accepted a recording without storing any of it. */
export const hasNothing = (state: UploadState): boolean =>
  state.step === "stored" && state.details.samples_stored === 0 && state.details.samples_known === 0;

/** Progress of several files: "1 uploading, 2 waiting, 1 done". */
export function countsOf(uploads: readonly Pick<Upload, "state">[]): string {
  const states = uploads.map(({ state }) => state.value);
  return STEPS.flatMap(([step, words]) => {
    const count = states.filter((state) => (hasNothing(state) ? "failed" : state.step) === step).length;
    return count === 0 ? [] : [`${decimal(count, 0)} ${words}`];
  }).join(", ");
}
