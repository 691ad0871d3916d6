import { useEffect } from "preact/hooks";
import { useLoaded } from "../../view/use-loaded.js";
import type { SquadSession } from "../squad-session.js";
import { type Clock, clockOf } from "./clock-state.js";

/** The place of the editor of periods, which is loaded on first use; empty while it is closed. */
export function PeriodPanel({ session }: { session: SquadSession }) {
  const clock = clockOf(session);
  useUndoKeys(session);
  return clock.isEditing.value ? <Loaded clock={clock} /> : null;
}

const load = () => import("./period-editor.js");

function Loaded({ clock }: { clock: Clock }) {
  const part = useLoaded(load);
  return part === null ? null : <part.PeriodEditor clock={clock} />;
}

/** Ctrl Z undoes a change of periods, Ctrl Y and Ctrl Shift Z redo it, except in a field, which has its own undo. */
function useUndoKeys(session: SquadSession): void {
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
