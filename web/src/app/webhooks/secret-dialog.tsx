import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.js";

/** Shows a secret, which is visible only once. */
export function SecretDialog({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Dialog title="The secret of the webhook" onClose={onDone}>
      <p>Give it to the receiver now. It is shown only this once.</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <div class="dialog-buttons">
        {/* unavailable without TLS, except on localhost */}
        {navigator.clipboard === undefined ? null : (
          <button
            type="button"
            onClick={() =>
              navigator.clipboard.writeText(secret).then(
                () => setCopied(true),
                () => setCopied(false),
              )
            }
          >
            {isCopied ? "Copied" : "Copy"}
          </button>
        )}
        <button type="button" class="primary" onClick={onDone}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
