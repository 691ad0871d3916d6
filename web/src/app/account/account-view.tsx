import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { DOCUMENTATION } from "../../view/service.js";
import { NO_VALUE } from "../../view/values.js";
import { PersonalData } from "../athletes/personal-data.js";
import { PicturePanel } from "../athletes/picture.js";
import { askedProfile, ExternalId, ProfileFields, profileTexts } from "../athletes/profile.js";
import { accountName } from "../names.js";
import { announce } from "../parts/announcements.js";
import { Facts } from "../parts/facts.js";
import { Form, type Values } from "../parts/form.js";
import { type Answer, onlyChanged, saveChanges, type Texts } from "../parts/save-changes.js";
import { type Account, type AthleteAccount, isAthlete, isManager, type ManagerAccount } from "../session.js";
import type { ViewProps } from "../view.js";
import { CurrentPasswordField, LoginFields, NameFields, NewPasswordField } from "./account-fields.js";
import { Applications } from "./applications.js";
import { useSignInMethods } from "./own-password.js";
import { ProviderPanel } from "./provider.js";
import { Sessions } from "./sessions.js";
import { Tokens } from "./tokens.js";
import "./account.css";

/** The account of the signed-in user, with profile, password and sessions. */
export function AccountView(props: ViewProps) {
  const { account, client, session, settings } = props;
  const { data: methods, reload } = useSignInMethods(client);
  const name = accountName(account);
  return (
    <>
      <h1>{name}</h1>
      <div class="columns">
        {isManager(account) || isAthlete(account) ? (
          <>
            <Profile {...props} account={account} hasPassword={methods?.has_password !== false} />
            {isAthlete(account) ? (
              <PicturePanel
                profile={account.athlete_profile}
                name={name}
                onChange={async (profile_picture) => {
                  await unwrap(write(client, account, { athlete_profile: { profile_picture } }));
                  await session.refresh();
                }}
              />
            ) : null}
            {methods?.has_password === false ? null : <Password {...props} account={account} />}
          </>
        ) : (
          <Kept account={account} />
        )}
        {methods == null ? null : <ProviderPanel {...props} methods={methods} onChange={reload} />}
        <Sessions client={client} zone={settings.zone.value} />
        <Tokens client={client} zone={settings.zone.value}>
          <a href={DOCUMENTATION}>API documentation</a>
        </Tokens>
        {isManager(account) ? <Applications client={client} zone={settings.zone.value} /> : null}
        {isAthlete(account) ? (
          <PersonalData
            client={client}
            athlete={{ id: account.id, name }}
            onErased={() => {
              session.leave();
              props.go("/");
            }}
          />
        ) : null}
      </div>
    </>
  );
}

/** An account that its owner can change. */
type Own = ManagerAccount | AthleteAccount;

function Profile({
  account,
  client,
  session,
  hasPassword,
}: ViewProps & { account: Own; hasPassword: boolean }) {
  const [email, setEmail] = useState(account.email);
  const [username, setUsername] = useState(account.username);
  const isOtherLogin = email.trim() !== account.email || username.trim() !== account.username;
  const save = async (values: Values, form: HTMLFormElement, changed: ReadonlySet<string>) => {
    const name = (field: string) => values(`manager_profile.${field}`).trim() || null;
    const profile = isManager(account) ? null : await askedProfile(values, false);
    const entered = {
      username: values("username").trim(),
      email: values("email").trim(),
      external_id: values("external_id").trim() || null,
      ...(isManager(account)
        ? { manager_profile: { first_name: name("first_name"), last_name: name("last_name") } }
        : { athlete_profile: profile }),
    };
    const body = {
      ...(isOtherLogin && hasPassword ? { current_password: values("current_password") } : {}),
      ...onlyChanged(entered, changed),
    };
    await saveChanges<Stored>({
      ...{ form, changed, shown: account, textsOf },
      read: () => read(client, account),
      write: (headers) => write(client, account, body, headers),
    });
    await session.refresh();
    announce("The profile is saved.");
  };
  return (
    <section class="panel padded">
      <h2>Profile</h2>
      {isManager(account) ? (
        <p class="note">
          Your number is <strong class="number">{account.id}</strong>. Athletes need it and your username to
          let you see their data. They see your name before they confirm.
        </p>
      ) : null}
      <Form action="Save the profile" onSubmit={save} isEditor>
        <LoginFields account={account} onUsername={setUsername} onEmail={setEmail} />
        {isOtherLogin && !hasPassword ? (
          <p class="note">Both can be changed in the first 5 minutes after you have signed in.</p>
        ) : isOtherLogin ? (
          <>
            <CurrentPasswordField />
            <p class="note">
              A new username or address requires your password. An email to the previous address reports the
              change.
            </p>
          </>
        ) : null}
        {isManager(account) ? (
          <NameFields prefix="manager_profile." names={account.manager_profile} />
        ) : (
          <ProfileFields profile={account.athlete_profile} />
        )}
        <ExternalId initial={account.external_id} />
      </Form>
    </section>
  );
}

/** An account that only the operator can change. */
function Kept({ account }: { account: Account }) {
  return (
    <section class="panel padded">
      <h2>Profile</h2>
      <Facts
        of={[
          ["Username", account.username],
          ["Email", account.email || NO_VALUE],
        ]}
      />
      <p class="note">
        This is the account of an administrator. The person who runs the service changes it with the command{" "}
        <code>asi-server account</code>.
      </p>
    </section>
  );
}

function Password({ account, client, session }: ViewProps & { account: Own }) {
  return (
    <section class="panel padded">
      <h2>Password</h2>
      <p class="note">
        A new password ends all your sessions, in other browsers and in applications too. An email to{" "}
        {account.email} reports the change.
      </p>
      <Form
        action="Change the password"
        onSubmit={async (values, form) => {
          const password = values("password");
          await changePassword(client, account, { password, current_password: values("current_password") });
          // the session of this page has ended together with the others
          await session.signIn(account.username, password);
          form.reset();
          announce("The password is changed.");
        }}
      >
        <input type="text" name="username" autoComplete="username" value={account.username} hidden readOnly />
        <CurrentPasswordField />
        <NewPasswordField />
      </Form>
    </section>
  );
}

type Stored = Resource["Manager"] | Resource["Athlete"];

/** Returns the texts of an account in the fields of the profile. */
function textsOf(account: Stored): Texts {
  const { username, email, external_id } = account;
  if (!("manager_profile" in account)) return { username, email, ...profileTexts(account) };
  const { first_name, last_name } = account.manager_profile;
  return {
    ...{ username, email, external_id },
    ...{ "manager_profile.first_name": first_name, "manager_profile.last_name": last_name },
  };
}

const read = ({ GET }: ViewProps["client"], account: Own): Answer<Stored> =>
  isManager(account)
    ? GET("/api/v1/managers/{manager}/", { params: { path: { manager: account.id } } })
    : GET("/api/v1/athletes/{athlete}/", { params: { path: { athlete: account.id } } });

const write = ({ PATCH }: ViewProps["client"], account: Own, body: object, headers = {}): Answer<Stored> =>
  isManager(account)
    ? PATCH("/api/v1/managers/{manager}/", { params: { path: { manager: account.id } }, headers, body })
    : PATCH("/api/v1/athletes/{athlete}/", { params: { path: { athlete: account.id } }, headers, body });

const changePassword = (
  { PUT }: ViewProps["client"],
  account: Own,
  body: { password: string; current_password: string },
): Promise<unknown> =>
  isManager(account)
    ? unwrap(
        PUT("/api/v1/managers/{manager}/change-password/", {
          params: { path: { manager: account.id } },
          body,
        }),
      )
    : unwrap(
        PUT("/api/v1/athletes/{athlete}/change-password/", {
          params: { path: { athlete: account.id } },
          body,
        }),
      );
