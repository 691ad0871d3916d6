import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.js";
import { List, useList } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import type { ViewProps } from "../view.js";
import { SecretOnce, WebhookForm } from "./webhook-form.js";
import { eventsOf, stateOf } from "./words.js";

/** The webhooks of an activity. */
export function ActivityWebhooks({ client, settings, activity, go }: ViewProps & { activity: number }) {
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ id: number; secret: string } | null>(null);
  const zone = settings.zone.value;
  const path = { activity };
  const owner = useRequest(`activity ${activity}`, (signal) =>
    unwrap(client.GET("/api/v1/activities/{activity}/", { params: { path }, signal })),
  );
  const load = (page: number, signal?: AbortSignal) =>
    unwrap(
      client.GET("/api/v1/activities/{activity}/webhooks/", {
        params: { path, query: { page, limit: 50 } },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const list = useList(`webhooks ${activity}`, load);
  const toCreated = () => {
    if (created !== null) go(`/webhooks/${activity}/${created.id}`);
  };
  return (
    <Requested request={owner} what="the activity">
      {({ name }) => (
        <>
          <p class="trail">
            <a href="#/webhooks">Webhooks</a> › <a href={`#/activities/${activity}`}>{name}</a>
          </p>
          <div class="view-head">
            <h1>Webhooks of {name}</h1>
            <button type="button" class="primary" onClick={() => setCreating(true)}>
              New webhook…
            </button>
          </div>
          <section class="panel padded" aria-label="Webhooks">
            <List
              list={list}
              load={load}
              what="the webhooks"
              empty={
                <Nothing title="No webhooks yet">
                  <p>
                    Choose <em>New webhook</em> and enter an address of your own program: the service calls it
                    when the activity or its time frames change, so that it need not ask again and again.
                  </p>
                </Nothing>
              }
            >
              {(webhooks) => (
                <table class="flowing">
                  <thead>
                    <tr>
                      <th scope="col">Address</th>
                      <th scope="col" class="text">
                        State
                      </th>
                      <th scope="col" class="text">
                        Called for
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {webhooks.map((webhook) => (
                      <tr key={webhook.id}>
                        <th scope="row" class="wrapped">
                          <a href={`#/webhooks/${activity}/${webhook.id}`}>{webhook.webhook_url}</a>
                        </th>
                        <td class={webhook.disabled_at === null ? "text" : "text bad"}>
                          {stateOf(webhook, zone)}
                        </td>
                        <td class="text" data-label="Called for">
                          {eventsOf(webhook)}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </List>
          </section>
          {isCreating ? (
            <Dialog title="New webhook" onClose={() => setCreating(false)}>
              <WebhookForm
                client={client}
                activity={activity}
                webhook={null}
                onCancel={() => setCreating(false)}
                onDone={({ id }, secret) => {
                  setCreating(false);
                  setCreated({ id, secret: secret ?? "" });
                }}
              />
            </Dialog>
          ) : null}
          {created === null ? null : (
            <Dialog title="The secret of the webhook" onClose={toCreated}>
              <SecretOnce secret={created.secret} onDone={toCreated} />
            </Dialog>
          )}
        </>
      )}
    </Requested>
  );
}
