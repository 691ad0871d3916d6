import type { SampleBatch, SampleQuality } from "asi-convert";
import { inTimeOrder } from "../prepare.js";
import { readFile } from "../read-file.js";

/**
 * Reads a recording once more for the quality of its rows, which only recipes with a gate need.
 *
 * @param samples its rows from the first reading
 * @returns the columns for these rows; null if the file contains no quality, or is no longer readable
 */
export async function qualityOf(file: File, { length }: SampleBatch): Promise<SampleQuality | null> {
  try {
    const { batches } = await readFile(file, {
      serial: null,
      mayBeCut: true,
      quality: true,
      onProgress() {},
    });
    const { rows } = inTimeOrder(batches);
    return rows.length === length ? (rows.quality ?? null) : null;
  } catch {
    return null;
  }
}
