import { useLoaded } from "../../view/use-loaded.js";
import type { SquadSession } from "../squad-session.js";
import { type Clock, clockOf } from "./clock-state.js";
import { useUndoKeys } from "./undo-keys.js";

/** Contains the editor of periods, which is loaded on first use. Renders nothing while the editor is closed. */
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
