import { type ReadonlySignal, signal } from "@preact/signals";

// Opening files adds a history entry. "Back" then leads to the view in which the user selected them.

interface Entry {
  shows?: "start" | "files";
}

const entryNow = (): Entry => (history.state as Entry | null) ?? {};

const showsStart = signal(entryNow().shows === "start");

addEventListener("popstate", () => {
  showsStart.value = entryNow().shows === "start";
});

/** Whether the history entry is the start view from which the user opened files. The files stay open. */
export const isAtStart: ReadonlySignal<boolean> = showsStart;

/** Goes from the start view to the entry of the open files. */
export function leaveStart(): void {
  showsStart.value = false;
  // after a reload the entry exists, but its files are closed
  if (entryNow().shows === "files") return;
  history.replaceState({ ...entryNow(), shows: "start" } satisfies Entry, "");
  history.pushState({ shows: "files" } satisfies Entry, "");
}
