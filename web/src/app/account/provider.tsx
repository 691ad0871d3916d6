import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { providerName } from "../../view/service.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { Dialog } from "../parts/dialog.js";
import { Form } from "../parts/form.js";
import type { Loaded } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { OwnPassword, type useSignInMethods } from "./own-password.js";
import { signInProblem } from "./provider-words.js";

type Methods = ReturnType<typeof useSignInMethods> extends Loaded<infer Data> ? Data : never;

/** The link of the account to the OpenID provider. */
export function ProviderPanel({
  client,
  session,
  settings,
  query,
  methods,
  onChange,
}: Pick<ViewProps, "client" | "session" | "settings" | "query"> & {
  methods: NonNullable<Methods>;
  onChange: () => void;
}) {
  const [isLinking, setLinking] = useState(false);
  const problem = useProblem();
  const failed = signInProblem(query.get("problem"));
  const { linked_at: linkedAt, last_used_at: usedAt, has_password: hasPassword } = methods;
  const name = providerName.value ?? "";
  const time = (at: string) => dayAndTime(at, settings.zone.value);
  return (
    <section class="panel padded">
      <h2>Signing in with {name}</h2>
      {failed === null ? null : (
        <p class="bad" role="alert">
          {failed}
        </p>
      )}
      <ProblemOf problem={problem} />
      {linkedAt === null ? (
        <>
          <p class="note">Your account is not linked. You sign in with your password.</p>
          <button type="button" onClick={() => setLinking(true)}>
            Link your account…
          </button>
        </>
      ) : (
        <>
          <p class="note">
            Linked since {time(linkedAt)}
            {usedAt === null ? "" : `, last used ${time(usedAt)}`}.
          </p>
          {hasPassword ? (
            <Action
              problem={problem}
              failed="The link was not removed."
              busy="Removing…"
              work={async () => {
                await unwrap(client.DELETE("/api/v2/sign-in-methods/provider/"));
                onChange();
                return "The link is removed.";
              }}
            >
              Remove the link
            </Action>
          ) : null}
        </>
      )}
      {isLinking ? (
        <Dialog title={`Link your account to ${name}`} onClose={() => setLinking(false)}>
          <p>Sign in there once. You can then sign in here with {name} too.</p>
          <Form
            action="Continue"
            onCancel={() => setLinking(false)}
            onSubmit={(values) => session.linkProvider(values("password"))}
          >
            <OwnPassword client={client} isFirst />
          </Form>
        </Dialog>
      ) : null}
    </section>
  );
}
