import { requireOptions } from "../arguments.js";
import { AsiError } from "../errors.js";
import { bytesInMemory, isBlob } from "../sources/source.js";
import { decode } from "./decode.js";
import { inspect } from "./inspect.js";

/** The damaged places in a recording, in file order. */
export interface Damage {
  places: {
    /** Offset of the invalid frame in the recording. */
    byteOffset: number;
    /** Time of the last row before the frame, ms since 1970 UTC; null if there is none. */
    afterMs: number | null;
  }[];
  /** Whether the recording has more damaged places. */
  hasMore: boolean;
}

export interface FindDamageOptions {
  /** Serial number of the device, for recordings without a header. */
  serial?: string | undefined;
  /** Ends the search. */
  signal?: AbortSignal | undefined;
}

const MOST_PLACES = 100;

/**
 * Finds the first 100 damaged places in a recording. A damaged recording is decoded twice.
 *
 * @throws AsiError `BAD_SOURCE`, and like `decode`
 */
export async function findDamage(
  recording: Blob | Uint8Array | ArrayBuffer,
  options: FindDamageOptions = {},
): Promise<Damage> {
  requireOptions(options, ["serial", "signal"]);
  const { signal } = options;
  const source = isBlob(recording) ? recording : bytesInMemory(recording);
  const { report } = await inspect(source, options);
  const damage: Damage = { places: [], hasMore: false };
  if (report.firstDamage === undefined) return damage;
  // the remaining parts of the recording have no header
  const serial = options.serial ?? "UNKNOWN";
  let afterMs: number | null = null;
  for (let from = 0; ; ) {
    try {
      const rest = source instanceof Uint8Array ? source.subarray(from) : source.slice(from);
      // heart rates are not derived from the ECG waveform, because that takes time
      for await (const batch of decode(rest, { strict: true, serial, hr: "device", signal })) {
        afterMs = batch.timestampMs[batch.length - 1] ?? afterMs;
      }
      return damage;
    } catch (error) {
      if (!(error instanceof AsiError)) throw error;
      // the last place can be a truncated frame at the end
      if (error.code === "NOT_A_RECORDING" && from > 0) return damage;
      if (error.code !== "DAMAGED" || error.byteOffset === undefined) throw error;
      if (damage.places.length === MOST_PLACES) return { ...damage, hasMore: true };
      const byteOffset: number = from + error.byteOffset;
      damage.places.push({ byteOffset, afterMs });
      // the decoder continues its search there, too
      from = byteOffset + 1;
    }
  }
}
