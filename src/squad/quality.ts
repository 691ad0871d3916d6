import type { SquadMember } from "./squad-members.js";

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

/**
 * Returns the members whose recordings look like a faster sport, because more than 1 % of their moving rows exceed the limit.
 *
 * @param limitMPerS the parameter `max_valid_speed`
 */
export const ofAnotherSport = <Member extends SquadMember>(
  members: readonly Member[],
  limitMPerS: number,
): Member[] => members.filter((member) => tooFastShare(member, limitMPerS) > OTHER_SPORT_SHARE);
