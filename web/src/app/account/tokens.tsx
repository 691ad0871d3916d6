import { type Client, unwrap } from "asi-client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Zone } from "../../view/settings.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { Checks } from "../parts/checks.js";
import { collected } from "../parts/collected.js";
import { Dialog } from "../parts/dialog.js";
import { Choice, Field, Form, type Values } from "../parts/form.js";
import { Requested, useRequest } from "../parts/request.js";
import { SecretDialog } from "../parts/secret-dialog.js";
import { dayAndTime } from "../parts/when.js";
import { confirmation, OwnPassword } from "./own-password.js";
import { chosenScopes, SCOPES } from "./scopes.js";

const LIFETIMES_DAYS = [30, 90, 365];

/** Tokens for programs, with their rights and expiry. */
export function Tokens({
  client,
  zone,
  children,
}: {
  client: Client;
  zone: Zone;
  children: ComponentChildren;
}) {
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const problem = useProblem();
  const request = useRequest("tokens", (signal) =>
    collected(client.list("/api/v2/tokens/", { params: { query: { limit: 1000 } }, signal })),
  );
  const create = async (values: Values) => {
    const body = {
      name: values("name").trim(),
      scopes: chosenScopes(values),
      valid_days: Number(values("valid_days")),
      ...confirmation(values),
    };
    const { token } = await unwrap(client.POST("/api/v2/tokens/", { body }));
    setCreating(false);
    setSecret(token);
    request.reload();
  };
  const close = () => setCreating(false);
  return (
    <section class="panel padded">
      <h2>For programs</h2>
      <p class="note">
        A program that runs by itself signs in with a token. It can do only what you allow, until a date that
        you choose. A new password ends all tokens. {children}
      </p>
      <ProblemOf problem={problem} />
      <Requested request={request} what="the tokens">
        {(tokens) => (
          <ul class="sessions">
            {tokens.map((token) => (
              <li key={token.id}>
                <div>
                  <strong>{token.name}</strong>
                  <p class="note">
                    {token.scopes.join(", ")}; until {dayAndTime(token.expires_at, zone)};{" "}
                    {token.last_used_at === token.created_at
                      ? "not used yet"
                      : `last used ${dayAndTime(token.last_used_at, zone)}`}
                  </p>
                </div>
                <Action
                  problem={problem}
                  failed="The token was not deleted."
                  busy="Deleting…"
                  label={`Delete the token ${token.name}`}
                  work={async () => {
                    const path = { token: token.id };
                    await unwrap(client.DELETE("/api/v2/tokens/{token}/", { params: { path } }));
                    request.reload();
                    return "The token is deleted.";
                  }}
                >
                  Delete
                </Action>
              </li>
            ))}
          </ul>
        )}
      </Requested>
      <button type="button" onClick={() => setCreating(true)}>
        Create a token…
      </button>
      {isCreating ? (
        <Dialog title="A token for a program" onClose={close}>
          <Form action="Create" onCancel={close} onSubmit={create}>
            <Field name="name" label="Name" required maxLength={100} isFirst hint="Purpose of the token." />
            <Checks legend="The program may" of={SCOPES} isChecked={(scope) => scope === "samples:read"} />
            <Choice
              name="valid_days"
              label="Valid for"
              choices={LIFETIMES_DAYS.map((days) => [String(days), `${days} days`])}
            />
            <OwnPassword client={client} />
          </Form>
        </Dialog>
      ) : null}
      {secret === null ? null : (
        <SecretDialog
          title="The token"
          advice="Copy it into the settings of the program now, for example as ASI_TOKEN."
          secret={secret}
          onDone={() => setSecret(null)}
        />
      )}
    </section>
  );
}
