import { type Client, type Resource, unwrap } from "asi-client";
import { Choice, Field, Form } from "../parts/form.js";
import { Requested, useRequest } from "../parts/request.js";
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

export function ActivityForm({ client, owner, activity, onDone, onCancel }: Props) {
  const request = useRequest("json schemas", (signal) => loadSchemas(client, signal));
  const save = async (name: string, schema: Resource["JsonSchema"] | undefined) => {
    if (schema === undefined) throw new Error("Choose a sport.");
    if (activity === null) {
      const body = { name, json: { sport: sportOf(schema) }, json_schema: schema.id, owner };
      return unwrap(client.POST("/api/v1/activities/", { body }));
    }
    const isSameSport = schema.id === activity.json_schema;
    const body = isSameSport
      ? { name }
      : { name, json: { ...activity.json, sport: sportOf(schema) }, json_schema: schema.id };
    const params = { path: { activity: activity.id } };
    return unwrap(client.PATCH("/api/v1/activities/{activity}/", { params, body }));
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
            onSubmit={async (values) => {
              const schema = sports.find(({ id }) => String(id) === values("json_schema"));
              onDone(await save(values("name").trim(), schema));
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
