import type { TeamShape } from "../../metrics/index.js";
import type { Interval, SquadMember } from "../../squad/index.js";

/** A player who takes part in one period. */
export interface FieldPlayer extends SquadMember {
  intervals: readonly Interval[];
  isGoalkeeper: boolean;
}

/** A period, or the whole session, with the players who take part. */
export interface PlayedPeriod extends Interval {
  /** null for the whole session */
  name: string | null;
  players: readonly FieldPlayer[];
}

/** A row of the output, for a period or one instant of it. */
export interface ShapeRow {
  period: string | null;
  timeMs: number | null;
  frames: number;
  players: number | null;
  shape: TeamShape | null;
}
