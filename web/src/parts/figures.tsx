import type { Figures } from "../recording/recording.js";
import { type Selection, showAround } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { PRESETS } from "../view/settings.js";
import { duration } from "../view/times.js";
import { decimal, distance, percent, withUnit } from "../view/values.js";
import { EffortPanels } from "./efforts.js";
import { NumberField } from "./number-field.js";
import { Panel } from "./panel.js";
import { bandLabel, MAX_SPEED_HINT } from "./speed-labels.js";

interface Props {
  figures: Figures;
  selection: Selection;
  settings: Settings;
}

const LEAST_MAX_SPEED_KM_PER_H = 10;
const MOST_MAX_SPEED_KM_PER_H = 45;

/** Figures of the visible part, such as speed, sprints, accelerations and heart rate. */
export function FigurePanels({ figures, selection, settings }: Props) {
  const { metrics } = figures;
  const unit = settings.speedUnit.value;
  const preset = PRESETS.find(([name]) => name === settings.preset.value)?.[1];
  const zones =
    settings.maxSpeedKmPerH.value === null
      ? settings.params?.(settings.preset.value)?.speed_ranges === undefined
        ? `${preset}`
        : "those of this report"
      : settings.aerobicSpeedKmPerH.value === null
        ? "60, 80 and 90 % of the maximum speed. Sprints start at 80 %"
        : "60, 80 and 100 % of the aerobic speed, and 30 % of the way from it to the maximum speed. Sprints start there";

  return (
    <>
      <Panel title="By speed" note={`Speed zones: ${zones}. ${MAX_SPEED_HINT}`}>
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
        <NumberField
          label="Maximum speed of the athlete"
          unit="km/h"
          least={LEAST_MAX_SPEED_KM_PER_H}
          most={MOST_MAX_SPEED_KM_PER_H}
          value={settings.maxSpeedKmPerH}
        />
      </Panel>
      <EffortPanels
        metrics={metrics}
        settings={settings}
        where="the shown time"
        onShow={(startMs, seconds) => showAround(selection, startMs, seconds)}
      />
      {metrics.hr_max === null ? null : <HeartRate figures={figures} settings={settings} />}
    </>
  );
}

/** The accepted maximum heart rates, beats per minute. */
const LEAST_MAXIMUM = 60;
const MOST_MAXIMUM = 240;

function HeartRate({ figures: { metrics }, settings }: { figures: Figures; settings: Settings }) {
  return (
    <Panel title="Heart rate zones" class="heart-zones">
      <NumberField
        label="Maximum heart rate of the athlete"
        unit="bpm"
        least={LEAST_MAXIMUM}
        most={MOST_MAXIMUM}
        value={settings.maxHeartRate}
      />
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
