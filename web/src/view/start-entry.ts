import { type ReadonlySignal, signal } from "@preact/signals";

// Opening files is a step: "Back" leads to the view in which they were chosen, not out of the page.

interface Entry {
  shows?: "start" | "files";
}

const entryNow = (): Entry => (history.state as Entry | null) ?? {};

const showsStart = signal(entryNow().shows === "start");

addEventListener("popstate", () => {
  showsStart.value = entryNow().shows === "start";
});

/** Whether the entry of the history is that of the start view, from which files were opened. They stay open. */
export const isAtStart: ReadonlySignal<boolean> = showsStart;

/** Continues from the start view to an entry for the files that are open. */
export function leaveStart(): void {
  showsStart.value = false;
  // after a reload the entry of the files is there without them
  if (entryNow().shows === "files") return;
  history.replaceState({ ...entryNow(), shows: "start" } satisfies Entry, "");
  history.pushState({ shows: "files" } satisfies Entry, "");
}
