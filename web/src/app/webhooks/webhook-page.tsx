import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { announce } from "../parts/announcements.js";
import { ask, Dialog } from "../parts/dialog.js";
import { ProblemCard } from "../parts/problem.js";
import { Requested, useRequest } from "../parts/request.js";
import type { ViewProps } from "../view.js";
import { DeliveryLog } from "./delivery-log.js";
import { SecretOnce, WebhookForm } from "./webhook-form.js";
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
  const [problem, setProblem] = useState<{ title: string; error: unknown } | null>(null);
  // deliveries that the reader waits for: one by the button Test, others sent again
  const [tested, setTested] = useState<Delivery | null>(null);
  const [attempt, setAttempt] = useState(0);
  const zone = settings.zone.value;
  const path = { activity, webhook };

  const attempting = async (title: string, work: () => Promise<unknown>) => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem({ title, error });
    }
  };
  const test = () =>
    attempting("The webhook could not be tested.", async () => {
      setTested(
        await unwrap(
          client.POST("/api/v1/activities/{activity}/webhooks/{webhook}/test/", { params: { path } }),
        ),
      );
      setAttempt(attempt + 1);
    });
  const enable = () =>
    attempting("The webhook could not be turned on.", async () => {
      const after = await unwrap(
        client.PATCH("/api/v1/activities/{activity}/webhooks/{webhook}/", { params: { path }, body: {} }),
      );
      announce("The webhook is on.");
      onChange(after);
    });
  const remove = () =>
    attempting("The webhook was not deleted.", async () => {
      const isSure = await ask({
        title: "Delete this webhook?",
        text: `${found.webhook_url} is not called any more. Events that it has not got yet are not sent, and its log is gone. This cannot be undone.`,
        action: "Delete webhook",
      });
      if (!isSure) return;
      await unwrap(client.DELETE("/api/v1/activities/{activity}/webhooks/{webhook}/", { params: { path } }));
      announce("The webhook is deleted.");
      go(`/webhooks/${activity}`);
    });

  return (
    <>
      <div class="view-head">
        <h1>Webhook</h1>
        <button type="button" onClick={test}>
          Test
        </button>
        <button type="button" onClick={() => setEditing(true)}>
          Edit…
        </button>
        <button type="button" onClick={remove}>
          Delete…
        </button>
      </div>
      {problem === null ? null : <ProblemCard title={problem.title} error={problem.error} />}
      <section class="panel padded" aria-label="Webhook">
        <dl class="facts webhook-facts">
          <div>
            <dt>Address</dt>
            <dd>{found.webhook_url}</dd>
          </div>
          <div>
            <dt>State</dt>
            <dd class={found.disabled_at === null ? "" : "bad"}>{stateOf(found, zone)}</dd>
          </div>
          <div>
            <dt>Called for</dt>
            <dd>{eventsOf(found)}</dd>
          </div>
          <div>
            <dt>Secret</dt>
            <dd>
              <code>{found.secret_token}</code>
            </dd>
          </div>
        </dl>
        {found.disabled_at === null ? null : (
          <div class="disabled">
            <p>{WHY_DISABLED}</p>
            <button type="button" class="primary" onClick={enable}>
              Turn on
            </button>
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
        path={path}
        attempt={attempt}
        onDelivery={(delivery) => {
          if (delivery.id === tested?.id && delivery.state !== tested.state) setTested(delivery);
        }}
        // an event that was not accepted may have switched it off
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
        <Dialog title="The secret of the webhook" onClose={() => setSecret(null)}>
          <SecretOnce secret={secret} onDone={() => setSecret(null)} />
        </Dialog>
      )}
    </>
  );
}
