import { type Client, newKey, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Checks } from "../parts/checks.js";
import { Field, Form } from "../parts/form.js";
import { onlyChanged, saveChanges } from "../parts/save-changes.js";

interface Props {
  client: Client;
  activity: number;
  /** The webhook to change, or null for a new one. */
  webhook: Resource["Webhook"] | null;
  /** @param secret the new secret; null if it is unchanged */
  onDone: (webhook: Resource["Webhook"], secret: string | null) => void;
  onCancel: () => void;
}

/** Returns a random secret. */
const newSecret = () => `whsec-${newKey()}`;

const EVENTS = [
  ["activity_events", "changes to the activity"],
  ["timeframes_events", "time frames created, changed and deleted"],
] as const;

const textsOf = ({ webhook_url, activity_events, timeframes_events }: Resource["Webhook"]) => ({
  ...{ webhook_url, activity_events, timeframes_events },
});

/** Address, secret and events of a webhook. */
export function WebhookForm({ client, activity, webhook: latest, onDone, onCancel }: Props) {
  // the webhook that the user sees, because the page may load it again while the form is open
  const [webhook] = useState(latest);
  const [secret, setSecret] = useState(() => (webhook === null ? newSecret() : ""));
  return (
    <Form
      action={webhook === null ? "Create webhook" : "Save"}
      onCancel={onCancel}
      onSubmit={async (values, form, changed) => {
        const fields = {
          webhook_url: values("webhook_url").trim(),
          activity_events: values("activity_events") === "on",
          timeframes_events: values("timeframes_events") === "on",
        };
        const path = { activity };
        const edit = (shown: Resource["Webhook"]) => {
          const params = { path: { ...path, webhook: shown.id } };
          return saveChanges({
            ...{ form, changed, shown, textsOf },
            read: () => client.GET("/api/v1/activities/{activity}/webhooks/{webhook}/", { params }),
            write: (headers) =>
              client.PATCH("/api/v1/activities/{activity}/webhooks/{webhook}/", {
                ...{ params, headers },
                body: onlyChanged({ ...fields, secret_token: secret }, changed),
              }),
          });
        };
        const saved =
          webhook === null
            ? unwrap(
                client.POST("/api/v1/activities/{activity}/webhooks/", {
                  params: { path },
                  body: { ...fields, secret_token: secret },
                }),
              )
            : edit(webhook);
        onDone(await saved, secret === "" ? null : secret);
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
        hint="The address begins with https:// or http://. The service sends POST requests to it."
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
            ? "The service sends the secret with every call and signs the call with it, so that the receiver knows the sender."
            : "Leave it empty to keep the secret. An address at another host or port needs it again."
        }
      />
      {webhook === null ? null : (
        <button type="button" onClick={() => setSecret(newSecret())}>
          Create a new secret
        </button>
      )}
      <Checks legend="Called for" of={EVENTS} isChecked={(name) => webhook?.[name] ?? true} />
    </Form>
  );
}
