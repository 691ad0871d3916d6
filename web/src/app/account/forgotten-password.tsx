import { useState } from "preact/hooks";
import { goInstead } from "../../view/route.js";
import { announce } from "../parts/announcements.js";
import { Field, Form } from "../parts/form.js";
import type { Session } from "../session.js";
import { NewPasswordField } from "./account-fields.js";
import { Card } from "./card.js";

/** Requests an email with a link for a new password. */
export function ForgottenPassword({ session }: { session: Session }) {
  const [username, setUsername] = useState<string | null>(null);
  if (username !== null) {
    return (
      <Card title="Check your email">
        <p role="status">
          If there is an account “{username}” with an address, an email is on its way to it. Its link works
          once, and for one hour.
        </p>
        <p>
          No email? <a href="#/sign-in">Try to sign in</a>, or ask the person who runs the service.
        </p>
      </Card>
    );
  }
  return (
    <Card title="Forgotten password">
      <p class="note">You get an email with a link that lets you set a new password.</p>
      <Form
        action="Send the email"
        onSubmit={async (values) => {
          await session.requestPasswordReset(values("username").trim());
          setUsername(values("username").trim());
        }}
      >
        <Field name="username" label="Username" autoComplete="username" required maxLength={150} isFirst />
      </Form>
      <p>
        <a href="#/sign-in">Back to signing in</a>
      </p>
    </Card>
  );
}

/** Sets a new password with the token from the link in the email. */
export function NewPassword({ session, token }: { session: Session; token: string }) {
  return (
    <Card title="Set a new password">
      <Form
        action="Set the password"
        onSubmit={async (values) => {
          await session.resetPassword(token, values("password"));
          announce("The password is set. Sign in with it.");
          // "Back" must not lead to a used link
          goInstead("/sign-in");
        }}
      >
        <NewPasswordField more=" All your sessions end." isFirst />
      </Form>
      <p>
        <a href="#/forgotten-password">Ask for another link</a>
      </p>
    </Card>
  );
}
