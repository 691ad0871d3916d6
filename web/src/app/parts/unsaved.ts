import { useLayoutEffect } from "preact/hooks";
import { askBeforeLeaving } from "../../view/route.js";
import { ask } from "./dialog.js";

const editors = new Set<() => boolean>();

const hasUnsaved = () => [...editors].some((isUnsaved) => isUnsaved());

/** Asks before the user leaves unsaved changes. @returns whether the user wants to leave, or has no unsaved changes */
export const mayLeave = async (): Promise<boolean> =>
  !hasUnsaved() ||
  ask({
    title: "Leave without saving?",
    text: "What you have changed here is not saved.",
    action: "Leave without saving",
  });

askBeforeLeaving(mayLeave);

// the question of the browser, with words of its own
addEventListener("beforeunload", (event) => {
  if (hasUnsaved()) event.preventDefault();
});

/** Asks before the user leaves what is not saved, from the moment it appears. @param isUnsaved null where nobody minds */
export function useUnsaved(isUnsaved: (() => boolean) | null): void {
  useLayoutEffect(() => {
    if (isUnsaved === null) return;
    editors.add(isUnsaved);
    return () => {
      editors.delete(isUnsaved);
    };
  }, [isUnsaved]);
}
