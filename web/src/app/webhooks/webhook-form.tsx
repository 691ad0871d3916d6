import { type Client, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Field, Form } from "../parts/form.js";

interface Props {
  client: Client;
  activity: number;
  /** The webhook that is changed; null for a new one. */
  webhook: Resource["Webhook"] | null;
  /** @param secret the new secret; null where it stays */
  onDone: (webhook: Resource["Webhook"], secret: string | null) => void;
  onCancel: () => void;
}

const SECRET_BYTES = 24;

/** A secret that nobody guesses. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Address, secret and events of a webhook. */
export function WebhookForm({ client, activity, webhook, onDone, onCancel }: Props) {
  const [secret, setSecret] = useState(() => (webhook === null ? newSecret() : ""));
  return (
    <Form
      action={webhook === null ? "Create webhook" : "Save"}
      onCancel={onCancel}
      onSubmit={async (values) => {
        const fields = {
          webhook_url: values("webhook_url").trim(),
          activity_events: values("activity_events") === "on",
          timeframes_events: values("timeframes_events") === "on",
        };
        const path = { activity };
        const saved =
          webhook === null
            ? client.POST("/api/v1/activities/{activity}/webhooks/", {
                params: { path },
                body: { ...fields, secret_token: secret },
              })
            : client.PATCH("/api/v1/activities/{activity}/webhooks/{webhook}/", {
                params: { path: { ...path, webhook: webhook.id } },
                body: { ...fields, ...(secret === "" ? {} : { secret_token: secret }) },
              });
        onDone(await unwrap(saved), secret === "" ? null : secret);
      }}
    >
      <Field
        name="webhook_url"
        label="Address"
        type="url"
        required
        isFirst
        maxLength={200}
        initial={webhook?.webhook_url ?? ""}
        hint="Begins with https:// or http://. The service sends a POST to it."
      />
      <Field
        name="secret_token"
        label={webhook === null ? "Secret" : "New secret"}
        required={webhook === null}
        maxLength={100}
        autoComplete="off"
        value={secret}
        onValue={setSecret}
        hint={
          webhook === null
            ? "Sent with every call and used to sign it, so that the receiver knows who calls. Shown only now."
            : "Leave it empty to keep the secret."
        }
      />
      {webhook === null ? null : (
        <button type="button" onClick={() => setSecret(newSecret())}>
          Make a new secret
        </button>
      )}
      <fieldset class="checks">
        <legend>Called for</legend>
        <label class="check">
          <input type="checkbox" name="activity_events" defaultChecked={webhook?.activity_events ?? true} />
          changes of the activity
        </label>
        <label class="check">
          <input
            type="checkbox"
            name="timeframes_events"
            defaultChecked={webhook?.timeframes_events ?? true}
          />
          time frames created, changed and deleted
        </label>
      </fieldset>
    </Form>
  );
}

/** A secret, for the only time. */
export function SecretOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <p>Give it to the receiver now: it is not shown again.</p>
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
    </>
  );
}
