import { ApiError, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { Field, Form } from "../parts/form.js";
import { dayAndTime } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { confirmation, OwnPassword } from "./own-password.js";
import { SCOPES } from "./scopes.js";

type Waiting = Resource["DeviceSignIn"] & { code: string };

/** Returns whether the service asks the user to confirm an action. */
const isConfirmation = (error: unknown) =>
  error instanceof ApiError && (error.code === "password_required" || error.code === "sign_in_again");

/** Signs in a program that shows a code, such as `asi pull --sign-in`. */
export function ConnectView({ client, account, query, settings }: ViewProps) {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [done, setDone] = useState<string | null>(null);
  /** Whether the user signed in too long ago to approve without the password. */
  const [asksPassword, setAsksPassword] = useState(false);
  const problem = useProblem();
  const find = async (code: string) => {
    setWaiting({ ...(await unwrap(client.POST("/api/v2/device-sign-ins/find/", { body: { code } }))), code });
  };
  const decide = async (code: string, approve: boolean, password: { password?: string } = {}) => {
    try {
      await unwrap(client.POST("/api/v2/device-sign-ins/decide/", { body: { code, approve, ...password } }));
    } catch (error) {
      if (asksPassword || !isConfirmation(error)) throw error;
      setAsksPassword(true);
      return;
    }
    setWaiting(null);
    setDone(
      approve ? "The program is signed in. You can close this page." : "The program does not get access.",
    );
  };
  return (
    <section class="panel padded">
      <h1>Sign in a program</h1>
      {done !== null ? (
        <p role="status">{done}</p>
      ) : waiting === null ? (
        <Form action="Continue" onSubmit={(values) => find(values("code"))}>
          <Field
            name="code"
            label="Code"
            initial={query.get("code") ?? ""}
            autoComplete="off"
            required
            maxLength={40}
            isFirst
            hint="The program shows it, such as WDJB-MJHT."
          />
        </Form>
      ) : (
        <>
          <p>
            <strong>{waiting.application}</strong>, started{" "}
            {dayAndTime(waiting.begun_at, settings.zone.value)}, asks to do this as {account.username} for 10
            hours:
          </p>
          <ul>
            {waiting.scopes.map((scope) => (
              <li key={scope}>{SCOPES.find(([name]) => name === scope)?.[1] ?? scope}</li>
            ))}
          </ul>
          <p>
            Approve only if you have just started this program yourself, and it shows the code{" "}
            <code>{waiting.code}</code>. If someone sent you the code, that person could use your account.
          </p>
          {asksPassword ? (
            <Form action="Approve" onSubmit={(values) => decide(waiting.code, true, confirmation(values))}>
              <OwnPassword client={client} isFirst />
            </Form>
          ) : null}
          <ProblemOf problem={problem} />
          <div class="buttons">
            {asksPassword ? null : (
              <Action
                class="primary"
                problem={problem}
                failed="The program was not signed in."
                busy="One moment…"
                work={() => decide(waiting.code, true)}
              >
                Approve
              </Action>
            )}
            <Action
              problem={problem}
              failed="The program was not refused."
              busy="One moment…"
              work={() => decide(waiting.code, false)}
            >
              Deny
            </Action>
          </div>
        </>
      )}
    </section>
  );
}
