import type { Resource } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { day, timeOfDay } from "../../view/times.js";
import { dayAndTime } from "../parts/when.js";
import type { SquadSession } from "./load-session.js";

export const KINDS: readonly (readonly [SquadSession["kind"], string])[] = [
  ["match", "Match"],
  ["training", "Training"],
  ["other", "Other"],
];

export const kindName = (kind: SquadSession["kind"]): string =>
  KINDS.find(([name]) => name === kind)?.[1] ?? kind;

/** Returns a time without seconds, such as 14:00. */
export const clock = (instant: string | number, zone: Zone): string =>
  timeOfDay(typeof instant === "number" ? instant : Date.parse(instant), zone).slice(0, 5);

/** Returns the times of a session, such as Sat, 16 May 2026, 14:00 to 15:30. */
export function timesOf({ start_time, end_time }: Pick<SquadSession, "start_time" | "end_time">, zone: Zone) {
  const isOneDay = day(Date.parse(start_time), zone) === day(Date.parse(end_time), zone);
  const end = isOneDay ? clock(end_time, zone) : dayAndTime(end_time, zone);
  return `${dayAndTime(start_time, zone)} to ${end}`;
}

/** Returns the number of players of each squad at the time of a session. */
export function playerCount(
  { squad, start_time, end_time }: Pick<SquadSession, "squad" | "start_time" | "end_time">,
  members: readonly Resource["Member"][],
): number {
  const own = members.filter(
    (one) =>
      one.squad === squad &&
      Date.parse(one.start_time) < Date.parse(end_time) &&
      Date.parse(one.end_time) > Date.parse(start_time),
  );
  return new Set(own.map(({ athlete }) => athlete)).size;
}

export const playersText = (count: number): string => (count === 1 ? "1 player" : `${count} players`);

/** After the end, trackers may still send recorded samples. */
const SENT_AFTER_MS = 2 * 3_600_000;

/** Returns whether new samples of a session may arrive at present. */
export const isRunning = ({ start_time, end_time }: Pick<SquadSession, "start_time" | "end_time">): boolean =>
  Date.parse(start_time) <= Date.now() && Date.now() <= Date.parse(end_time) + SENT_AFTER_MS;
