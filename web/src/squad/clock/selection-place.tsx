import { useLoaded } from "../../view/use-loaded.js";
import type { Clock } from "./clock-state.js";

/** Contains the selection's card, which is loaded during the first selection. */
export function SelectionPlace({ clock }: { clock: Clock }) {
  return clock.brush.value === null ? null : <Loaded clock={clock} />;
}

const load = () => import("./selection-card.js");

function Loaded({ clock }: { clock: Clock }) {
  const part = useLoaded(load);
  return part === null ? null : <part.SelectionCard clock={clock} />;
}
