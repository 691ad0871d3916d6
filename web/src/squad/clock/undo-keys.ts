import { useEffect } from "preact/hooks";
import type { SquadSession } from "../squad-session.js";

/**
 * Handles keys: Ctrl Z undoes a change to periods; Ctrl Y and Ctrl Shift Z redo it. Fields are excluded, because they have their own undo.
 */
export function useUndoKeys(session: SquadSession): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (event.target instanceof HTMLInputElement && event.target.type !== "checkbox") return;
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) session.periodSteps.undo();
      else if (key === "y" || key === "z") session.periodSteps.redo();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [session]);
}
