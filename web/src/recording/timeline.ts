import type { TimeWindow } from "../view/window.js";
import { nameWithoutExtension } from "./file-names.js";
import type { Placed } from "./placed.js";
import type { Facts, Figures, Recording } from "./recording.js";

/** Returns the part of the axis that contains recordings. */
export function wholeOf(placed: readonly Placed[]): TimeWindow {
  const startMs = Math.min(...placed.map(({ whole }) => whole.startMs));
  const stopMs = Math.max(...placed.map(({ whole }) => whole.stopMs));
  // a single row has no length, but an axis needs one
  return { startMs, stopMs: Math.max(stopMs, startMs + 1000) };
}

/** Returns whether all recordings together cover one period without a gap. One time axis is then useful. */
export function overlap(recordings: readonly Recording[]): boolean {
  const latestStart = Math.max(...recordings.map(({ startMs }) => startMs));
  const earliestStop = Math.min(...recordings.map(({ stopMs }) => stopMs));
  return latestStart < earliestStop;
}

/** Returns the label of a recording in a comparison. */
export function titleOf({ info, fileName }: Facts): string {
  const name = info?.deviceName ?? "";
  if (name !== "" && isGeneric(name, info?.deviceType)) return nameWithoutExtension(fileName);
  return name || info?.serial || nameWithoutExtension(fileName);
}

/** Returns whether a device name is only the name of its model. All devices of that model have the same name. */
const isGeneric = (name: string, deviceType = "") =>
  name.toLowerCase() === deviceType.toLowerCase() || /^(?:tracker|device|sensor|gps|unknown)$/i.test(name);

/** Returns the labels of recordings in a comparison. Recordings of the same device also show their file names. */
export function titlesOf(recordings: readonly { facts: Facts }[]): readonly string[] {
  const titles = recordings.map(({ facts }) => titleOf(facts));
  return recordings.map(({ facts: { fileName } }, i) => {
    const title = titles[i] ?? "";
    const isAlone = titles.indexOf(title) === titles.lastIndexOf(title);
    return isAlone ? title : `${title} · ${nameWithoutExtension(fileName)}`;
  });
}

/** Returns whether recordings have the same identification and equal figures. */
export function areCopies(
  recordings: readonly Pick<Recording, "facts" | "startMs" | "stopMs">[],
  figures: readonly (Figures | null)[],
): boolean {
  const contents = recordings.map(({ facts, startMs, stopMs }, i) =>
    JSON.stringify([titleOf(facts), facts.info?.serial ?? null, startMs, stopMs, facts.rows, figures[i]]),
  );
  return figures.every((one) => one !== null) && new Set(contents).size === 1;
}
