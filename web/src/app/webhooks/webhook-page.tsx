import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Facts } from "../parts/facts.js";
import { Requested, useRequest } from "../parts/request.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import type { ViewProps } from "../view.js";
import { DeliveryLog } from "./delivery-log.js";
import { WebhookForm } from "./webhook-form.js";
import { eventsOf, stateOf, testWords, WHY_DISABLED } from "./words.js";

type Webhook = Resource["Webhook"];
type Delivery = Resource["WebhookDelivery"];
type Props = ViewProps & { activity: number; webhook: number };

/** A webhook with its log. */
export function WebhookPage(props: Props) {
  const { client, activity, webhook } = props;
  const path = { activity, webhook };
  const request = useRequest(`webhook ${activity} ${webhook}`, (signal) =>
    unwrap(client.GET("/api/v1/activities/{activity}/webhooks/{webhook}/", { params: { path }, signal })),
  );
  const owner = useRequest(`activity ${activity}`, (signal) =>
    unwrap(client.GET("/api/v1/activities/{activity}/", { params: { path: { activity } }, signal })),
  );
  return (
    <>
      <p class="trail">
        <a href="#/webhooks">Webhooks</a> ›{" "}
        <a href={`#/webhooks/${activity}`}>{owner.data?.name ?? `Activity ${activity}`}</a>
      </p>
      <Requested request={request} what="the webhook">
        {(found) => <Details {...props} found={found} onChange={request.replace} onReload={request.reload} />}
      </Requested>
    </>
  );
}

interface DetailsProps extends Props {
  found: Webhook;
  onChange: (webhook: Webhook) => void;
  onReload: () => void;
}

function Details({ client, settings, go, activity, webhook, found, onChange, onReload }: DetailsProps) {
  const [isEditing, setEditing] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const problem = useProblem();
  // deliveries from the button Test or from a repetition whose result is pending
  const [tested, setTested] = useState<Delivery | null>(null);
  const [attempt, setAttempt] = useState(0);
  const zone = settings.zone.value;
  const params = { path: { activity, webhook } };
  return (
    <>
      <div class="view-head">
        <h1>Webhook</h1>
        <Action
          problem={problem}
          failed="The webhook could not be tested."
          busy="Testing…"
          work={async () => {
            const path = "/api/v1/activities/{activity}/webhooks/{webhook}/test/";
            setTested(await unwrap(client.POST(path, { params })));
            setAttempt(attempt + 1);
          }}
        >
          Test
        </Action>
        <button type="button" onClick={() => setEditing(true)}>
          Edit…
        </button>
        <Action
          class="warns"
          problem={problem}
          failed="The webhook was not deleted."
          busy="Deleting…"
          question={{
            title: "Delete this webhook?",
            text: `${found.webhook_url} is no longer called. Events that it has not received yet are not sent, and its log is deleted. This cannot be undone.`,
            action: "Delete webhook",
          }}
          work={async () => {
            await unwrap(client.DELETE("/api/v1/activities/{activity}/webhooks/{webhook}/", { params }));
            go(`/webhooks/${activity}`);
            return "The webhook is deleted.";
          }}
        >
          Delete…
        </Action>
      </div>
      <ProblemOf problem={problem} />
      <section class="panel padded" aria-label="Webhook">
        <Facts
          class="facts webhook-facts"
          of={[
            ["Address", found.webhook_url],
            [
              "State",
              <span key="state" class={found.disabled_at === null ? "" : "bad"}>
                {stateOf(found, zone)}
              </span>,
            ],
            ["Called for", eventsOf(found)],
            ["Secret", <code key="secret">{found.secret_token}</code>],
          ]}
        />
        {found.disabled_at === null ? null : (
          <div class="disabled">
            <p>{WHY_DISABLED}</p>
            <Action
              class="primary"
              problem={problem}
              failed="The webhook could not be enabled."
              busy="Enabling it…"
              work={async () => {
                const path = "/api/v1/activities/{activity}/webhooks/{webhook}/";
                onChange(await unwrap(client.PATCH(path, { params, body: {} })));
                return "The webhook is enabled.";
              }}
            >
              Enable
            </Action>
          </div>
        )}
        <p role="status" class={`test-result ${tested?.state === "failed" ? "bad" : ""}`}>
          {tested === null
            ? null
            : tested.state === "pending" && tested.attempts === 0
              ? "Calling the receiver…"
              : testWords(tested)}
        </p>
      </section>
      <DeliveryLog
        client={client}
        settings={settings}
        path={params.path}
        attempt={attempt}
        onDelivery={(delivery) => {
          if (delivery.id === tested?.id && delivery.state !== tested.state) setTested(delivery);
        }}
        // a refused event may have disabled the webhook
        onEnd={onReload}
      />
      {isEditing ? (
        <Dialog title="Edit the webhook" onClose={() => setEditing(false)}>
          <WebhookForm
            client={client}
            activity={activity}
            webhook={found}
            onCancel={() => setEditing(false)}
            onDone={(changed, newSecret) => {
              setEditing(false);
              setSecret(newSecret);
              announce("The webhook is saved.");
              onChange(changed);
            }}
          />
        </Dialog>
      ) : null}
      {secret === null ? null : (
        <SecretDialog
          title="The secret of the webhook"
          advice="Give it to the receiver now."
          secret={secret}
          onDone={() => setSecret(null)}
        />
      )}
    </>
  );
}
