import type { ComponentChildren } from "preact";
import type { Figures } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { PRESETS } from "../view/settings.js";
import { duration, timeOfDay } from "../view/times.js";
import { decimal, distance, speedFactor } from "../view/values.js";
import { within } from "../view/window.js";
import { bandLabel } from "./speed-bands.js";

interface Props {
  figures: Figures;
  selection: Selection;
  settings: Settings;
}

const LONGEST_LIST = 100;
// what is shown around an effort, so that one sees how it came about
const AROUND_MS = 10_000;

/** Figures by speed, sprints, accelerations and heart rate of what is shown. */
export function FigurePanels({ figures, selection, settings }: Props) {
  const { metrics } = figures;
  const unit = settings.speedUnit.value;
  const zone = settings.zone.value;
  const factor = speedFactor(unit);
  const speed = (value: number) => decimal(value * factor, 1);
  const metres = (value: number) => decimal(value, 0);
  const show = (startMs: number, seconds: number) => {
    const stopMs = startMs + seconds * 1000;
    selection.shown.value = within(
      { startMs: startMs - AROUND_MS, stopMs: stopMs + AROUND_MS },
      selection.whole.peek(),
    );
    selection.cursorMs.value = startMs;
  };
  const showCell = (startMs: number, seconds: number) => (
    <td class="action">
      <button
        type="button"
        aria-label={`Show ${timeOfDay(startMs, zone)}`}
        onClick={() => show(startMs, seconds)}
      >
        Show
      </button>
    </td>
  );
  const { definition } = metrics;
  const sprints = metrics.sprint.threshold_1.values;
  const efforts = [
    ...effortsOf(metrics.accelerations, "Acceleration"),
    ...effortsOf(metrics.decelerations, "Deceleration"),
  ].sort((a, b) => a.start_time - b.start_time);
  const [low, high] = definition.parameters.acceleration_thresholds;
  const counts = (lists: typeof metrics.accelerations) =>
    `${lists.threshold_1.values.length} from ${low} m/s², ${lists.threshold_2.values.length} from ${high} m/s²`;
  const preset = PRESETS.find(([name]) => name === settings.preset.value)?.[1];

  return (
    <>
      <Panel title="By speed" note={`Classes: ${preset}.`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{unit}</th>
              <th scope="col">Time</th>
              <th scope="col">Share</th>
              <th scope="col">Distance</th>
            </tr>
          </thead>
          <tbody>
            {metrics.time_per_speed_ranges.map((range, i, all) => {
              const covered = distance(metrics.distance_per_speed_ranges[i]?.distance ?? 0);
              return (
                <tr key={range.threshold_low}>
                  <th scope="row">
                    <i class="dot" style={{ background: `var(--band-${Math.min(i, 5)})` }} />
                    {bandLabel(range, i === all.length - 1, unit)}
                  </th>
                  <td>{duration(range.duration * 1000)}</td>
                  <td>{decimal(range.ratio * 100, 1)} %</td>
                  <td>
                    {covered.value} {covered.unit}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Panel>
      <Panel
        title={`Sprints: ${sprints.length}`}
        note={`At least 1 s from ${speed(metrics.sprint.threshold_1.threshold)} ${unit}.`}
      >
        {sprints.length === 0 ? (
          <p class="muted">No sprint in what is shown.</p>
        ) : (
          <Scrolled label="Sprints">
            <table>
              <thead>
                <tr>
                  <th scope="col">Start</th>
                  <th scope="col">Time</th>
                  <th scope="col">Max {unit}</th>
                  <th scope="col">Distance</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {sprints.slice(0, LONGEST_LIST).map((sprint) => (
                  <tr key={sprint.start_time}>
                    <th scope="row">{timeOfDay(sprint.start_time, zone)}</th>
                    <td>{decimal(sprint.duration, 1)} s</td>
                    <td>{speed(sprint.max_value)}</td>
                    <td>{metres(sprint.distance)} m</td>
                    {showCell(sprint.start_time, sprint.duration)}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scrolled>
        )}
        <More count={sprints.length} />
      </Panel>
      <Panel
        title={`Accelerations and decelerations: ${efforts.length}`}
        note={`Accelerations: ${counts(metrics.accelerations)}. Decelerations: ${counts(metrics.decelerations)}.`}
      >
        {efforts.length === 0 ? (
          <p class="muted">None in what is shown. They need at least 5 rows a second.</p>
        ) : (
          <Scrolled label="Accelerations and decelerations">
            <table>
              <thead>
                <tr>
                  <th scope="col">Start</th>
                  <th scope="col">Peak m/s²</th>
                  <th scope="col">Time</th>
                  <th scope="col">{unit}</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {efforts.slice(0, LONGEST_LIST).map((effort) => (
                  <tr key={`${effort.kind}${effort.start_time}`}>
                    <th scope="row">{timeOfDay(effort.start_time, zone)}</th>
                    <td>{decimal(effort.max_value, 1)}</td>
                    <td>{decimal(effort.duration, 1)} s</td>
                    <td>
                      {speed(effort.initial_speed)} → {speed(effort.end_speed)}
                    </td>
                    {showCell(effort.start_time, effort.duration)}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scrolled>
        )}
        <More count={efforts.length} />
      </Panel>
      {metrics.hr_max === null ? null : <HeartRate figures={figures} settings={settings} />}
    </>
  );
}

function effortsOf(lists: Figures["metrics"]["accelerations"], kind: string) {
  return [...lists.threshold_1.values, ...lists.threshold_2.values].map((effort) => ({ ...effort, kind }));
}

function HeartRate({ figures: { metrics }, settings }: { figures: Figures; settings: Settings }) {
  const { maxHeartRate } = settings;
  return (
    <Panel title="Heart rate zones">
      <label class="field">
        Maximum heart rate of the athlete
        <input
          type="number"
          min={60}
          max={240}
          placeholder="bpm"
          value={maxHeartRate.value ?? ""}
          onChange={({ currentTarget }) => {
            const value = currentTarget.valueAsNumber;
            maxHeartRate.value = value >= 60 && value <= 240 ? value : null;
          }}
        />
      </label>
      {metrics.timePerHrZone.length === 0 ? (
        <p class="muted">Enter it, from 60 to 240, to see the time in each zone.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">% of maximum</th>
              <th scope="col">bpm</th>
              <th scope="col">Share of time</th>
            </tr>
          </thead>
          <tbody>
            {metrics.timePerHrZone.map(({ percentage_hrmax, range_bpm, range_percent_hrmax }) => (
              <tr key={range_bpm[0]}>
                <th scope="row">{range_percent_hrmax.join("–")}</th>
                <td>{range_bpm.map((bpm) => decimal(bpm, 0)).join("–")}</td>
                <td>{decimal(percentage_hrmax, 1)} %</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function More({ count }: { count: number }) {
  return count > LONGEST_LIST ? <p class="muted">The first {LONGEST_LIST} are listed.</p> : null;
}

export function Panel({
  title,
  note,
  children,
}: {
  title: string;
  note?: string;
  children: ComponentChildren;
}) {
  return (
    <section class="panel padded">
      <h2>{title}</h2>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  );
}

/** A table that scrolls by itself, also by keyboard. */
export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll
    <section class="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
