import { hasPasswords, providerName } from "../../view/service.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { Field, Form } from "../parts/form.js";
import type { Account, Session } from "../session.js";

interface Props {
  session: Session;
  /** The account whose session has expired, or null if nobody was signed in. */
  account?: Account | null;
}

/** A form with username and password, and a button for the OpenID provider. */
export function SignInForm({ session, account = null }: Props) {
  return (
    <>
      {hasPasswords.value ? <PasswordForm session={session} account={account} /> : null}
      {providerName.value === null ? null : <ProviderButton session={session} />}
    </>
  );
}

function ProviderButton({ session }: Props) {
  const problem = useProblem();
  return (
    <>
      <ProblemOf problem={problem} />
      <Action
        problem={problem}
        failed="You cannot sign in this way at the moment."
        busy="One moment…"
        work={() => session.signInWithProvider()}
      >
        Sign in with {providerName.value}
      </Action>
    </>
  );
}

function PasswordForm({ session, account = null }: Props) {
  return (
    <Form action="Sign in" onSubmit={(values) => session.signIn(values("username"), values("password"))}>
      <Field
        name="username"
        label="Username"
        autoComplete="username"
        required
        isFirst={account === null}
        initial={account?.username}
      />
      <Field
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        isFirst={account !== null}
      />
    </Form>
  );
}
