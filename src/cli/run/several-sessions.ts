import { type SquadMember, sessionTime, stretchesOf } from "../../squad/index.js";
import { instantFormat } from "../terminal/time-text.js";

/** Describes a recording with rows of several days or times. @param used says which of them count */
export const severalText = (name: string, times: readonly string[], used: string): string =>
  `${name} has rows of ${times.join(" and ")}, and ${used}. Split the recording with asi convert --from and --to, and asi encode`;

/** Returns messages about recordings of a session with rows of several times, some of which may not count. */
export function severalSessionsTexts(
  members: readonly SquadMember[],
  timeZone: string | undefined,
): string[] {
  const recordings = members.flatMap((member) => member.recordings);
  const [main] = sessionTime(recordings).intervals ?? [];
  const text = instantFormat(timeZone);
  return recordings.flatMap((recording) => {
    const starts = stretchesOf([recording]).map(({ startMs }) => startMs);
    const isUsual =
      main === undefined ? starts.length < 2 : starts.every((ms) => ms >= main.startMs && ms < main.endMs);
    if (isUsual) return [];
    const days = new Set(starts.map((ms) => text(ms).slice(0, 10)));
    // times of the same day are told apart by the clock
    const timeOf = (ms: number) =>
      text(ms)
        .slice(0, days.size < starts.length ? 16 : 10)
        .replace("T", " ");
    const used =
      main === undefined
        ? "all of them are included in the figures"
        : `only those of ${timeOf(main.startMs)} are included in the figures`;
    return [severalText(recording.fileName, starts.map(timeOf), used)];
  });
}
