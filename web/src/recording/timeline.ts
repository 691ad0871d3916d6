import type { TimeWindow } from "../view/window.js";
import { nameWithoutExtension } from "./file-name.js";
import type { Placed } from "./placed.js";
import type { Facts, Recording } from "./recording.js";

/** The part of the axis that the recordings take. */
export function wholeOf(placed: readonly Placed[]): TimeWindow {
  const startMs = Math.min(...placed.map(({ whole }) => whole.startMs));
  const stopMs = Math.max(...placed.map(({ whole }) => whole.stopMs));
  // an axis needs a length, and a single row has none
  return { startMs, stopMs: Math.max(stopMs, startMs + 1000) };
}

/** Whether all recordings together cover one stretch, so that it makes sense to see them on one clock. */
export function overlap(recordings: readonly Recording[]): boolean {
  const latestStart = Math.max(...recordings.map(({ startMs }) => startMs));
  const earliestStop = Math.min(...recordings.map(({ stopMs }) => stopMs));
  return latestStart < earliestStop;
}

/** What a recording is called among others. */
export function titleOf({ info, fileName }: Facts): string {
  return info?.deviceName || info?.serial || nameWithoutExtension(fileName);
}

/** What recordings are called beside each other: those of one device also have the names of their files. */
export function titlesOf(recordings: readonly { facts: Facts }[]): readonly string[] {
  const titles = recordings.map(({ facts }) => titleOf(facts));
  return recordings.map(({ facts: { fileName } }, i) => {
    const title = titles[i] ?? "";
    const isAlone = titles.indexOf(title) === titles.lastIndexOf(title);
    return isAlone ? title : `${title} · ${nameWithoutExtension(fileName)}`;
  });
}
