import { type Client, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Choice, Field, Form, type Values } from "../parts/form.js";
import { Requested, useRequest } from "../parts/request.js";
import { saveChanges } from "../parts/save-changes.js";
import { sportName } from "./names.js";
import { loadSchemas, sportOf } from "./schemas.js";

interface Props {
  client: Client;
  /** The id of the manager. */
  owner: number;
  /** The activity to change, or null for a new one. */
  activity: Resource["Activity"] | null;
  onDone: (activity: Resource["Activity"]) => void;
  onCancel: () => void;
}

export function ActivityForm({ client, owner, activity: latest, onDone, onCancel }: Props) {
  // the activity that the user sees, because the page may load it again while the form is open
  const [activity] = useState(latest);
  const request = useRequest("json schemas", (signal) => loadSchemas(client, signal));
  const save = async (
    schema: Resource["JsonSchema"] | undefined,
    values: Values,
    form: HTMLFormElement,
    changed: ReadonlySet<string>,
  ) => {
    const name = values("name").trim();
    if (schema === undefined) throw new Error("Choose a sport.");
    if (activity === null) {
      const body = { name, json: { sport: sportOf(schema) }, json_schema: schema.id, owner };
      return unwrap(client.POST("/api/v1/activities/", { body }));
    }
    const params = { path: { activity: activity.id } };
    return saveChanges({
      ...{ form, changed, shown: activity },
      textsOf: ({ name, json_schema }: Resource["Activity"]) => ({ name, json_schema }),
      read: () => client.GET("/api/v1/activities/{activity}/", { params }),
      write: (headers, { json }) =>
        client.PATCH("/api/v1/activities/{activity}/", {
          ...{ params, headers },
          body: {
            ...(changed.has("name") ? { name } : {}),
            ...(changed.has("json_schema")
              ? { json: { ...json, sport: sportOf(schema) }, json_schema: schema.id }
              : {}),
          },
        }),
    });
  };
  return (
    <Requested request={request} what="the sports">
      {(schemas) => {
        const sports = schemas.filter(({ type }) => type === "ACTIVITY");
        const football = sports.find((schema) => sportOf(schema) === "soccer");
        return (
          <Form
            action={activity === null ? "Create activity" : "Save"}
            onCancel={onCancel}
            onSubmit={async (values, form, changed) => {
              const schema = sports.find(({ id }) => String(id) === values("json_schema"));
              onDone(await save(schema, values, form, changed));
            }}
          >
            <Field
              name="name"
              label="Name"
              required
              isFirst
              maxLength={150}
              initial={activity?.name ?? ""}
              hint="For example “Sunday league, round 3”."
            />
            <Choice
              name="json_schema"
              label="Sport"
              choices={sports.map((schema) => [String(schema.id), sportName(sportOf(schema))])}
              initial={String(activity?.json_schema ?? football?.id ?? "")}
              hint="The sport determines speed classes and thresholds. It is fixed once there are time frames."
            />
          </Form>
        );
      }}
    </Requested>
  );
}
