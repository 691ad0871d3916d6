import { useEffect } from "preact/hooks";
import { useLoaded } from "../../view/use-loaded.js";
import type { SquadSession } from "../squad-session.js";
import { type Clock, clockOf } from "./clock-state.js";

/** The place of the periods' editor, which is loaded when it is first opened; nothing while it is closed. */
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

/** Ctrl Z takes back a change of periods, Ctrl Y and Ctrl Shift Z bring it again: except in a field, which has its own. */
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
