import { effect, type Signal, signal } from "@preact/signals";

/** Returns a choice that is stored in this browser. */
export function remembered<T extends string>(key: string, choices: readonly T[], otherwise: T): Signal<T> {
  const stored = readStored(key);
  return rememberedFrom(key, choices.find((one) => one === stored) ?? otherwise);
}

/** Returns a text that this browser stores, which is empty by default. */
export function rememberedText(key: string): Signal<string> {
  return rememberedFrom(key, readStored(key) ?? "");
}

function rememberedFrom<T extends string>(key: string, first: T): Signal<T> {
  const choice = signal(first);
  let isFirst = true;
  effect(() => {
    const value = choice.value;
    // the default is not stored
    if (!isFirst) writeStored(key, value);
    isFirst = false;
  });
  return choice;
}

// Reads from the storage. Private windows of some browsers lack it, and so does a page that is opened as a file.
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {}
}
