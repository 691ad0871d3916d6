import { unwrap } from "asi-client";
import { PersonalData } from "../athletes/personal-data.js";
import { Picture, ProfileFields, profileOf } from "../athletes/profile.js";
import { announce } from "../parts/announcements.js";
import { Field, Form } from "../parts/form.js";
import { type Account, isManager } from "../session.js";
import type { ViewProps } from "../view.js";
import { Sessions } from "./sessions.js";
import { nameOf } from "./sign-in-form.js";

/** The account of who is signed in: profile, password, sessions. */
export function AccountView(props: ViewProps) {
  const { account, client, session, settings } = props;
  return (
    <>
      <h1>{nameOf(account)}</h1>
      <div class="columns">
        <section class="panel padded">
          <h2>Profile</h2>
          {isManager(account) ? (
            <p class="note">
              Your number is <strong class="number">{account.id}</strong>. Athletes need it to let you see
              their data.
            </p>
          ) : null}
          <Form
            action="Save the profile"
            onSubmit={async (values) => {
              const body = {
                username: values("username").trim(),
                email: values("email").trim(),
                external_id: values("external_id").trim() || null,
              };
              if (isManager(account)) {
                const manager_profile = {
                  first_name: values("manager_profile.first_name").trim() || null,
                  last_name: values("manager_profile.last_name").trim() || null,
                };
                await unwrap(
                  client.PATCH("/api/v1/managers/{manager}/", {
                    params: { path: { manager: account.id } },
                    body: { ...body, manager_profile },
                  }),
                );
              } else {
                await unwrap(
                  client.PATCH("/api/v1/athletes/{athlete}/", {
                    params: { path: { athlete: account.id } },
                    body: { ...body, athlete_profile: profileOf(values) },
                  }),
                );
              }
              await session.refresh();
              announce("The profile is saved.");
            }}
          >
            <Field
              name="username"
              label="User name"
              initial={account.username}
              required
              maxLength={150}
              autoComplete="username"
            />
            <Field
              name="email"
              label="E-mail"
              type="email"
              initial={account.email}
              required
              maxLength={254}
              autoComplete="email"
            />
            {isManager(account) ? (
              <div class="form-row">
                <Field
                  name="manager_profile.first_name"
                  label="First name"
                  initial={account.manager_profile.first_name}
                  maxLength={150}
                  autoComplete="given-name"
                />
                <Field
                  name="manager_profile.last_name"
                  label="Last name"
                  initial={account.manager_profile.last_name}
                  maxLength={150}
                  autoComplete="family-name"
                />
              </div>
            ) : (
              <ProfileFields profile={account.athlete_profile} />
            )}
            <Field
              name="external_id"
              label="Number in another system"
              initial={account.external_id}
              maxLength={255}
            />
          </Form>
        </section>
        {isManager(account) ? null : (
          <section class="panel padded">
            <h2>Picture</h2>
            <Picture
              profile={account.athlete_profile}
              name={nameOf(account)}
              onChange={async (profile_picture) => {
                await unwrap(
                  client.PATCH("/api/v1/athletes/{athlete}/", {
                    params: { path: { athlete: account.id } },
                    body: { athlete_profile: { profile_picture } },
                  }),
                );
                await session.refresh();
                announce("The picture is saved.");
              }}
            />
          </section>
        )}
        <Password {...props} />
        <Sessions client={client} settings={settings} />
        {isManager(account) ? null : (
          <PersonalData
            client={client}
            athlete={{ id: account.id, name: nameOf(account) }}
            onErased={() => {
              session.leave();
              props.go("/");
            }}
          />
        )}
      </div>
    </>
  );
}

function Password({ account, client, session }: ViewProps) {
  return (
    <section class="panel padded">
      <h2>Password</h2>
      <p class="note">A new password ends all your sessions, in other browsers and in applications too.</p>
      <Form
        action="Change the password"
        onSubmit={async (values, form) => {
          const password = values("password");
          await change(client, account, password);
          // the session of this page has ended with the others
          await session.signIn(account.username, password);
          form.reset();
          announce("The password is changed.");
        }}
      >
        <input type="text" name="username" autoComplete="username" value={account.username} hidden readOnly />
        <Field
          name="password"
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={128}
          hint="At least 8 characters."
        />
      </Form>
    </section>
  );
}

async function change(client: ViewProps["client"], account: Account, password: string): Promise<void> {
  const body = { password };
  await (isManager(account)
    ? unwrap(
        client.PUT("/api/v1/managers/{manager}/change-password/", {
          params: { path: { manager: account.id } },
          body,
        }),
      )
    : unwrap(
        client.PUT("/api/v1/athletes/{athlete}/change-password/", {
          params: { path: { athlete: account.id } },
          body,
        }),
      ));
}
