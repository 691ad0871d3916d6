import type { SquadSession } from "../squad-session.js";
import { clockOf } from "./clock-state.js";

/** Opens and closes the editor of periods. */
export function PeriodsButton({ session }: { session: SquadSession }) {
  const { isEditing } = clockOf(session);
  return (
    <button
      type="button"
      class="periods-button"
      aria-expanded={isEditing.value}
      onClick={() => {
        isEditing.value = !isEditing.peek();
      }}
    >
      Periods…
    </button>
  );
}
