import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { useKeptPlace } from "../../view/kept-state.js";
import { duration } from "../../view/times.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { ask, Dialog } from "../parts/dialog.js";
import { Nothing } from "../parts/nothing.js";
import { wordsOf } from "../parts/problem.js";
import { Records } from "../parts/records.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndSecond } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { ActivityForm } from "./activity-form.js";
import { Comparison } from "./comparison.js";
import { Computing } from "./computing.js";
import { athleteOf, deviceOf, frameName, sportName } from "./names.js";
import { NOTHING_YET, useComputed } from "./use-computed.js";

interface Loaded {
  activity: Resource["Activity"];
  frames: Resource["Timeframe"][];
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** An activity with its time frames and their figures. */
export function ActivityPage(props: ViewProps & { id: number }) {
  const { client, id } = props;
  const request = useRequest(`activity ${id}`, async (signal): Promise<Loaded> => {
    const path = { activity: id };
    const query = {
      activity: id,
      limit: 3000,
      ordering: "start_time",
      with_athlete: true,
      with_device: true,
    };
    const [activity, frames] = await Promise.all([
      unwrap(client.GET("/api/v1/activities/{activity}/", { params: { path }, signal })),
      unwrap(client.GET("/api/v1/timeframes/", { params: { query }, signal })),
    ]);
    return { activity, frames: frames.results };
  });
  useKeptPlace(request.data !== undefined);
  return (
    <Requested request={request} what="the activity">
      {(loaded) => (
        <ActivityDetails
          {...props}
          {...loaded}
          onChange={(activity) => request.replace({ ...loaded, activity })}
        />
      )}
    </Requested>
  );
}

function ActivityDetails({
  client,
  account,
  settings,
  go,
  activity,
  frames,
  onChange,
}: ViewProps & Loaded & { onChange: (activity: Resource["Activity"]) => void }) {
  const [isEditing, setEditing] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const problem = useProblem();
  const states = useComputed(client, frames, attempt);
  const stateOf = (id: number) => states.get(id) ?? NOTHING_YET;
  const zone = settings.zone.value;

  const params = { path: { activity: activity.id } };

  /** Counts the objects that the service deletes with the activity, then asks the user. */
  const remove = async () => {
    const hooks = await unwrap(
      client.GET("/api/v1/activities/{activity}/webhooks/", { params: { ...params, query: { limit: 1 } } }),
    );
    const isSure = await ask({
      title: `Delete “${activity.name}”?`,
      text: `This deletes ${counted(frames.length, "time frame")} with the computed data, and ${counted(hooks.count, "webhook")}. The data of the devices are kept. This cannot be undone.`,
      action: "Delete activity",
    });
    if (!isSure) return;
    await unwrap(client.DELETE("/api/v1/activities/{activity}/", { params }));
    go("/activities");
    return `The activity “${activity.name}” is deleted.`;
  };

  return (
    <>
      <p class="trail">
        <a href="#/activities">Activities</a>
      </p>
      <div class="view-head">
        <h1>
          {activity.name} <span class="subject">{sportName(activity.json.sport)}</span>
        </h1>
        <a class="button" href={`#/webhooks/${activity.id}`}>
          Webhooks
        </a>
        <button type="button" onClick={() => setEditing(true)}>
          Edit…
        </button>
        <Action
          class="warns"
          problem={problem}
          failed="The activity was not deleted."
          busy="Deleting…"
          work={remove}
        >
          Delete…
        </Action>
        <a class="button primary" href={`#/activities/${activity.id}/new`}>
          New time frame
        </a>
      </div>
      <ProblemOf problem={problem} />
      <div class="panel padded">
        <div class="section-head">
          <h2>Time frames</h2>
          {frames.length === 0 ? null : (
            <Computing states={frames.map(({ id }) => stateOf(id))} onAgain={() => setAttempt(attempt + 1)} />
          )}
        </div>
        {frames.length === 0 ? (
          <Nothing title="No time frames yet">
            <p>
              A time frame is the time during which an athlete wore a device, such as the first half. Choose{" "}
              <em>New time frame</em>, an athlete and a device, and mark the time on the plot of the device's
              data.
            </p>
          </Nothing>
        ) : (
          <Records
            rows={frames}
            keyOf={({ id }) => id}
            columns={[
              { name: "Athlete", of: athleteOf },
              {
                name: "Time frame",
                of: (frame) => {
                  const name = frameName(frame) || "Time frame";
                  return (
                    <a
                      href={`#/activities/${activity.id}/${frame.id}`}
                      aria-label={`${name} of ${athleteOf(frame)}`}
                    >
                      {name}
                    </a>
                  );
                },
              },
              { name: "Device", of: deviceOf },
              { name: "Start", of: ({ start_time }) => dayAndSecond(start_time, zone) },
              {
                name: "Length",
                of: ({ start_time, end_time }) => duration(Date.parse(end_time) - Date.parse(start_time)),
              },
              { name: "Figures", of: ({ id }) => stateText(stateOf(id)) },
            ]}
          />
        )}
      </div>
      {frames.length === 0 ? null : (
        <Comparison
          settings={settings}
          activity={activity.name}
          frames={frames.map((frame) => ({
            timeframe: frame.id,
            name: frameName(frame),
            athlete: athleteOf(frame),
            device: deviceOf(frame),
            startTime: frame.start_time,
            endTime: frame.end_time,
            computed: stateOf(frame.id).computed,
          }))}
        />
      )}
      {isEditing ? (
        <Dialog title="Edit the activity" onClose={() => setEditing(false)}>
          <ActivityForm
            client={client}
            owner={account.id}
            activity={activity}
            onCancel={() => setEditing(false)}
            onDone={(changed) => {
              setEditing(false);
              // the sport is fixed once there are figures, because they depend on it
              announce("The activity is saved.");
              onChange(changed);
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}

function stateText({
  computed,
  isWaiting,
  error,
}: {
  computed: unknown;
  isWaiting: boolean;
  error: unknown;
}) {
  if (error !== null) return <span class="bad">{wordsOf(error)}</span>;
  if (isWaiting)
    return <span class="muted">{computed === null ? "being computed" : "being computed again"}</span>;
  return "up to date";
}
