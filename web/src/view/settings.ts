import { effect, type Signal, signal } from "@preact/signals";

/** In which zone times are shown. */
export type Zone = "local" | "utc";
export type SpeedUnit = "km/h" | "m/s";
export type ThemeChoice = "light" | "dark";

export interface Settings {
  theme: Signal<ThemeChoice>;
  zone: Signal<Zone>;
  speedUnit: Signal<SpeedUnit>;
}

/** Settings of this browser; they are remembered. */
export function rememberedSettings(): Settings {
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return {
    theme: remembered("asi-theme", ["light", "dark"], prefersDark ? "dark" : "light"),
    zone: remembered("asi-zone", ["local", "utc"], "local"),
    speedUnit: remembered("asi-speed-unit", ["km/h", "m/s"], "km/h"),
  };
}

function remembered<T extends string>(key: string, choices: readonly T[], otherwise: T): Signal<T> {
  const stored = read(key);
  const choice = signal(choices.find((one) => one === stored) ?? otherwise);
  let isFirst = true;
  effect(() => {
    const value = choice.value;
    // what nobody chose is not remembered: the browser's preference may change
    if (!isFirst) write(key, value);
    isFirst = false;
  });
  return choice;
}

// Storage is missing in private windows of some browsers, and for a page opened as a file.
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {}
}
