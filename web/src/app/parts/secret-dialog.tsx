import { useState } from "preact/hooks";
import { Dialog } from "./dialog.js";
import "./secret-dialog.css";

interface SecretDialogProps {
  title: string;
  /** What the user should do with the secret. */
  advice: string;
  secret: string;
  onDone: () => void;
}

/** Shows a secret once. */
export function SecretDialog({ title, advice, secret, onDone }: SecretDialogProps) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Dialog title={title} onClose={onDone}>
      <p>{advice} It is shown only this once.</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <div class="dialog-buttons">
        {/* `clipboard` is missing without TLS, except on localhost */}
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
