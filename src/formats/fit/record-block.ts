import { AsiError } from "../../errors.js";
import type { SampleBatch } from "../../types.js";
import { centimetres, type Totals } from "../totals.js";
import { RECORD } from "./activity.js";
import { messageBytes } from "./messages.js";
import {
  ALTITUDE_OFFSET_M,
  ALTITUDE_STEPS_PER_M,
  BASE_TYPES,
  EARLIEST_S,
  EPOCH_MS,
  LATEST_S,
  SEMICIRCLES_PER_E7,
} from "./profile.js";
import type { RecordedRows } from "./recorded-rows.js";

// Writes rows as record messages of equal size. This is the inner loop of the writer.

export const RECORD_BYTES = messageBytes(RECORD);

const EPOCH_S = EPOCH_MS / 1000;
const NONE = BASE_TYPES.uint32.invalid;
const ALTITUDE_OFFSET_MM = ALTITUDE_OFFSET_M * 1000;
const MM_PER_ALTITUDE_STEP = 1000 / ALTITUDE_STEPS_PER_M;
// the greatest valid value
const MAX_SEMICIRCLES = BASE_TYPES.sint32.invalid - 1;
const HALF_CIRCLE = 2 ** 31;
const EARLIEST_MS = EPOCH_MS + EARLIEST_S * 1000;
const LATEST_MS = EPOCH_MS + LATEST_S * 1000 + 999;

/** Converts ms since 1970 to FIT seconds, rounded down. */
export function fitSeconds(ms: number): number {
  return Math.floor(ms / 1000) - EPOCH_S;
}

/**
 * Writes rows of one range at `at` and adds them to its totals.
 *
 * @param distanceBefore distance of the previous ranges, in the unit of `Totals.distance`
 * @param recorded all rows of the range, if only some of them are written
 * @throws AsiError `FORMAT_LIMIT` for a row whose time FIT cannot represent
 */
export function writeRecords(
  view: DataView,
  at: number,
  { batch, from, to }: { batch: SampleBatch; from: number; to: number },
  totals: Totals,
  distanceBefore: number,
  recorded: RecordedRows | null,
): void {
  const { timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr, fixType } = batch;
  let place = at;
  for (let i = from; i < to; i++) {
    const ms = timestampMs[i] as number;
    if (!(ms >= EARLIEST_MS && ms <= LATEST_MS)) throw beyondFit(ms);
    const second = Math.floor(ms / 1000);
    const speed = speedMmPerS[i] as number;
    const bpm = hr[i] as number;
    if (recorded === null) totals.addRow(ms, speed, bpm);
    else recorded.addTo(totals, ms);
    view.setUint8(place, RECORD.local);
    view.setUint32(place + 1, second - EPOCH_S, true);
    view.setInt32(place + 5, Math.round((latitudeE7[i] as number) * SEMICIRCLES_PER_E7), true);
    view.setInt32(place + 9, longitude(longitudeE7[i] as number), true);
    view.setUint32(place + 13, fixType[i] === 2 ? NONE : altitude(altitudeMm[i] as number), true);
    view.setUint32(place + 17, Math.min(centimetres(distanceBefore + totals.distance), NONE - 1), true);
    // FIT cannot represent negative speeds
    view.setUint32(place + 21, speed < 0 ? NONE : speed, true);
    view.setUint8(place + 25, bpm === 0 ? BASE_TYPES.uint8.invalid : bpm);
    view.setUint16(place + 26, ms - second * 1000, true);
    place += RECORD_BYTES;
  }
}

// Converts a longitude. 180 degrees east does not fit into 32 bits, but 180 degrees west, the same meridian, does.
function longitude(e7: number): number {
  const semicircles = Math.round(e7 * SEMICIRCLES_PER_E7);
  return semicircles === HALF_CIRCLE ? -HALF_CIRCLE : Math.min(semicircles, MAX_SEMICIRCLES);
}

// Converts an altitude to steps from -500 m. FIT cannot represent lower altitudes.
function altitude(mm: number): number {
  const steps = Math.round((mm + ALTITUDE_OFFSET_MM) / MM_PER_ALTITUDE_STEP);
  return steps < 0 ? NONE : steps;
}

function beyondFit(ms: number): AsiError {
  const text = (instant: number) => new Date(instant).toISOString();
  return new AsiError(
    "FORMAT_LIMIT",
    `A row has the time ${text(ms)}, but FIT can only represent times from ${text(EARLIEST_MS)} to ${text(LATEST_MS)}; exclude the row with from and to.`,
  );
}
