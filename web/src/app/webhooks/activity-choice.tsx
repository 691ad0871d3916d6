import { useActivities } from "../activities/use-activities.js";
import { ListView } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import type { ViewProps } from "../view.js";

/** A list from which the user selects an activity, because webhooks belong to activities. */
export function ActivityChoice({ client }: ViewProps) {
  return (
    <ListView
      title="Webhooks"
      what="activities"
      list={useActivities(client)}
      searched="name"
      empty={
        <Nothing title="No activities yet">
          <p>
            A webhook belongs to an activity. <a href="#/activities">Create an activity</a> first.
          </p>
        </Nothing>
      }
      columns={[
        { name: "Activity", of: ({ id, name }) => <a href={`#/webhooks/${id}`}>{name}</a> },
        { name: "Webhooks", of: ({ summary }) => summary?.webhooks || "none" },
      ]}
    >
      <p class="note">
        A webhook is an address of your own program. The service calls it when an activity or its time frames
        change. Choose the activity.
      </p>
    </ListView>
  );
}
