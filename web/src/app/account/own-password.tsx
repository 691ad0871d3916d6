import { type Client, unwrap } from "asi-client";
import { providerName } from "../../view/service.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { Field, type Values } from "../parts/form.js";
import { useRequest } from "../parts/request.js";
import { authenticateAgain } from "../session.js";

/**
 * Requests the ways in which the user can sign in. The data are null if there is no OpenID provider, because every user then has a
 * password.
 */
export const useSignInMethods = (client: Client) =>
  useRequest("sign-in methods", async (signal) =>
    providerName.peek() === null ? null : unwrap(client.GET("/api/v2/sign-in-methods/", { signal })),
  );

/** Returns the password in the form. The form of a user without a password has no password field. */
export function confirmation(values: Values): { password?: string } {
  const password = values("password");
  return password === "" ? {} : { password };
}

/** Asks users for their password to confirm an action. Users without a password must have signed in recently. */
export function OwnPassword({ client, isFirst = false }: { client: Client; isFirst?: boolean }) {
  const { data, isLoading } = useSignInMethods(client);
  const problem = useProblem();
  if (isLoading) return null;
  if (data?.has_password === false) {
    return (
      <>
        <p class="note">
          You sign in with {data.provider}. This works in the first 5 minutes after you have signed in.
        </p>
        <ProblemOf problem={problem} />
        <Action
          problem={problem}
          failed="You cannot sign in at the moment."
          busy="One moment…"
          work={() => authenticateAgain(client)}
        >
          Sign in again
        </Action>
      </>
    );
  }
  return (
    <Field
      name="password"
      label="Your password"
      type="password"
      autoComplete="current-password"
      required
      maxLength={128}
      isFirst={isFirst}
    />
  );
}
