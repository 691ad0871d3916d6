import type { ComponentChildren } from "preact";
import { Field, Form } from "../parts/form.js";
import type { Session } from "../session.js";
import { SignInForm } from "./sign-in-form.js";

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel welcome">
      <h1>{title}</h1>
      {children}
    </section>
  );
}

/** The way in. */
export function SignIn({ session }: { session: Session }) {
  return (
    <Card title="Sign in">
      <SignInForm session={session} />
      <p>
        No account yet? <a href="#/register">Register</a>
      </p>
    </Card>
  );
}

/** Makes a manager. */
export function Register({ session }: { session: Session }) {
  return (
    <Card title="Register">
      <p class="note">A manager owns devices, and sees the recordings of athletes who allow it.</p>
      <Form
        action="Register"
        onSubmit={async (values, form) => {
          const isWearer = (form.elements.namedItem("is_wearer") as HTMLInputElement).checked;
          const name = { first_name: values("first_name") || null, last_name: values("last_name") || null };
          await session.register(
            {
              username: values("username"),
              email: values("email"),
              password: values("password"),
              manager_profile: name,
              ...(isWearer ? { athlete_profile: name } : {}),
            },
            isWearer,
          );
        }}
      >
        <Field name="username" label="User name" autoComplete="username" required maxLength={150} isFirst />
        <Field name="email" label="E-mail" type="email" autoComplete="email" required maxLength={254} />
        <Field
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={128}
          hint="At least 8 characters."
        />
        <Field name="first_name" label="First name" autoComplete="given-name" maxLength={150} />
        <Field name="last_name" label="Last name" autoComplete="family-name" maxLength={150} />
        <label class="check">
          <input type="checkbox" name="is_wearer" />I wear a device myself
        </label>
      </Form>
      <p>
        You have an account? <a href="#/sign-in">Sign in</a>
      </p>
    </Card>
  );
}
