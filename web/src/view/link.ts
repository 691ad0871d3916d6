import { PRESETS, type Settings } from "./settings.js";
import type { TimeWindow } from "./window.js";

/** The part of an address that says what is shown and how. It contains no data of a recording but two times. */
export function linkHash(shown: TimeWindow | null, settings: Settings): string {
  const fields = new URLSearchParams();
  if (shown !== null) {
    fields.set("from", new Date(Math.round(shown.startMs)).toISOString());
    fields.set("to", new Date(Math.round(shown.stopMs)).toISOString());
  }
  fields.set("speed", settings.speedUnit.value);
  fields.set("times", settings.zone.value);
  fields.set("theme", settings.theme.value);
  fields.set("thresholds", settings.preset.value);
  return `#${fields}`;
}

/** Applies a link to the settings; gives the part that it shows, or null. Whatever is not understood is left out. */
export function applyLink(hash: string, settings: Settings): TimeWindow | null {
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
  return startMs < stopMs ? { startMs, stopMs } : null;
}

function choose<T extends string>(setting: { value: T }, wanted: string | null, choices: readonly T[]): void {
  const choice = choices.find((one) => one === wanted);
  if (choice !== undefined) setting.value = choice;
}
