import { unwrap } from "asi-client";
import { DOCUMENTATION } from "../../view/service.js";
import { NO_VALUE } from "../../view/values.js";
import { PersonalData } from "../athletes/personal-data.js";
import { PicturePanel } from "../athletes/picture.js";
import { ExternalId, ProfileFields, profileOf } from "../athletes/profile.js";
import { accountName } from "../names.js";
import { announce } from "../parts/announcements.js";
import { Facts } from "../parts/facts.js";
import { Form, type Values } from "../parts/form.js";
import { type Account, type AthleteAccount, isAthlete, isManager, type ManagerAccount } from "../session.js";
import type { ViewProps } from "../view.js";
import { LoginFields, NameFields, NewPasswordField } from "./account-fields.js";
import { Sessions } from "./sessions.js";
import "./account.css";

/** The account of who is signed in: profile, password, sessions. */
export function AccountView(props: ViewProps) {
  const { account, client, session, settings } = props;
  const name = accountName(account);
  return (
    <>
      <h1>{name}</h1>
      <div class="columns">
        {isManager(account) || isAthlete(account) ? (
          <>
            <Profile {...props} account={account} />
            {isAthlete(account) ? (
              <PicturePanel
                profile={account.athlete_profile}
                name={name}
                onChange={async (profile_picture) => {
                  await change(client, account, { athlete_profile: { profile_picture } });
                  await session.refresh();
                }}
              />
            ) : null}
            <Password {...props} account={account} />
          </>
        ) : (
          <Kept account={account} />
        )}
        <Sessions client={client} zone={settings.zone.value} />
        <section class="panel padded">
          <h2>For programs</h2>
          <p class="note">
            Everything here can be done by programs, too. The documentation has examples, and lets you try
            them with your account.
          </p>
          <a href={DOCUMENTATION}>API documentation</a>
        </section>
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

/** An account that changes itself. */
type Own = ManagerAccount | AthleteAccount;

function Profile({ account, client, session }: ViewProps & { account: Own }) {
  const save = async (values: Values) => {
    const name = (field: string) => values(`manager_profile.${field}`).trim() || null;
    await change(client, account, {
      username: values("username").trim(),
      email: values("email").trim(),
      external_id: values("external_id").trim() || null,
      ...(isManager(account)
        ? { manager_profile: { first_name: name("first_name"), last_name: name("last_name") } }
        : { athlete_profile: profileOf(values) }),
    });
    await session.refresh();
    announce("The profile is saved.");
  };
  return (
    <section class="panel padded">
      <h2>Profile</h2>
      {isManager(account) ? (
        <p class="note">
          Your number is <strong class="number">{account.id}</strong>. Athletes need it to let you see their
          data.
        </p>
      ) : null}
      <Form action="Save the profile" onSubmit={save} isEditor>
        <LoginFields account={account} />
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

/** An account that is changed by the operator alone. */
function Kept({ account }: { account: Account }) {
  return (
    <section class="panel padded">
      <h2>Profile</h2>
      <Facts
        of={[
          ["Username", account.username],
          ["E-mail", account.email || NO_VALUE],
        ]}
      />
      <p class="note">
        The account of an administrator. The person who runs the service changes it, with the command{" "}
        <code>asi-server account</code>.
      </p>
    </section>
  );
}

function Password({ account, client, session }: ViewProps & { account: Own }) {
  return (
    <section class="panel padded">
      <h2>Password</h2>
      <p class="note">A new password ends all your sessions, in other browsers and in applications too.</p>
      <Form
        action="Change the password"
        onSubmit={async (values, form) => {
          const password = values("password");
          await changePassword(client, account, password);
          // the session of this page has ended with the others
          await session.signIn(account.username, password);
          form.reset();
          announce("The password is changed.");
        }}
      >
        <input type="text" name="username" autoComplete="username" value={account.username} hidden readOnly />
        <NewPasswordField />
      </Form>
    </section>
  );
}

const change = ({ PATCH }: ViewProps["client"], account: Own, body: object): Promise<unknown> =>
  isManager(account)
    ? unwrap(PATCH("/api/v1/managers/{manager}/", { params: { path: { manager: account.id } }, body }))
    : unwrap(PATCH("/api/v1/athletes/{athlete}/", { params: { path: { athlete: account.id } }, body }));

const changePassword = ({ PUT }: ViewProps["client"], account: Own, password: string): Promise<unknown> => {
  const body = { password };
  return isManager(account)
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
};
