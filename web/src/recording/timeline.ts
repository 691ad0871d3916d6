import type { TimeWindow } from "../view/window.js";
import { nameWithoutExtension } from "./file-name.js";
import type { Placed } from "./placed.js";
import type { Facts, Figures, Recording } from "./recording.js";

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

/** The label of a recording that is shown with others. */
export function titleOf({ info, fileName }: Facts): string {
  const name = info?.deviceName ?? "";
  if (name !== "" && isGeneric(name, info?.deviceType)) return nameWithoutExtension(fileName);
  return name || info?.serial || nameWithoutExtension(fileName);
}

/** Whether the name of a device says only what it is, as that of every other one of its kind does. */
const isGeneric = (name: string, deviceType = "") =>
  name.toLowerCase() === deviceType.toLowerCase() || /^(?:tracker|device|sensor|gps|unknown)$/i.test(name);

/** The labels of recordings that are shown together: those of one device also have the names of their files. */
export function titlesOf(recordings: readonly { facts: Facts }[]): readonly string[] {
  const titles = recordings.map(({ facts }) => titleOf(facts));
  return recordings.map(({ facts: { fileName } }, i) => {
    const title = titles[i] ?? "";
    const isAlone = titles.indexOf(title) === titles.lastIndexOf(title);
    return isAlone ? title : `${title} · ${nameWithoutExtension(fileName)}`;
  });
}

/** Whether recordings say that they are the same one, and no figure of them differs. */
export function areCopies(
  recordings: readonly Pick<Recording, "facts" | "startMs" | "stopMs">[],
  figures: readonly (Figures | null)[],
): boolean {
  const contents = recordings.map(({ facts, startMs, stopMs }, i) =>
    JSON.stringify([titleOf(facts), facts.info?.serial ?? null, startMs, stopMs, facts.rows, figures[i]]),
  );
  return figures.every((one) => one !== null) && new Set(contents).size === 1;
}
