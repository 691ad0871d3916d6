import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { announce } from "../parts/announcements.js";
import { ask } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { ProblemCard } from "../parts/problem.js";
import { Requested, useRequest } from "../parts/request.js";
import { isManager } from "../session.js";
import type { ViewProps } from "../view.js";
import { PersonalData } from "./personal-data.js";
import { genderName, nameOfAthlete, Picture, ProfileFields, pictureAddress, profileOf } from "./profile.js";

type Athlete = Resource["Athlete"];

/** One athlete: the profile, which the manager of a managed athlete changes. */
export function AthletePage({ id, ...props }: ViewProps & { id: number }) {
  const { client, account } = props;
  const params = { path: { athlete: id } };
  const request = useRequest(`athlete ${id}`, (signal) =>
    unwrap(client.GET("/api/v1/athletes/{athlete}/", { params, signal })),
  );
  return (
    <>
      <p class="back">
        <a href="#/athletes">All athletes</a>
      </p>
      <Requested request={request} what="the athlete">
        {(athlete) => (
          <>
            <h1>{nameOfAthlete(athlete)}</h1>
            {athlete.managed_by === account.id ? (
              <Managed athlete={athlete} onChange={request.replace} {...props} />
            ) : (
              <Shown athlete={athlete} />
            )}
          </>
        )}
      </Requested>
    </>
  );
}

interface ManagedProps extends ViewProps {
  athlete: Athlete;
  onChange: (athlete: Athlete) => void;
}

function Managed({ athlete, onChange, client, account, go }: ManagedProps) {
  const [failed, setFailed] = useState<unknown>(null);
  const params = { path: { athlete: athlete.id } };
  const name = nameOfAthlete(athlete);
  const mayChange =
    athlete.is_default_athlete ||
    (isManager(account) && account.extra_permissions.includes("can_create_managed_athletes"));
  const update = async (change: { external_id?: string | null; athlete_profile?: object }) => {
    const body = { managed_by: account.id, ...change };
    onChange(await unwrap(client.PATCH("/api/v1/athletes/{athlete}/update-managed/", { params, body })));
  };

  const remove = async () => {
    const isWanted = await ask({
      title: `Delete ${name}?`,
      text: "The profile, the permissions and the time frames with what was computed for them are deleted. This cannot be undone.",
      action: "Delete the athlete",
    });
    if (!isWanted) return;
    setFailed(null);
    try {
      await unwrap(client.DELETE("/api/v1/athletes/{athlete}/delete-managed/", { params }));
      announce(`${name} is deleted.`);
      go("/athletes");
    } catch (error) {
      setFailed(error);
    }
  };

  if (!mayChange) return <Shown athlete={athlete} />;
  return (
    <div class="columns">
      <section class="panel padded">
        <h2>Profile</h2>
        <Form
          action="Save the profile"
          onSubmit={async (values) => {
            await update({
              external_id: values("external_id").trim() || null,
              athlete_profile: profileOf(values),
            });
            announce("The profile is saved.");
          }}
        >
          <ProfileFields profile={athlete.athlete_profile} />
          <Field
            name="external_id"
            label="Number in another system"
            initial={athlete.external_id}
            maxLength={255}
          />
        </Form>
      </section>
      <section class="panel padded">
        <h2>Picture</h2>
        <Picture
          profile={athlete.athlete_profile}
          name={name}
          onChange={(profile_picture) => update({ athlete_profile: { profile_picture } })}
        />
      </section>
      <section class="panel padded">
        <h2>Permissions</h2>
        <p>
          You manage this athlete: you may read the recordings, make time frames, and share them, for all
          time.
        </p>
      </section>
      <PersonalData client={client} athlete={{ id: athlete.id, name }} onErased={() => go("/athletes")} />
      <section class="panel padded">
        <h2>Delete</h2>
        {failed === null ? null : <ProblemCard title="The athlete was not deleted." error={failed} />}
        <button type="button" onClick={remove}>
          Delete the athlete…
        </button>
      </section>
    </div>
  );
}

/** The profile of an athlete who changes it himself or herself. */
function Shown({ athlete }: { athlete: Athlete }) {
  const { athlete_profile: profile } = athlete;
  const address = pictureAddress(profile);
  const rows = [
    ["E-mail", athlete.email],
    ["Date of birth", profile.birth_date],
    ["Gender", profile.gender === null ? null : genderName(profile.gender)],
    ["Weight", profile.weight === null ? null : `${profile.weight} kg`],
    ["Height", profile.height === null ? null : `${profile.height} m`],
    ["Nationality", profile.nationality],
    ["Number in another system", athlete.external_id],
  ] as const;
  return (
    <section class="panel padded narrow">
      <h2>Profile</h2>
      {address === null ? null : <img class="portrait" src={address} alt={nameOfAthlete(athlete)} />}
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value || "–"}</dd>
          </div>
        ))}
      </dl>
      <p class="note">This athlete changes the profile, and says who may see the data.</p>
    </section>
  );
}
