import { PRESETS, type Settings } from "./settings.js";
import type { TimeWindow } from "./window.js";

/** The content of a link. */
export interface Link {
  /** The part, or null for the whole recording. */
  part: TimeWindow | null;
  /** The file of the link, or null if the link does not name one. */
  file: LinkedFile | null;
}

/** The description of a file in a link. */
export interface LinkedFile {
  name: string;
  bytes: number;
}

/**
 * Returns the part of an address that names the visible part, the file, and the settings. It contains two times and no other data of the
 * recording.
 */
export function linkHash(shown: TimeWindow | null, file: LinkedFile, settings: Settings): string {
  const fields = new URLSearchParams();
  if (shown !== null) {
    fields.set("from", new Date(Math.round(shown.startMs)).toISOString());
    fields.set("to", new Date(Math.round(shown.stopMs)).toISOString());
  }
  fields.set("speed", settings.speedUnit.value);
  fields.set("times", settings.zone.value);
  fields.set("theme", settings.theme.value);
  fields.set("thresholds", settings.preset.value);
  fields.set("file", file.name);
  fields.set("bytes", String(file.bytes));
  return `#${fields}`;
}

/** Applies a link to the settings and returns its content. Returns null for an address that is not a link. Invalid parts are ignored. */
export function applyLink(hash: string, settings: Settings): Link | null {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  choose(settings.speedUnit, fields.get("speed"), ["km/h", "m/s"]);
  choose(settings.zone, fields.get("times"), ["local", "utc"]);
  choose(settings.theme, fields.get("theme"), ["light", "dark"]);
  choose(
    settings.preset,
    fields.get("thresholds"),
    PRESETS.map(([name]) => name),
  );
  const startMs = Date.parse(fields.get("from") ?? "");
  const stopMs = Date.parse(fields.get("to") ?? "");
  const part = startMs < stopMs ? { startMs, stopMs } : null;
  const name = fields.get("file");
  const bytes = Number(fields.get("bytes"));
  const file = name === null || !Number.isSafeInteger(bytes) || bytes <= 0 ? null : { name, bytes };
  return part === null && file === null ? null : { part, file };
}

function choose<T extends string>(setting: { value: T }, wanted: string | null, choices: readonly T[]): void {
  const choice = choices.find((one) => one === wanted);
  if (choice !== undefined) setting.value = choice;
}
