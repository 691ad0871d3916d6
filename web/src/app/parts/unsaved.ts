import { useLayoutEffect } from "preact/hooks";
import { askBeforeLeaving } from "../../view/route.js";
import { ask } from "./dialog.js";

const editors = new Set<() => boolean>();

const hasUnsaved = () => [...editors].some((isUnsaved) => isUnsaved());

/**
 * Asks before the user leaves unsaved changes.
 * @returns whether the user confirms, or has no unsaved changes
 */
export const mayLeave = async (): Promise<boolean> =>
  !hasUnsaved() ||
  ask({
    title: "Leave without saving?",
    text: "Your changes here are not saved.",
    action: "Leave without saving",
  });

askBeforeLeaving(mayLeave);

// the browser asks with its own text
addEventListener("beforeunload", (event) => {
  if (hasUnsaved()) event.preventDefault();
});

/** Asks before the user leaves unsaved changes, as soon as the form appears. @param isUnsaved null to disable the question */
export function useUnsaved(isUnsaved: (() => boolean) | null): void {
  useLayoutEffect(() => {
    if (isUnsaved === null) return;
    editors.add(isUnsaved);
    return () => {
      editors.delete(isUnsaved);
    };
  }, [isUnsaved]);
}
