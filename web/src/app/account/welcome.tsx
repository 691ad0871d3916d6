import { useState } from "preact/hooks";
import { hasPasswords } from "../../view/service.js";
import { Form } from "../parts/form.js";
import { requireName } from "../parts/require-name.js";
import type { Session } from "../session.js";
import { LoginFields, NameFields, NewPasswordField } from "./account-fields.js";
import { Card } from "./card.js";
import { SignInForm } from "./sign-in-form.js";

/** The sign-in page. */
export function SignIn({ session, problem }: { session: Session; problem: string | null }) {
  return (
    <Card title="Sign in">
      {problem === null ? null : (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <SignInForm session={session} />
      {hasPasswords.value ? (
        <>
          <p>
            <a href="#/forgotten-password">Forgotten password?</a>
          </p>
          <p>
            No account yet? <a href="#/register">Register</a>
          </p>
        </>
      ) : null}
    </Card>
  );
}

const ROLES = [
  ["manager", "I look after devices and athletes"],
  ["athlete", "I am an athlete"],
] as const;

/** The page on which a manager or an athlete registers. */
export function Register({ session }: { session: Session }) {
  const [role, setRole] = useState<"manager" | "athlete">("manager");
  return (
    <Card title="Register">
      <Form
        action="Register"
        onSubmit={async (values) => {
          const who = {
            username: values("username").trim(),
            email: values("email").trim(),
            password: values("password"),
          };
          const name = {
            first_name: values("first_name").trim() || null,
            last_name: values("last_name").trim() || null,
          };
          if (role === "athlete") await session.registerAthlete({ ...who, athlete_profile: name });
          else {
            const isWearer = values("is_wearer") !== "";
            // the username of this athlete is made up, so the name is required
            if (isWearer) requireName(name);
            const athlete = isWearer ? { athlete_profile: name } : {};
            await session.registerManager({ ...who, manager_profile: name, ...athlete }, isWearer);
          }
        }}
      >
        <LoginFields />
        <NewPasswordField label="Password" />
        <NameFields />
        <fieldset class="pairing">
          <legend>What you do</legend>
          {ROLES.map(([value, text]) => (
            <label key={value} class="check">
              <input
                type="radio"
                name="role"
                value={value}
                checked={role === value}
                onChange={() => setRole(value)}
              />
              {text}
            </label>
          ))}
          {role === "manager" ? (
            <label class="check">
              <input type="checkbox" name="is_wearer" />I also wear a device myself
            </label>
          ) : (
            <p class="note">You decide which managers see your data.</p>
          )}
        </fieldset>
      </Form>
      <p>
        Do you have an account? <a href="#/sign-in">Sign in</a>
      </p>
    </Card>
  );
}
