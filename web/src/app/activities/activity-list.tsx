import type { Resource } from "asi-client";
import { useState } from "preact/hooks";
import type { Zone } from "../../view/settings.js";
import { day } from "../../view/times.js";
import { NO_VALUE } from "../../view/values.js";
import { Dialog } from "../parts/dialog.js";
import { ListView } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import type { ViewProps } from "../view.js";
import { ActivityForm } from "./activity-form.js";
import { sportName } from "./names.js";
import { useActivities } from "./use-activities.js";

/** Returns the day of an activity, or its first and last day. */
function daysOf(summary: Resource["Activity"]["summary"], zone: Zone): string {
  if (summary?.start_time == null || summary.end_time === null) return NO_VALUE;
  const [first, last] = [summary.start_time, summary.end_time].map((time) => day(Date.parse(time), zone));
  return first === last ? `${first}` : `${first} to ${last}`;
}

/** The activities of the manager. */
export function ActivityList({ client, account, go, settings }: ViewProps) {
  const zone = settings.zone.value;
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
              An activity is a match or a training session. It has a time frame for each athlete and part of
              it, such as the first half. The service computes distance, sprints and more for each time frame.
            </p>
            <p>
              Choose <em>New activity</em> to begin.
            </p>
          </Nothing>
        }
        columns={[
          { name: "Name", of: ({ id, name }) => <a href={`#/activities/${id}`}>{name}</a> },
          { name: "Sport", of: ({ json }) => sportName(json.sport) },
          { name: "When", of: ({ summary }) => daysOf(summary, zone) },
          { name: "Time frames", of: ({ summary }) => summary?.timeframes ?? NO_VALUE },
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
