import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.js";
import { ListView } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import type { ViewProps } from "../view.js";
import { ActivityForm } from "./activity-form.js";
import { sportName } from "./names.js";
import { useActivities } from "./use-activities.js";

/** The activities of the manager. */
export function ActivityList({ client, account, go }: ViewProps) {
  const [isCreating, setCreating] = useState(false);
  const list = useActivities(client);
  return (
    <>
      <ListView
        title="Activities"
        what="activities"
        list={list}
        searched="name"
        controls={
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New activity…
          </button>
        }
        empty={
          <Nothing title="No activities yet">
            <p>
              An activity is a match or a training. It has a time frame for each athlete and part of it, such
              as the first half; for each of them distance, sprints and more are computed.
            </p>
            <p>
              Choose <em>New activity</em> to begin.
            </p>
          </Nothing>
        }
        columns={[
          { name: "Name", of: ({ id, name }) => <a href={`#/activities/${id}`}>{name}</a> },
          { name: "Sport", of: ({ json }) => sportName(json.sport) },
        ]}
      />
      {isCreating ? (
        <Dialog title="New activity" onClose={() => setCreating(false)}>
          <ActivityForm
            client={client}
            owner={account.id}
            activity={null}
            onCancel={() => setCreating(false)}
            onDone={({ id }) => go(`/activities/${id}`)}
          />
        </Dialog>
      ) : null}
    </>
  );
}
