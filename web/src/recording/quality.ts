import { decode, joinBatches, type SampleBatch } from "asi-convert";
import type { Recording } from "./recording.js";

/**
 * Reads a recording once more with the quality of its rows, which only recipes with a gate need. Returns null for files that contain no
 * quality.
 */
export async function readQuality(
  file: Blob | null,
  { facts: { info, kind } }: Recording,
): Promise<SampleBatch | null> {
  if (file === null || kind !== "asi") return null;
  // the log of a receiver has no header
  const serial = info?.formatVersion === null ? { serial: info.serial } : {};
  const batches: SampleBatch[] = [];
  for await (const batch of decode(file, { ...serial, quality: true })) batches.push(batch);
  return joinBatches(batches);
}
