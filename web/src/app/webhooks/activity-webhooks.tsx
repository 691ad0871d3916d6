import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.js";
import { ListOf, useList } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import { Records } from "../parts/records.js";
import { Requested, useRequest } from "../parts/request.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import type { ViewProps } from "../view.js";
import { WebhookForm } from "./webhook-form.js";
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
  const list = useList(`webhooks ${activity}`, (query, signal) =>
    unwrap(client.GET("/api/v1/activities/{activity}/webhooks/", { params: { path, query }, signal })),
  );
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
          <ListOf
            list={list}
            what="the webhooks"
            empty={
              <Nothing title="No webhooks yet">
                <p>
                  Choose <em>New webhook</em> and enter an address of your own program. The service calls it
                  when the activity or its time frames change, so that the program does not need to poll.
                </p>
              </Nothing>
            }
          >
            {(webhooks) => (
              <div class="panel padded">
                <Records
                  rows={webhooks}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      name: "Address",
                      of: ({ id, webhook_url }) => <a href={`#/webhooks/${activity}/${id}`}>{webhook_url}</a>,
                    },
                    {
                      name: "State",
                      of: (one) => (
                        <span class={one.disabled_at === null ? "" : "bad"}>{stateOf(one, zone)}</span>
                      ),
                    },
                    { name: "Called for", of: eventsOf },
                  ]}
                />
              </div>
            )}
          </ListOf>
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
            <SecretDialog
              title="The secret of the webhook"
              advice="Give it to the receiver now."
              secret={created.secret}
              onDone={() => go(`/webhooks/${activity}/${created.id}`)}
            />
          )}
        </>
      )}
    </Requested>
  );
}
