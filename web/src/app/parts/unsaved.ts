import { useLayoutEffect } from "preact/hooks";
import { askBeforeLeaving, type Leaving } from "../../view/route.js";
import { ask } from "./dialog.js";

/** Changes that can be lost. */
export interface Unsaved {
  /** The smallest step that loses them. Greater steps lose them too. */
  lostWith: Leaving;
  isUnsaved: () => boolean;
  /** The changes in a sentence. */
  text: string;
  /** Waits for a running attempt to save them. */
  settle?: () => Promise<void>;
}

/** From the smallest to the greatest. */
const STEPS: readonly Leaving[] = ["view", "squad", "page"];

const registered = new Set<Unsaved>();

/** Asks before these changes are lost, in any view, until the returned function is called. */
export function askBeforeLosing(unsaved: Unsaved): () => void {
  registered.add(unsaved);
  return () => registered.delete(unsaved);
}

/**
 * Asks before the user leaves unsaved changes.
 * @returns whether the user confirms, or has no unsaved changes
 */
export async function mayLeave(leaving: Leaving = "page"): Promise<boolean> {
  const concerned = [...registered].filter(
    ({ lostWith }) => STEPS.indexOf(lostWith) <= STEPS.indexOf(leaving),
  );
  for (const { settle } of concerned) await settle?.();
  const texts = concerned.flatMap(({ isUnsaved, text }) => (isUnsaved() ? text : []));
  return (
    texts.length === 0 ||
    ask({
      title: "Leave without saving?",
      text: [...new Set(texts)].join(" "),
      action: "Leave without saving",
    })
  );
}

askBeforeLeaving(mayLeave);

// the browser asks with its own text
addEventListener("beforeunload", (event) => {
  if ([...registered].some(({ isUnsaved }) => isUnsaved())) event.preventDefault();
});

/** Asks before the user leaves unsaved changes, as soon as the form appears. @param isUnsaved null to disable the question */
export function useUnsaved(isUnsaved: (() => boolean) | null): void {
  useLayoutEffect(() => {
    if (isUnsaved === null) return;
    return askBeforeLosing({ lostWith: "view", isUnsaved, text: "Your changes here are not saved." });
  }, [isUnsaved]);
}
