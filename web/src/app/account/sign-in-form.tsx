import { Field, Form } from "../parts/form.js";
import type { Account, Session } from "../session.js";

interface Props {
  session: Session;
  /** The account with the expired session; null when nobody was signed in. */
  account?: Account | null;
}

/** A form with username and password. */
export function SignInForm({ session, account = null }: Props) {
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
