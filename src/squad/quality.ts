import { KM_PER_H } from "../metrics/rounding.js";
import { decimalText } from "../pictures/figure-text.js";
import type { SquadMember } from "./squad-members.js";
import type { SquadRow } from "./squad-table.js";

/** A row with at least this speed counts as moving *(choice)*. */
const MOVING_MM_PER_S = 500;

/** If more than this share of the moving rows is above the limit of the sport, the sport is probably wrong. */
const OTHER_SPORT_SHARE = 0.01;

/** Returns the share of a member's moving rows above a limit, 0 to 1; 0 for a member who never moves. */
function tooFastShare({ recordings }: SquadMember, limitMPerS: number): number {
  let moving = 0;
  let tooFast = 0;
  for (const { samples } of recordings) {
    for (let i = 0; i < samples.length; i++) {
      const speed = samples.speedMmPerS[i] ?? 0;
      if (speed >= MOVING_MM_PER_S) moving += 1;
      if (speed > limitMPerS * 1000) tooFast += 1;
    }
  }
  return moving === 0 ? 0 : tooFast / moving;
}

/** Returns the members whose recordings look like a faster sport, because more than 1 % of their moving rows exceed `max_valid_speed`. */
export function ofAnotherSport(rows: readonly SquadRow[]): SquadMember[] {
  return rows
    .filter(({ period, member, metrics }) => {
      if (period !== null || metrics === null) return false;
      return tooFastShare(member, metrics.definition.parameters.max_valid_speed) > OTHER_SPORT_SHARE;
    })
    .map(({ member }) => member);
}

/** Warns of a threshold above the highest valid speed, for example because its unit is wrong. Returns null if there is none. */
export function unreachableText({
  definition: { parameters },
}: {
  definition: {
    parameters: { sprint_threshold: number; hid_thresholds: readonly number[]; max_valid_speed: number };
  };
}): string | null {
  const { sprint_threshold, hid_thresholds, max_valid_speed } = parameters;
  const highest = Math.max(sprint_threshold, ...hid_thresholds);
  if (highest <= max_valid_speed) return null;
  const [threshold, limit] = [highest, max_valid_speed].map((speed) => decimalText(speed * KM_PER_H, 1));
  return `no row reaches the threshold of ${threshold} km/h, because rows faster than ${limit} km/h are not counted. Check the unit.`;
}
