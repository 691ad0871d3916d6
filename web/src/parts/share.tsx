import { useSignal } from "@preact/signals";
import { type LinkedFile, linkHash } from "../view/link.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { isWhole } from "../view/window.js";
import { Panel } from "./panel.js";

/** A link that shows another person the same view of the same file. */
export function Share({
  file,
  selection,
  settings,
}: {
  file: LinkedFile;
  selection: Selection;
  settings: Settings;
}) {
  const link = useSignal("");
  const isCopied = useSignal(false);
  const share = async () => {
    const { shown, whole } = selection;
    const part = isWhole(shown.peek(), whole.peek()) ? null : shown.peek();
    const address = new URL(linkHash(part, file, settings), location.href).href;
    history.replaceState(history.state, "", address);
    link.value = address;
    try {
      await navigator.clipboard.writeText(address);
      isCopied.value = true;
    } catch {
      // the link is shown, so it can be copied by hand
      isCopied.value = false;
    }
  };
  return (
    <Panel
      title="Share this view"
      note="The link contains the times and settings of this view, and the name and size of the file, but not its data. The receiver needs the file."
    >
      <button type="button" onClick={share}>
        Copy a link
      </button>
      {link.value === "" ? null : (
        <label class="field">
          <span role="status">{isCopied.value ? "Copied." : "Copy this link."}</span>
          <input
            class="wide"
            readOnly
            value={link.value}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        </label>
      )}
    </Panel>
  );
}
