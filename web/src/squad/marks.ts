import { durationDifference } from "../view/times.js";
import { COMPLETE_SHARE, MARKED_FIRST_SHARE } from "./rules.js";
import { isSound, type PlayerRow } from "./squad-player.js";

export type MarkKind = "failed" | "damaged" | "share" | "clock" | "joined" | "sport";

/** A limitation of the figures of a row. */
export interface Mark {
  kind: MarkKind;
  /** The text beside the sign, which is empty if the sign is enough. */
  text: string;
  /** Text for screen readers and tooltips. */
  words: string;
}

/** Returns a share rounded down, so that the page does not show 99.6 % as 100 %. */
export const shareText = (share: number): string => `${Math.floor(share * 100)} %`;

/** Returns the marks of a row, most important first. */
export function marksOf(row: PlayerRow, isOtherSport: boolean): Mark[] {
  const { member, coverage } = row;
  const marks: Mark[] = [];
  const share = coverage === null || row.periodMs === 0 ? 1 : coverage;
  const percent = shareText(share);
  const isDamaged = !member.recordings.every(isSound);
  if (member.failed !== null) {
    return [{ kind: "failed", text: "not read", words: `The file cannot be read. ${member.failed}` }];
  }
  if (isDamaged) {
    const isShort = share < COMPLETE_SHARE;
    marks.push({
      kind: "damaged",
      text: isShort ? percent : "",
      words: isShort ? `Damaged, ${percent} of the period with data` : "Damaged outside of this period",
    });
  }
  const shareMark: Mark = { kind: "share", text: percent, words: `${percent} of the period with data` };
  if (!isDamaged && share < MARKED_FIRST_SHARE) marks.push(shareMark);
  const shiftMs = member.recordings.find((one) => one.shiftMs !== 0)?.shiftMs ?? 0;
  if (shiftMs !== 0) {
    const text = shiftText(shiftMs);
    marks.push({ kind: "clock", text, words: `Clock corrected by ${text}` });
  }
  if (member.recordings.length > 1) {
    const count = String(member.recordings.length);
    marks.push({ kind: "joined", text: count, words: `${count} recordings, joined` });
  }
  if (member.leftOut.length > 0) {
    const names = member.leftOut.map(({ fileName }) => fileName).join(", ");
    const count = String(member.leftOut.length);
    marks.push({ kind: "joined", text: count, words: `Recorded at the same time and left out: ${names}` });
  }
  if (!isDamaged && share >= MARKED_FIRST_SHARE && share < COMPLETE_SHARE) marks.push(shareMark);
  if (isOtherSport) {
    marks.push({ kind: "sport", text: "", words: "Many rows are faster than the sport allows" });
  }
  return marks;
}

/** Returns a shift as text, such as `+1:00:00` or `−0:00:30`. */
export function shiftText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  if (seconds % 3600 === 0) return `${ms < 0 ? "−" : "+"}${seconds / 3600} h`;
  return seconds < 60
    ? `${ms < 0 ? "−" : "+"}${durationDifference(seconds * 1000)}`
    : `${ms < 0 ? "−" : "+"}${clock}`;
}
