import type { Zone } from "../../view/settings.js";
import { decimal } from "../../view/values.js";
import { dayAndTime } from "../parts/when.js";

/** The details of a job that has stored a recording. Only those that the page shows are listed. */
export interface StoredDetails {
  samples_stored: number;
  samples_known: number;
  samples_refused: number;
  /** Number of samples that the service refused because the device had no owner at their times. */
  samples_unowned: number;
  /** First and last stored sample of the recording, or null if the service refused all samples. */
  start: string | null;
  stop: string | null;
  report?: { damage: { badChecksums: number; overlong: number; overruns: number } };
}

const samples = (count: number) => `${decimal(count, 0)} ${count === 1 ? "sample" : "samples"}`;
const was = (count: number) => (count === 1 ? "was" : "were");

/**
 * Describes the result of an upload in sentences.
 * @param isRepeated whether the details belong to an earlier upload of the same file
 */
export function accountOf(details: StoredDetails, zone: Zone, isRepeated = false): string[] {
  const { samples_stored, samples_known, samples_unowned, report } = details;
  const { start, stop } = details;
  const sentences: string[] = [];
  const when =
    start === null || stop === null ? "" : ` from ${dayAndTime(start, zone)} to ${dayAndTime(stop, zone)}`;
  if (isRepeated)
    sentences.push(`The same file was loaded before: ${samples(samples_stored + samples_known)}${when}.`);
  else if (samples_stored > 0)
    sentences.push(`${samples(samples_stored)} stored${samples_known > 0 ? "" : when}.`);
  if (samples_known > 0 && !isRepeated) {
    const nothing = samples_stored === 0 ? "Nothing new: " : "";
    sentences.push(`${nothing}${samples(samples_known)} ${was(samples_known)} already stored${when}.`);
  }
  const others = details.samples_refused - samples_unowned;
  if (others > 0) {
    sentences.push(
      `${samples(others)} ${was(others)} refused, because another manager owned the device at that time, or the time is in the future.`,
    );
  }
  if (samples_unowned > 0) {
    sentences.push(
      `${samples(samples_unowned)} ${was(samples_unowned)} refused, because nobody owned the device at that time. Ask the person who runs the service to let your ownership begin earlier, then upload the file again.`,
    );
  }
  const damaged =
    report === undefined ? 0 : Object.values(report.damage).reduce((sum, count) => sum + count, 0);
  if (damaged > 0) {
    sentences.push(
      `The file is damaged: ${damaged === 1 ? "1 frame" : `${decimal(damaged, 0)} frames`} could not be read.`,
    );
  }
  return sentences.length === 0 ? ["The recording contained no samples to store."] : sentences;
}
