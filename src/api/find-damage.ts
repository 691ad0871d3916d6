import { requireOptions } from "../arguments.js";
import { AsiError } from "../errors.js";
import { bytesInMemory, isBlob } from "../sources/source.js";
import { decode } from "./decode.js";

/** The damaged places of a recording, in file order. */
export interface Damage {
  places: {
    /** Offset of the invalid frame in the recording. */
    byteOffset: number;
    /** The last row before it, ms since 1970 UTC; null if there is none. */
    afterMs: number | null;
  }[];
  /** Whether there are more places. */
  hasMore: boolean;
}

const MOST_PLACES = 100;

/**
 * Finds the first 100 damaged places of a recording. The decoder stops at each one and continues one byte after it, as it does
 * without `strict`, so the search takes as long as one decoding.
 *
 * @param options `serial` of the device for recordings without a header
 * @throws AsiError `BAD_SOURCE`, and like `decode`
 */
export async function findDamage(
  recording: Blob | Uint8Array | ArrayBuffer,
  options: { serial?: string | undefined } = {},
): Promise<Damage> {
  requireOptions(options, ["serial"]);
  // the parts after a damaged place have no header
  const serial = options.serial ?? "UNKNOWN";
  const source = isBlob(recording) ? recording : bytesInMemory(recording);
  const size = source instanceof Uint8Array ? source.length : source.size;
  const damage: Damage = { places: [], hasMore: false };
  let afterMs: number | null = null;
  for (let from = 0; from < size; ) {
    try {
      const rest = source instanceof Uint8Array ? source.subarray(from) : source.slice(from);
      for await (const batch of decode(rest, { strict: true, serial })) {
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
