import { type Resource, unwrap } from "asi-client";
import { NO_VALUE } from "../../view/values.js";
import { athleteName } from "../names.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { Facts } from "../parts/facts.js";
import { Form } from "../parts/form.js";
import { Requested, useRequest } from "../parts/request.js";
import { onlyChanged, saveChanges } from "../parts/save-changes.js";
import { mayManageAthletes } from "../session.js";
import type { ViewProps } from "../view.js";
import { PersonalData } from "./personal-data.js";
import { PicturePanel, pictureAddress } from "./picture.js";
import { askedProfile, centimetres, ExternalId, genderName, ProfileFields, profileTexts } from "./profile.js";

type Athlete = Resource["Athlete"];

/** One athlete, with a profile that the manager can edit if the athlete is managed. */
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
            <h1>{athleteName(athlete)}</h1>
            {athlete.managed_by === account.id &&
            (athlete.is_default_athlete || mayManageAthletes(account)) ? (
              <Managed athlete={athlete} onChange={request.replace} {...props} />
            ) : (
              <Shown athlete={athlete} isManaged={athlete.managed_by === account.id} />
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
  const problem = useProblem();
  const params = { path: { athlete: athlete.id } };
  const name = athleteName(athlete);
  const update = (change: { external_id?: string | null; athlete_profile?: object }, headers = {}) => {
    const body = { managed_by: account.id, ...change };
    return client.PATCH("/api/v1/athletes/{athlete}/update-managed/", { params, headers, body });
  };
  return (
    <div class="columns">
      <section class="panel padded">
        <h2>Profile</h2>
        <Form
          action="Save the profile"
          isEditor
          onSubmit={async (values, form, changed) => {
            const entered = {
              external_id: values("external_id").trim() || null,
              athlete_profile: await askedProfile(values, true),
            };
            onChange(
              await saveChanges({
                ...{ form, changed, shown: athlete, textsOf: profileTexts },
                read: () => client.GET("/api/v1/athletes/{athlete}/", { params }),
                write: (headers) => update(onlyChanged(entered, changed), headers),
              }),
            );
            announce("The profile is saved.");
          }}
        >
          <ProfileFields profile={athlete.athlete_profile} />
          <ExternalId initial={athlete.external_id} />
        </Form>
      </section>
      <PicturePanel
        profile={athlete.athlete_profile}
        name={name}
        onChange={async (profile_picture) =>
          onChange(await unwrap(update({ athlete_profile: { profile_picture } })))
        }
      />
      <section class="panel padded">
        <h2>Permissions</h2>
        <p>
          You manage this athlete. You may read the recordings, create time frames, and share them, without a
          time limit.
        </p>
      </section>
      <PersonalData client={client} athlete={{ id: athlete.id, name }} onErased={() => go("/athletes")} />
      <section class="panel padded">
        <h2>Delete</h2>
        <p class="note">
          Delete the athlete if you no longer need this entry in your list. The log of the service still lists
          the actions. If a person asks for complete removal, erase all data.
        </p>
        <ProblemOf problem={problem} />
        <Action
          class="warns"
          problem={problem}
          failed="The athlete was not deleted."
          busy="Deleting the athlete…"
          question={{
            title: `Delete ${name}?`,
            text: "This deletes the profile, the permissions, the time frames and their figures. The data of the devices are kept. This cannot be undone.",
            action: "Delete the athlete",
          }}
          work={async () => {
            await unwrap(client.DELETE("/api/v1/athletes/{athlete}/delete-managed/", { params }));
            go("/athletes");
            return `${name} is deleted.`;
          }}
        >
          Delete the athlete…
        </Action>
      </section>
    </div>
  );
}

/** The profile of an athlete that the manager cannot change. */
function Shown({ athlete, isManaged }: { athlete: Athlete; isManaged: boolean }) {
  const { athlete_profile: profile } = athlete;
  const address = pictureAddress(profile);
  return (
    <section class="panel padded narrow">
      <h2>Profile</h2>
      {address === null ? null : <img class="portrait" src={address} alt={athleteName(athlete)} />}
      <Facts
        of={(
          [
            ["Email", athlete.email],
            ["Date of birth", profile.birth_date],
            ["Gender", genderName(profile.gender)],
            ["Weight", profile.weight === null ? null : `${profile.weight} kg`],
            ["Height", profile.height === null ? null : `${centimetres(profile.height)} cm`],
            ["Nationality", profile.nationality],
            ["ID in another system", athlete.external_id],
          ] as const
        ).map(([name, value]) => [name, value || NO_VALUE])}
      />
      <p class="note">
        {isManaged
          ? "You manage this athlete, but no longer have the right to change athletes. Ask the person who runs the service."
          : "This athlete edits the profile and gives the permissions. Ask the athlete what you may do and until when. The service does not show this to managers."}
      </p>
    </section>
  );
}
