import { type Client, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import type { Settings } from "../../view/settings.js";
import { zoneName } from "../../view/times.js";
import { SPORTS } from "../activities/names.js";
import { Choice, Field, Form, Labelled, type Values } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";
import { Requested, useRequest } from "../parts/request.js";
import { onlyChanged, saveChanges } from "../parts/save-changes.js";
import { instantOf, instantText } from "../parts/when.js";
import { loadEditableSquads, type SquadSession } from "./load-session.js";
import { KINDS } from "./session-words.js";

/** The initial values in the form. */
export interface FirstValues {
  startMs: number;
  endMs: number;
  squad: string | null;
}

interface Props {
  client: Client;
  settings: Settings;
  /** The session to change, or null for a new one. */
  session: SquadSession | null;
  first?: FirstValues | undefined;
  onDone: (session: SquadSession) => void;
  onCancel: () => void;
}

const MOST_NOTES = 2000;

/** The form of a session. The squad of an existing session is fixed. */
export function SessionForm({ client, settings, session: latest, first, onDone, onCancel }: Props) {
  // the session that the user sees, because the page may load it again while the form is open
  const [session] = useState(latest);
  const zone = settings.zone.value;
  const request = useRequest("squads", (signal) => loadEditableSquads(client, signal));
  const timeText = (ms: number | undefined) => (ms === undefined ? "" : instantText(ms, zone));
  const textsOf = ({ name, kind, sport, place, notes, ...times }: SquadSession) => ({
    ...{ name, kind, sport, place, notes },
    start_time: timeText(Date.parse(times.start_time)),
    end_time: timeText(Date.parse(times.end_time)),
  });
  const texts = session === null ? null : textsOf(session);
  const timeOf = (values: Values, name: string, label: string) => {
    const ms = instantOf(values(name), zone);
    if (ms === null) throw new FormProblem({ [name]: `${label} is missing.` });
    return new Date(ms).toISOString();
  };
  const save = async (
    squads: readonly Resource["Squad"][],
    values: Values,
    form: HTMLFormElement,
    changed: ReadonlySet<string>,
  ): Promise<SquadSession> => {
    const body = {
      name: values("name").trim(),
      kind: values("kind") as SquadSession["kind"],
      sport: values("sport") as SquadSession["sport"],
      place: values("place").trim() || null,
      notes: values("notes").trim() || null,
      start_time: timeOf(values, "start_time", "Start"),
      end_time: timeOf(values, "end_time", "End"),
    };
    if (session !== null) {
      const params = { path: { session: session.id } };
      return saveChanges({
        ...{ form, changed, shown: session, textsOf },
        read: () => client.GET("/api/v2/sessions/{session}/", { params }),
        write: (headers) =>
          client.PATCH("/api/v2/sessions/{session}/", {
            ...{ params, headers },
            body: onlyChanged(body, changed),
          }),
      });
    }
    const squad = squads.length === 0 ? await firstSquad(client, values) : Number(values("squad"));
    return unwrap(client.POST("/api/v2/sessions/", { body: { ...body, squad } }));
  };
  return (
    <Requested request={request} what="the squads">
      {(squads) => (
        <Form
          action={session === null ? "Create the session" : "Save"}
          onCancel={onCancel}
          isEditor={session !== null}
          onSubmit={async (...submitted) => onDone(await save(squads, ...submitted))}
        >
          <Field
            name="name"
            label="Name"
            required
            isFirst
            maxLength={150}
            initial={texts?.name}
            hint="For example “Sunday league, round 3”."
          />
          <Choice name="kind" label="Kind" choices={KINDS} initial={texts?.kind ?? "match"} />
          <Choice
            name="sport"
            label="Sport"
            choices={Object.entries(SPORTS)}
            initial={texts?.sport ?? "soccer"}
            hint="The sport determines speed classes and thresholds."
          />
          {session !== null ? null : squads.length === 0 ? (
            <Field
              name="squad_name"
              label="Squad"
              required
              maxLength={100}
              hint="You have no squad yet. This creates one. Add its players under Squads."
            />
          ) : (
            <Choice
              name="squad"
              label="Squad"
              choices={squads.map(({ id, name }) => [String(id), name])}
              initial={first?.squad ?? String(squads[0]?.id ?? "")}
            />
          )}
          <Field
            name="start_time"
            label="Start"
            type="datetime-local"
            step={1}
            required
            initial={texts?.start_time ?? timeText(first?.startMs)}
            hint={`Times in ${zoneName(zone)}.`}
          />
          <Field
            name="end_time"
            label="End"
            type="datetime-local"
            step={1}
            required
            initial={texts?.end_time ?? timeText(first?.endMs)}
            hint="At most 24 hours after the start."
          />
          <Field name="place" label="Place" maxLength={150} initial={texts?.place} />
          <Labelled name="notes" label="Notes">
            {(tied) => (
              <textarea rows={3} maxLength={MOST_NOTES} defaultValue={texts?.notes ?? ""} {...tied} />
            )}
          </Labelled>
        </Form>
      )}
    </Requested>
  );
}

async function firstSquad(client: Client, values: Values): Promise<number> {
  const body = { name: values("squad_name").trim() };
  return (await unwrap(client.POST("/api/v2/squads/", { body }))).id;
}
