import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { NO_VALUE } from "../../view/values.js";
import { athleteName } from "../names.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Form } from "../parts/form.js";
import { ListView, useSearchedList } from "../parts/list.js";
import { AskForRight, Nothing } from "../parts/nothing.js";
import { mayManageAthletes } from "../session.js";
import type { ViewProps } from "../view.js";
import { askedProfile, ExternalId, genderName, ProfileFields } from "./profile.js";

/** The athletes whose data the manager may read at present. */
export function AthleteList({ client, account, go }: ViewProps) {
  const [isAdding, setAdding] = useState(false);
  const list = useSearchedList("athletes", (query, signal) =>
    unwrap(
      client.GET("/api/v1/athletes/", { params: { query: { ...query, ordering: "last_name" } }, signal }),
    ),
  );
  const mayAdd = mayManageAthletes(account);
  const relation = ({ managed_by, is_default_athlete }: Resource["Athlete"]) => {
    if (managed_by !== account.id) return "Lets you see the data";
    return is_default_athlete ? "You" : "Managed by you";
  };
  return (
    <>
      <ListView
        title="Athletes"
        what="athletes"
        list={list}
        searched="name, username, email or number in another system"
        controls={
          mayAdd ? (
            <button type="button" class="primary" onClick={() => setAdding(true)}>
              Add an athlete…
            </button>
          ) : null
        }
        empty={
          <Nothing title="There are no athletes yet.">
            <p>
              Athletes who register themselves let you see their data. Tell them your number, {account.id},
              and your username, {account.username}. They enter both under “Permissions”.
            </p>
            {mayAdd ? (
              <p>Or add athletes whom you manage. They need no account.</p>
            ) : (
              <p class="muted">
                You may not add athletes whom you manage. <AskForRight account={account} />.
              </p>
            )}
          </Nothing>
        }
        columns={[
          {
            name: "Athlete",
            of: (athlete) => <a href={`#/athletes/${athlete.id}`}>{athleteName(athlete)}</a>,
          },
          { name: "Date of birth", of: ({ athlete_profile }) => athlete_profile.birth_date ?? NO_VALUE },
          { name: "Gender", of: ({ athlete_profile }) => genderName(athlete_profile.gender) },
          { name: "Email", of: ({ email }) => email || NO_VALUE },
          { name: "Access", of: relation },
        ]}
      />
      {isAdding ? (
        <Dialog title="Add an athlete" onClose={() => setAdding(false)}>
          <p class="note">You manage this athlete, who has no way to sign in.</p>
          <Form
            action="Add the athlete"
            onCancel={() => setAdding(false)}
            onSubmit={async (values) => {
              const body = {
                managed_by: account.id,
                external_id: values("external_id").trim() || null,
                athlete_profile: await askedProfile(values, true),
              };
              const athlete = await unwrap(client.POST("/api/v1/athletes/create-managed/", { body }));
              announce(`${athleteName(athlete)} is added.`);
              go(`/athletes/${athlete.id}`);
            }}
          >
            <ProfileFields profile={null} />
            <ExternalId />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
