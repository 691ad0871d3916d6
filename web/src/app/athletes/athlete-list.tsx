import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { List, SearchField, useList, useSettled } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import { isManager } from "../session.js";
import type { ViewProps } from "../view.js";
import { genderName, nameOfAthlete, ProfileFields, profileOf } from "./profile.js";

const PER_PAGE = 25;

/** All athletes who let the manager read their data now. */
export function AthleteList({ client, account, go }: ViewProps) {
  const [search, setSearch] = useState("");
  const [isAdding, setAdding] = useState(false);
  const settled = useSettled(search.trim());
  const load = (page: number, signal?: AbortSignal) =>
    unwrap(
      client.GET("/api/v1/athletes/", {
        params: {
          query: {
            page,
            limit: PER_PAGE,
            ordering: "last_name",
            ...(settled === "" ? {} : { search: settled }),
          },
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const list = useList(`athletes ${settled}`, load);
  const mayAdd = isManager(account) && account.extra_permissions.includes("can_create_managed_athletes");
  const relation = ({ managed_by, is_default_athlete }: Resource["Athlete"]) => {
    if (managed_by !== account.id) return "Lets you see the data";
    return is_default_athlete ? "You" : "Managed by you";
  };
  return (
    <>
      <div class="view-head">
        <h1>Athletes</h1>
        <SearchField label="Search athletes" value={search} onInput={setSearch} />
        {mayAdd ? (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            Add an athlete…
          </button>
        ) : null}
      </div>
      <List
        list={list}
        load={load}
        what="the athletes"
        empty={
          settled === "" ? (
            <Nothing title="There are no athletes yet.">
              <p>
                Athletes who register themselves let you see their data: tell them your number, {account.id}.
                They enter it under “Permissions”.
              </p>
              {mayAdd ? (
                <p>Or add athletes whom you manage: they need no account of their own.</p>
              ) : (
                <p class="muted">
                  Adding athletes whom you manage needs a right. Ask the person who runs the service:{" "}
                  <code>asi-server manager grant {account.username}</code>.
                </p>
              )}
            </Nothing>
          ) : (
            <Nothing title={`No athlete has “${settled}” in the name, user name or e-mail.`} />
          )
        }
      >
        {(athletes) => (
          <div class="panel padded table-panel">
            <table class="records">
              <thead>
                <tr>
                  <th scope="col">Athlete</th>
                  <th scope="col">Date of birth</th>
                  <th scope="col">Gender</th>
                  <th scope="col">E-mail</th>
                  <th scope="col">Access</th>
                </tr>
              </thead>
              <tbody>
                {athletes.map((athlete) => (
                  <tr key={athlete.id}>
                    <th scope="row">
                      <a href={`#/athletes/${athlete.id}`}>{nameOfAthlete(athlete)}</a>
                    </th>
                    <td data-label="Date of birth">{athlete.athlete_profile.birth_date ?? "–"}</td>
                    <td data-label="Gender">{genderName(athlete.athlete_profile.gender)}</td>
                    <td data-label="E-mail">{athlete.email || "–"}</td>
                    <td data-label="Access">{relation(athlete)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </List>
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
                athlete_profile: profileOf(values),
              };
              const athlete = await unwrap(client.POST("/api/v1/athletes/create-managed/", { body }));
              announce(`${nameOfAthlete(athlete)} is added.`);
              go(`/athletes/${athlete.id}`);
            }}
          >
            <ProfileFields profile={null} />
            <Field name="external_id" label="Number in another system" maxLength={255} />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
