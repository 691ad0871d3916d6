import type { SessionPeriod } from "asi-convert/squad";
import type { AttackSide } from "../period-steps.js";
import type { TimedPeriod } from "../play.js";
import { HALF_MINUTES } from "../rules.js";
import { halvesIn } from "../scope.js";
import type { Plane, Point } from "./plane.js";

const MINUTE_MS = 60_000;

/** Returns the time of play, such as `2nd half, 52′`. The minutes of the second of two halves continue from 45. */
export function minuteText(ms: number, period: TimedPeriod, periods: readonly SessionPeriod[]): string {
  const halves = halvesIn(periods);
  const number = halves.findIndex(({ name }) => name === period.name);
  const before = halves.length === 2 && number === 1 ? HALF_MINUTES : 0;
  return `${period.name}, ${before + Math.floor((ms - period.startMs) / MINUTE_MS)}′`;
}

/** Describes the position on the pitch, such as "left third, near the top line", or "attacking third" if the direction of play is known. */
export function placeText({ x, y }: Point, { pitch }: Plane, attack: AttackSide | null): string {
  if (pitch === null) return groundText(x, y);
  if (Math.abs(x) > pitch.length / 2 + 1 || Math.abs(y) > pitch.width / 2 + 1) return "beside the pitch";
  return `${thirdText(x / pitch.length, attack)}, ${laneText(y / pitch.width)}`;
}

function thirdText(share: number, attack: AttackSide | null): string {
  if (Math.abs(share) <= 1 / 6) return "middle third";
  const side = share < 0 ? "left" : "right";
  if (attack === null) return `${side} third`;
  return side === attack ? "attacking third" : "defending third";
}

function laneText(share: number): string {
  if (Math.abs(share) <= 1 / 6) return "centre";
  return share > 0 ? "top side" : "bottom side";
}

function groundText(x: number, y: number): string {
  const part = (metres: number, positive: string, negative: string) =>
    `${Math.abs(Math.round(metres))} m ${metres < 0 ? negative : positive}`;
  return `${part(x, "east", "west")} and ${part(y, "north", "south")} of the middle`;
}
