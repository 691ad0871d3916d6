import { useRef } from "preact/hooks";
import type { Figures } from "../recording/recording.js";
import { type Selection, showAround } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { PRESETS } from "../view/settings.js";
import { duration } from "../view/times.js";
import { decimal, distance, percent, withUnit } from "../view/values.js";
import { EffortPanels } from "./efforts.js";
import { MAX_SPEED_HINT } from "./max-speed.js";
import { Panel } from "./panel.js";
import { bandLabel } from "./speed-bands.js";

interface Props {
  figures: Figures;
  selection: Selection;
  settings: Settings;
}

/** Figures of the shown part: speed, sprints, accelerations and heart rate. */
export function FigurePanels({ figures, selection, settings }: Props) {
  const { metrics } = figures;
  const unit = settings.speedUnit.value;
  const preset = PRESETS.find(([name]) => name === settings.preset.value)?.[1];

  return (
    <>
      <Panel title="By speed" note={`Speed zones: ${preset}. ${MAX_SPEED_HINT}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{withUnit("Speed", unit)}</th>
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
                  <td>{percent(range.ratio)}</td>
                  <td>
                    {covered.value} {covered.unit}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Panel>
      <EffortPanels
        metrics={metrics}
        settings={settings}
        where="what is shown"
        onShow={(startMs, seconds) => showAround(selection, startMs, seconds)}
      />
      {metrics.hr_max === null ? null : <HeartRate figures={figures} settings={settings} />}
    </>
  );
}

/** Beats per minute. */
const LEAST_MAXIMUM = 60;
const MOST_MAXIMUM = 240;
/** Delay after the last key, so that figures are not computed for each key. */
const TYPING_MS = 500;

function HeartRate({ figures: { metrics }, settings }: { figures: Figures; settings: Settings }) {
  const { maxHeartRate } = settings;
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // null for an empty field; undefined for an invalid or incomplete number
  const entered = (input: HTMLInputElement): number | null | undefined => {
    const value = input.valueAsNumber;
    if (value >= LEAST_MAXIMUM && value <= MOST_MAXIMUM) return value;
    return input.value === "" && !input.validity.badInput ? null : undefined;
  };
  return (
    <Panel title="Heart rate zones">
      <label class="field">
        Maximum heart rate of the athlete
        <input
          type="number"
          min={LEAST_MAXIMUM}
          max={MOST_MAXIMUM}
          placeholder="bpm"
          value={maxHeartRate.value ?? ""}
          onInput={({ currentTarget }) => {
            clearTimeout(typing.current);
            const value = entered(currentTarget);
            if (value === undefined) return;
            typing.current = setTimeout(() => {
              maxHeartRate.value = value;
            }, TYPING_MS);
          }}
          // immediately after Enter, and when the field loses focus
          onChange={({ currentTarget }) => {
            clearTimeout(typing.current);
            maxHeartRate.value = entered(currentTarget) ?? null;
          }}
        />
      </label>
      {metrics.timePerHrZone.length === 0 ? (
        <p class="muted">
          Enter it, from {LEAST_MAXIMUM} to {MOST_MAXIMUM}, to see the time in each zone.
        </p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">% of maximum</th>
              <th scope="col">Heart rate, bpm</th>
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
