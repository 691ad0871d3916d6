import type { Keeper } from "./keeper.js";
import type { StoredSession } from "./stored-session.js";

/** Text below the table. It says whether the recordings are undamaged, and whether they are stored. */
export function StatusLine({
  sound,
  toLookAt,
  isListShown,
  onList,
  keeper,
  stored,
  onClose,
}: {
  sound: number;
  toLookAt: number;
  isListShown: boolean;
  onList: () => void;
  keeper: Keeper | null;
  stored: StoredSession | null;
  onClose: () => void;
}) {
  return (
    <div class="squad-status">
      <span class="good" aria-hidden="true">
        ✓
      </span>
      <span>
        {sound} <span class="wide-only">{sound === 1 ? "recording" : "recordings"}</span> undamaged
      </span>
      {toLookAt > 0 && (
        <button type="button" aria-expanded={isListShown} onClick={onList}>
          {toLookAt} to check
        </button>
      )}
      <span class="spacer" />
      {keeper && <Keeping keeper={keeper} onClose={onClose} />}
      {stored && <stored.Status />}
    </div>
  );
}

function Keeping({ keeper, onClose }: { keeper: Keeper; onClose: () => void }) {
  const keeping = keeper.keeping.value;
  return (
    <>
      <span class="muted keeping" role="status">
        {keeping.text}
      </span>
      <button type="button" onClick={onClose}>
        {keeping.isKept ? "Close and remove" : "Close"}
      </button>
    </>
  );
}
