import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.js";

/** A secret, for the only time. */
export function SecretDialog({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Dialog title="The secret of the webhook" onClose={onDone}>
      <p>Give it to the receiver now. It is shown only this once.</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <div class="dialog-buttons">
        {/* not there without TLS, except on this machine */}
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
