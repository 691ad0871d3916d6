import { type Client, type Resource, unwrap } from "asi-client";
import type { Settings } from "../../view/settings.js";
import { zoneName } from "../../view/times.js";
import { SPORTS } from "../activities/names.js";
import { Choice, Field, Form, Labelled, type Values } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";
import { Requested, useRequest } from "../parts/request.js";
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
export function SessionForm({ client, settings, session, first, onDone, onCancel }: Props) {
  const zone = settings.zone.value;
  const request = useRequest("squads", (signal) => loadEditableSquads(client, signal));
  const text = (time: string | undefined, ms: number | undefined) =>
    time !== undefined ? instantText(Date.parse(time), zone) : ms === undefined ? "" : instantText(ms, zone);
  const timeOf = (values: Values, name: string, label: string) => {
    const ms = instantOf(values(name), zone);
    if (ms === null) throw new FormProblem({ [name]: `${label} is missing.` });
    return new Date(ms).toISOString();
  };
  const save = async (values: Values, squads: readonly Resource["Squad"][]): Promise<SquadSession> => {
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
      return unwrap(client.PATCH("/api/v2/sessions/{session}/", { params, body }));
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
          onSubmit={async (values) => onDone(await save(values, squads))}
        >
          <Field
            name="name"
            label="Name"
            required
            isFirst
            maxLength={150}
            initial={session?.name ?? ""}
            hint="For example “Sunday league, round 3”."
          />
          <Choice name="kind" label="Kind" choices={KINDS} initial={session?.kind ?? "match"} />
          <Choice
            name="sport"
            label="Sport"
            choices={Object.entries(SPORTS)}
            initial={session?.sport ?? "soccer"}
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
            initial={text(session?.start_time, first?.startMs)}
            hint={`Times in ${zoneName(zone)}.`}
          />
          <Field
            name="end_time"
            label="End"
            type="datetime-local"
            step={1}
            required
            initial={text(session?.end_time, first?.endMs)}
            hint="At most 24 hours after the start."
          />
          <Field name="place" label="Place" maxLength={150} initial={session?.place ?? ""} />
          <Labelled name="notes" label="Notes">
            {(tied) => (
              <textarea rows={3} maxLength={MOST_NOTES} defaultValue={session?.notes ?? ""} {...tied} />
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
