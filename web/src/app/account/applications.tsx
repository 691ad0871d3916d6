import { type Client, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import type { Zone } from "../../view/settings.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { Checks } from "../parts/checks.js";
import { collected } from "../parts/collected.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form, type Values } from "../parts/form.js";
import { Requested, useRequest } from "../parts/request.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import { dayAndTime } from "../parts/when.js";
import { confirmation, OwnPassword } from "./own-password.js";
import { chosenScopes, SCOPES } from "./scopes.js";

/** Applications that act for the manager. They are programs with a client ID and a secret, and request their own tokens. */
export function Applications({ client, zone }: { client: Client; zone: Zone }) {
  const [isCreating, setCreating] = useState(false);
  const [replaced, setReplaced] = useState<Resource["Application"] | null>(null);
  const [created, setCreated] = useState<Resource["NewApplication"] | null>(null);
  const problem = useProblem();
  const request = useRequest("applications", (signal) =>
    collected(client.list("/api/v2/applications/", { params: { query: { limit: 1000 } }, signal })),
  );
  const create = async (values: Values) => {
    const body = { name: values("name").trim(), scopes: chosenScopes(values), ...confirmation(values) };
    const application = await unwrap(client.POST("/api/v2/applications/", { body }));
    setCreating(false);
    setCreated(application);
    request.reload();
  };
  const replace = (id: number) => async (values: Values) => {
    const params = { path: { application: id } };
    const body = confirmation(values);
    setCreated(await unwrap(client.POST("/api/v2/applications/{application}/secret/", { params, body })));
    setReplaced(null);
  };
  const close = () => setCreating(false);
  return (
    <section class="panel padded">
      <h2>Applications</h2>
      <p class="note">
        An application requests its own tokens with its client ID and its secret (OAuth 2.0 client
        credentials). It acts for you, within its rights, until you delete it.
      </p>
      <ProblemOf problem={problem} />
      <Requested request={request} what="the applications">
        {(applications) => (
          <ul class="sessions">
            {applications.map((application) => {
              const { id, name, scopes, client_id, created_at, last_used_at } = application;
              return (
                <li key={id}>
                  <div>
                    <strong>{name}</strong>
                    <p class="note">
                      {scopes.join(", ")}; since {dayAndTime(created_at, zone)},{" "}
                      {last_used_at === null ? "not used yet" : `last used ${dayAndTime(last_used_at, zone)}`}
                      ; client ID <code class="secret">{client_id}</code>
                    </p>
                  </div>
                  <button
                    type="button"
                    aria-label={`Replace the secret of ${name}…`}
                    onClick={() => setReplaced(application)}
                  >
                    Replace the secret…
                  </button>
                  <Action
                    problem={problem}
                    failed="The application was not deleted."
                    busy="Deleting…"
                    label={`Delete the application ${name}`}
                    question={{
                      title: `Delete the application ${name}?`,
                      text: "Its secret and its tokens stop working immediately.",
                      action: "Delete",
                    }}
                    work={async () => {
                      const params = { path: { application: id } };
                      await unwrap(client.DELETE("/api/v2/applications/{application}/", { params }));
                      request.reload();
                      return "The application is deleted.";
                    }}
                  >
                    Delete
                  </Action>
                </li>
              );
            })}
          </ul>
        )}
      </Requested>
      <button type="button" onClick={() => setCreating(true)}>
        Create an application…
      </button>
      {isCreating ? (
        <Dialog title="An application that acts for you" onClose={close}>
          <Form action="Create" onCancel={close} onSubmit={create}>
            <Field
              name="name"
              label="Name"
              required
              maxLength={100}
              isFirst
              hint="Purpose of the application."
            />
            <Checks
              legend="The application may"
              of={SCOPES}
              isChecked={(scope) => scope === "samples:read"}
            />
            <OwnPassword client={client} />
          </Form>
        </Dialog>
      ) : null}
      {replaced === null ? null : (
        <Dialog title={`A new secret for ${replaced.name}`} onClose={() => setReplaced(null)}>
          <p>The current secret and its tokens stop working immediately.</p>
          <Form action="Replace" onCancel={() => setReplaced(null)} onSubmit={replace(replaced.id)}>
            <OwnPassword client={client} isFirst />
          </Form>
        </Dialog>
      )}
      {created === null ? null : (
        <SecretDialog
          title="The secret of the application"
          advice={`Copy it into the settings of the program now, with the client ID ${created.client_id}.`}
          secret={created.client_secret}
          onDone={() => setCreated(null)}
        />
      )}
    </section>
  );
}
