import { useSignal } from "@preact/signals";
import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { type Selection, showAround } from "../../view/selection.js";
import type { Zone } from "../../view/settings.js";
import { day, timeOfDay } from "../../view/times.js";
import type { TimeWindow } from "../../view/window.js";
import { athleteName, deviceWithSerial } from "../names.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { Choice, Field, Form, type Values } from "../parts/form.js";
import { lazily } from "../parts/lazily.js";
import { ProblemCard } from "../parts/problem.js";
import { FormProblem } from "../parts/refusal-words.js";
import { onlyChanged, saveChanges } from "../parts/save-changes.js";
import { instantOf, instantText } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { Computing } from "./computing.js";
import { DeviceData } from "./device-data.js";
import type { FrameParts } from "./frame-parts.js";
import { athleteOf, deviceOf, frameName } from "./names.js";
import { REVERSED, TimeFields } from "./time-fields.js";
import { type ComputedState, NOTHING_YET, useComputed, versionOf } from "./use-computed.js";

// the figures arrive after the form
const ComputedPanels = lazily(async () => (await import("./computed-panels.js")).ComputedPanels);

type Props = ViewProps & FrameParts & { onSaved: (frame: Resource["Timeframe"]) => void };

export const windowOf = (frame: Resource["Timeframe"]): TimeWindow => ({
  startMs: Date.parse(frame.start_time),
  stopMs: Date.parse(frame.end_time),
});

/** The form of a time frame, beside its figures and the plots that mark it. */
export function FrameEditor(props: Props) {
  const { client, account, settings, workspace, go, activity, schema, frame, sibling, onSaved } = props;
  const saved = frame === null ? null : windowOf(frame);
  const part = useSignal<TimeWindow | null>(saved);
  const selection = useSignal<Selection | null>(null);
  const likely = frame ?? sibling;
  const [device, setDevice] = useState(likely?.device ?? props.devices[0]?.id ?? 0);
  const worn = [...props.devices, frame?.device_details].find((one) => one?.id === device);
  const problem = useProblem();
  // a different number rebuilds the form from the saved values
  const [edition, setEdition] = useState(0);
  const title = frame === null ? "New time frame" : frameName(frame) || "Time frame";

  const textsOf = (one: Resource["Timeframe"]) => ({
    start_time: instantText(Date.parse(one.start_time), settings.zone.peek()),
    end_time: instantText(Date.parse(one.end_time), settings.zone.peek()),
    ...{ device: one.device, athlete: one.athlete, name: frameName(one) },
    "params.max_hr": numberText(one.params.max_hr),
  });

  const save = async (values: Values, form: HTMLFormElement, edited: ReadonlySet<string>): Promise<void> => {
    const marked = part.peek();
    if (marked === null) {
      const [startMs, stopMs] = [values("start_time"), values("end_time")].map((text) =>
        instantOf(text, settings.zone.peek()),
      );
      throw new FormProblem(
        startMs == null || stopMs == null
          ? { start_time: "Mark a time on the plot, or enter it." }
          : { end_time: REVERSED },
      );
    }
    const name = values("name").trim();
    const maxHr = values("params.max_hr");
    // The service replaces all params, so the request repeats the present values of those that the user has not changed.
    const paramsOver = ({ name: ofName, max_hr: ofMaxHr, ...others }: Resource["Timeframe"]["params"]) => {
      const isNew = (field: string) => frame === null || edited.has(field);
      const text = isNew("name") ? name : ofName;
      const rate = isNew("params.max_hr") ? maxHr : ofMaxHr;
      return {
        ...others,
        ...(text === undefined || text === "" ? {} : { name: text }),
        ...(rate === undefined || rate === "" ? {} : { max_hr: Number(rate) }),
      };
    };
    const body = {
      start_time: new Date(marked.startMs).toISOString(),
      end_time: new Date(marked.stopMs).toISOString(),
      device,
      athlete: Number(values("athlete")),
    };
    if (frame === null) {
      const created = await unwrap(
        client.POST("/api/v1/timeframes/", {
          body: {
            ...{ ...body, params: paramsOver({}) },
            ...{ activity: activity.id, owner: account.id, json_schema: schema.id },
          },
        }),
      );
      announce("The time frame is saved.");
      go(`/activities/${activity.id}/${created.id}`);
      return;
    }
    const params = { path: { timeframe: frame.id }, query: { with_athlete: true, with_device: true } };
    const changed = await saveChanges({
      ...{ form, changed: edited, shown: frame, textsOf },
      read: () => client.GET("/api/v1/timeframes/{timeframe}/", { params }),
      write: (headers, present) =>
        client.PATCH("/api/v1/timeframes/{timeframe}/", {
          ...{ params, headers },
          body: {
            ...onlyChanged(body, edited),
            ...(edited.has("name") || edited.has("params.max_hr")
              ? { params: paramsOver(present.params) }
              : {}),
          },
        }),
    });
    const isRenamed = versionOf(changed) === versionOf(frame);
    announce(`The time frame is saved.${isRenamed ? "" : " Its figures are computed again."}`);
    part.value = windowOf(changed);
    onSaved(changed);
  };

  const reset = () => {
    if (frame === null) go(`/activities/${activity.id}`);
    part.value = saved;
    setDevice(frame?.device ?? device);
    setEdition(edition + 1);
  };

  const show = (startMs: number, seconds: number) => {
    const now = selection.peek();
    if (now !== null) showAround(now, startMs, seconds);
  };

  return (
    <>
      <div class="view-head">
        <h1>
          {title} {frame === null ? null : <span class="subject">{athleteOf(frame)}</span>}
        </h1>
        {frame === null ? null : (
          <Action
            class="warns"
            problem={problem}
            failed="The time frame was not deleted."
            busy="Deleting…"
            question={{
              title: `Delete “${title}” of ${athleteOf(frame)}?`,
              text: "This also deletes its computed data. The data of the device are kept. This cannot be undone.",
              action: "Delete time frame",
            }}
            work={async () => {
              const params = { path: { timeframe: frame.id } };
              await unwrap(client.DELETE("/api/v1/timeframes/{timeframe}/", { params }));
              go(`/activities/${activity.id}`);
              return "The time frame is deleted.";
            }}
          >
            Delete…
          </Action>
        )}
      </div>
      <ProblemOf problem={problem} />
      <div class={frame === null ? "frame-form" : "frame-form with-figures"}>
        <section class="panel padded" aria-label="Time and data" key={edition}>
          <Form
            action={frame === null ? "Save time frame" : "Save changes"}
            onSubmit={save}
            onCancel={reset}
            isEditor
          >
            <div class="field-row">
              <Choice
                name="athlete"
                label="Athlete"
                initial={String(frame?.athlete ?? "")}
                required
                choices={athleteChoices(props)}
              />
              <Choice
                name="device"
                label="Device"
                initial={String(device)}
                choices={deviceChoices(props)}
                onValue={(id) => setDevice(Number(id))}
              />
            </div>
            {worn === undefined ? null : (
              <DeviceData
                key={worn.id}
                client={client}
                device={worn}
                settings={settings}
                reader={workspace.reader}
                part={part}
                likely={likely === null ? null : windowOf(likely)}
                isNew={frame === null}
                selection={selection}
              />
            )}
            <div class="field-row">
              <Field
                name="name"
                label="Name"
                maxLength={100}
                initial={frame === null ? "" : frameName(frame)}
                hint="For example “First half”. Time frames with the same name are compared."
              />
              <TimeFields part={part} zone={settings.zone.value} />
              <Field
                name="params.max_hr"
                label="Maximum heart rate"
                type="number"
                min={60}
                max={240}
                step="any"
                initial={numberText(frame?.params.max_hr)}
                hint="For heart rate zones. If the field is empty, the value follows from the age."
              />
            </div>
          </Form>
        </section>
        {frame === null ? null : <Figures {...props} frame={frame} part={part.value} onShow={show} />}
      </div>
    </>
  );
}

const numberText = (value: unknown) => (typeof value === "number" ? String(value) : "");

function athleteChoices({ athletes, frame }: Props): (readonly [string, string])[] {
  const known = athletes.map((athlete) => [String(athlete.id), athleteName(athlete)] as const);
  if (frame === null) return [["", "Choose an athlete"], ...known];
  return known.some(([id]) => id === String(frame.athlete))
    ? known
    : [[String(frame.athlete), athleteOf(frame)], ...known];
}

function deviceChoices({ devices, frame }: Props): (readonly [string, string])[] {
  const known = devices.map((device) => [String(device.id), deviceWithSerial(device)] as const);
  if (frame === null || devices.some(({ id }) => id === frame.device)) return known;
  return [[String(frame.device), deviceOf(frame)], ...known];
}

/** Returns the time of the computation. The text contains the day unless that is today. */
const computedAt = (ms: number, zone: Zone) =>
  day(ms, zone) === day(Date.now(), zone) ? timeOfDay(ms, zone) : `${timeOfDay(ms, zone)}, ${day(ms, zone)}`;

/** The computed data of the saved time frame, with notes about their age. */
function Figures({
  client,
  settings,
  frame,
  part,
  onShow,
}: Props & {
  frame: Resource["Timeframe"];
  part: TimeWindow | null;
  onShow: (startMs: number, seconds: number) => void;
}) {
  const [attempt, setAttempt] = useState(0);
  const state: ComputedState = useComputed(client, [frame], attempt).get(frame.id) ?? NOTHING_YET;
  const { computed, isWaiting, error } = state;
  const saved = windowOf(frame);
  const isMoved = part !== null && (part.startMs !== saved.startMs || part.stopMs !== saved.stopMs);
  const isStale = computed !== null && (isWaiting || error !== null || isMoved);
  return (
    <section class={isStale ? "figures-panel stale" : "figures-panel"} aria-label="Computed data">
      <div class="section-head">
        <h2>Computed data</h2>
        <Computing states={[state]} onAgain={() => setAttempt(attempt + 1)} />
      </div>
      {isMoved && !isWaiting ? (
        <p class="note warning">
          These are the figures of the saved time. Save the change to compute them again.
        </p>
      ) : null}
      {error === null ? null : (
        <ProblemCard
          title="The figures could not be computed."
          error={error}
          retry={() => setAttempt(attempt + 1)}
        />
      )}
      {computed === null ? null : (
        <>
          <p class="note">
            {computed.first_timestamp === null
              ? "The device has no data for this time."
              : `Computed at ${computedAt(computed.last_computation, settings.zone.value)}.`}
          </p>
          {computed.first_timestamp === null ? null : (
            <ComputedPanels client={client} computed={computed} settings={settings} onShow={onShow} />
          )}
        </>
      )}
    </section>
  );
}
