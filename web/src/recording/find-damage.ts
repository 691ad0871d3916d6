import { AsiError, decode } from "asi-convert";
import type { Damage } from "./recording.js";

const MOST_PLACES = 100;

/**
 * Finds the damaged places of a recording. The reader stops at each one and continues one byte after it, as the decoder does,
 * so the search takes as long as one decoding.
 *
 * @param serial of the device, because the parts after a damaged place have no header
 */
export async function findDamage(file: Blob, serial: string): Promise<Damage> {
  const damage: Damage = { places: [], hasMore: false };
  let afterMs: number | null = null;
  for (let from = 0; from < file.size; ) {
    try {
      for await (const batch of decode(file.slice(from), { strict: true, serial })) {
        afterMs = batch.timestampMs[batch.length - 1] ?? afterMs;
      }
      break;
    } catch (error) {
      if (!(error instanceof AsiError)) throw error;
      // the last place can be a truncated frame at the end
      if (error.code === "NOT_A_RECORDING" && from > 0) break;
      if (error.code !== "DAMAGED" || error.byteOffset === undefined) throw error;
      if (damage.places.length === MOST_PLACES) {
        damage.hasMore = true;
        break;
      }
      const byteOffset = from + error.byteOffset;
      damage.places.push({ byteOffset, afterMs });
      from = byteOffset + 1;
    }
  }
  return damage;
}
