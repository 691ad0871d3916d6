import { useSignal } from "@preact/signals";
import type { LookAt, LookAtAction } from "./look-at-item.js";
import { MarkSign } from "./mark-sign.js";
import type { SquadSession } from "./squad-session.js";

/** The list of problems to check. Each problem has its actions. */
export function LookAtList({
  session,
  items,
  onClose,
}: {
  session: SquadSession;
  items: readonly LookAt[];
  onClose: () => void;
}) {
  const copied = useSignal(false);
  const copy = () =>
    navigator.clipboard
      .writeText(items.map(({ where, what, meaning }) => [where, what, meaning].join(" ")).join("\n"))
      .then(
        () => {
          copied.value = true;
        },
        () => undefined,
      );
  return (
    <section class="panel squad-look-at" aria-label="To check">
      <header>
        <h2>
          To check: {items.length} <small>the table is complete without these</small>
        </h2>
        <button type="button" onClick={copy}>
          {copied.value ? "Copied" : "Copy as text"}
        </button>
        <button type="button" class="close" aria-label="Close the list of problems" onClick={onClose}>
          ×
        </button>
      </header>
      <ul>
        {items.map(({ key, recordings, sign, where, what, meaning, actions }) => (
          <li key={`${key} ${recordings}`}>
            <span class={sign === "damaged" || sign === "failed" ? "bad" : ""}>
              <MarkSign kind={sign} />
            </span>
            <span class="where">{where}</span>
            <span class="meaning">
              {what === "" ? null : <b>{what} </b>}
              {meaning}
            </span>
            <span class="buttons">
              {actions.map((action) => (
                <ActionButton key={action.name} session={session} action={action} where={where} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ActionButton({
  session,
  action,
  where,
}: {
  session: SquadSession;
  action: LookAtAction;
  where: string;
}) {
  if ("press" in action) {
    return (
      <button type="button" aria-label={`${action.name}: ${where}`} onClick={action.press}>
        {action.name}
      </button>
    );
  }
  return (
    <label class="button">
      {action.name}
      <input
        type="file"
        class="for-readers"
        aria-label={`${action.name} ${where}`}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) session.opened.replace(action.chooseFor, file);
        }}
      />
    </label>
  );
}
