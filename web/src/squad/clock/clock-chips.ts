import type { Clock } from "./clock-state.js";
import { extentOf, lanesOf } from "./period-lanes.js";

/** Height of a lane. Each chip is then a target of at least 24 px. */
export const LANE_PX = 24;
const HEAD_PX = 48;

export interface Chip {
  name: string;
  startMs: number;
  endMs: number;
  isSuggested: boolean;
}

/** Periods and suggested ones, as shown in the header of the clock. */
export function chipsOf({ session, suggested }: Clock): Chip[] {
  const periods = session.periods.value.flatMap((period) => {
    const extent = extentOf(period);
    return extent === null ? [] : [{ name: period.name, ...extent, isSuggested: false }];
  });
  return [...periods, ...suggested.value.map((one) => ({ ...one, isSuggested: true }))];
}

/** Returns the height of the table header above the clock, which increases with each lane of periods after the first. */
export function headHeight(clock: Clock): number {
  return HEAD_PX + LANE_PX * Math.max(0, ...lanesOf(chipsOf(clock)));
}
