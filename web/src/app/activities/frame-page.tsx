import { unwrap } from "asi-client";
import { AskForRight, Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { type Account, mayManageAthletes } from "../session.js";
import type { ViewProps } from "../view.js";
import { FrameEditor } from "./frame-editor.js";
import type { FrameParts } from "./frame-parts.js";
import { loadSchemas } from "./schemas.js";

const ALL = { limit: 3000 };

/** A time frame with the data of its device and its figures, or a new one. */
export function FramePage(props: ViewProps & { activity: number; id: number | null }) {
  const { client, activity: activityId, id } = props;
  const request = useRequest(`time frame ${activityId} ${id}`, async (signal): Promise<FrameParts> => {
    const path = { activity: activityId };
    const newest = { activity: activityId, ordering: "-start_time", limit: 1 };
    const query = { with_athlete: true, with_device: true };
    const [activity, schemas, athletes, devices, siblings, frame] = await Promise.all([
      unwrap(client.GET("/api/v1/activities/{activity}/", { params: { path }, signal })),
      loadSchemas(client, signal),
      unwrap(
        client.GET("/api/v1/athletes/", { params: { query: { ...ALL, ordering: "last_name" } }, signal }),
      ),
      unwrap(client.GET("/api/v1/devices/", { params: { query: ALL }, signal })),
      unwrap(client.GET("/api/v1/timeframes/", { params: { query: newest }, signal })),
      id === null
        ? null
        : unwrap(
            client.GET("/api/v1/timeframes/{timeframe}/", {
              params: { path: { timeframe: id }, query },
              signal,
            }),
          ),
    ]);
    const schema = schemas.find(({ parent }) => parent === activity.json_schema);
    if (schema === undefined) throw new Error("The sport of this activity has no time frames.");
    return {
      activity,
      schema,
      athletes: athletes.results,
      devices: devices.results,
      frame,
      sibling: siblings.results[0] ?? null,
    };
  });
  return (
    <Requested request={request} what="the time frame">
      {(parts) => (
        <>
          <p class="trail">
            <a href="#/activities">Activities</a> ›{" "}
            <a href={`#/activities/${parts.activity.id}`}>{parts.activity.name}</a>
          </p>
          {parts.frame === null && (parts.athletes.length === 0 || parts.devices.length === 0) ? (
            <Missing account={props.account} hasAthletes={parts.athletes.length > 0} />
          ) : (
            <FrameEditor {...props} {...parts} onSaved={(frame) => request.replace({ ...parts, frame })} />
          )}
        </>
      )}
    </Requested>
  );
}

function Missing({ account, hasAthletes }: { account: Account; hasAthletes: boolean }) {
  return (
    <>
      <h1>New time frame</h1>
      {hasAthletes ? (
        <Nothing title="You have no devices yet">
          <p>
            A time frame needs the data of a device. <a href="#/devices">Claim a device</a> first, by its
            serial number and name.
          </p>
        </Nothing>
      ) : (
        <Nothing title="You have no athletes yet">
          <p>
            A time frame belongs to an athlete.{" "}
            {mayManageAthletes(account) ? (
              <>
                <a href="#/athletes">Create an athlete</a> first
              </>
            ) : (
              <AskForRight account={account} />
            )}
            , or ask an athlete for permission.
          </p>
        </Nothing>
      )}
    </>
  );
}
