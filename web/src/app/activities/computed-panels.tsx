import { Panel, Scrolled } from "../../parts/figures.js";
import { bandLabel } from "../../parts/speed-bands.js";
import { SummaryCards } from "../../parts/summary.js";
import type { Settings, SpeedUnit } from "../../view/settings.js";
import { duration, timeOfDay } from "../../view/times.js";
import { decimal, distance, speedFactor } from "../../view/values.js";
import { Bars } from "./bars.js";
import { type Computed, figuresOf } from "./computed-figures.js";
import { Intensity } from "./intensity.js";

interface Props {
  computed: Computed;
  settings: Settings;
  /** Shows an instant in the plots. */
  onShow: (ms: number, seconds: number) => void;
}

/** The computed data of a time frame: cards, charts, and the lists of efforts. */
export function ComputedPanels({ computed, settings, onShow }: Props) {
  const unit = settings.speedUnit.value;
  const zone = settings.zone.value;
  return (
    <div class="computed">
      <SummaryCards figures={figuresOf(computed)} speedUnit={unit} />
      <div class="charts">
        <TimeBySpeed computed={computed} unit={unit} />
        <DistanceBySpeed computed={computed} unit={unit} />
        <Intensity computed={computed} zone={zone} />
        <HeartRateZones computed={computed} />
      </div>
      <div class="charts">
        <Runs computed={computed} settings={settings} onShow={onShow} />
        <Efforts computed={computed} settings={settings} onShow={onShow} />
      </div>
    </div>
  );
}

const bandColour = (i: number) => `var(--band-${Math.min(i, 5)})`;

function TimeBySpeed({
  computed: { time_per_speed_ranges: ranges },
  unit,
}: {
  computed: Computed;
  unit: SpeedUnit;
}) {
  return (
    <Bars
      title="Time by speed"
      note={unit}
      bars={ranges.map((range, i) => ({
        key: range.threshold_low,
        label: bandLabel(range, i === ranges.length - 1, unit),
        value: range.duration,
        text: `${duration(range.duration * 1000)} · ${decimal(range.ratio * 100, 1)} %`,
        colour: bandColour(i),
      }))}
    />
  );
}

function DistanceBySpeed({
  computed: { distance_per_speed_ranges: ranges },
  unit,
}: {
  computed: Computed;
  unit: SpeedUnit;
}) {
  return (
    <Bars
      title="Distance by speed"
      note={unit}
      bars={ranges.map((range, i) => {
        const covered = distance(range.distance);
        return {
          key: range.threshold_low,
          label: bandLabel(range, i === ranges.length - 1, unit),
          value: range.distance,
          text: `${covered.value} ${covered.unit} · ${decimal(range.ratio * 100, 1)} %`,
          colour: bandColour(i),
        };
      })}
    />
  );
}

function HeartRateZones({
  computed: { timePerHrZone: zones, hr_max, athlete_max_hr },
}: {
  computed: Computed;
}) {
  if (hr_max === null) return null;
  if (athlete_max_hr === null) {
    return (
      <figure class="bars">
        <figcaption>Heart rate zones</figcaption>
        <p class="note">
          The maximum heart rate of the athlete is not known. Enter it for this time frame, or the birth date
          of the athlete.
        </p>
      </figure>
    );
  }
  return (
    <Bars
      title="Heart rate zones"
      note={`share of time, maximum ${decimal(athlete_max_hr, 0)} bpm`}
      bars={zones.map((zone, i) => ({
        key: zone.range_bpm[0],
        label: `${zone.range_bpm.map((bpm) => decimal(bpm, 0)).join("–")} bpm`,
        value: zone.percentage_hrmax,
        text: `${decimal(zone.percentage_hrmax, 1)} %`,
        colour: bandColour(i),
      }))}
    />
  );
}

const LONGEST_LIST = 200;

function Runs({ computed, settings, onShow }: Props) {
  const unit = settings.speedUnit.value;
  const factor = speedFactor(unit);
  const { threshold, values } = computed.sprint.threshold_1;
  return (
    <Panel
      title={`Sprints: ${values.length}`}
      note={`At least 1 s from ${decimal(threshold * factor, 1)} ${unit}.`}
    >
      {values.length === 0 ? (
        <p class="muted">None in this time frame.</p>
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
              {values.slice(0, LONGEST_LIST).map((run) => (
                <tr key={run.start_time}>
                  <th scope="row">{timeOfDay(run.start_time, settings.zone.value)}</th>
                  <td>{decimal(run.duration, 1)} s</td>
                  <td>{decimal(run.max_value * factor, 1)}</td>
                  <td>{decimal(run.distance, 0)} m</td>
                  <ShowCell
                    startMs={run.start_time}
                    seconds={run.duration}
                    settings={settings}
                    onShow={onShow}
                  />
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
    </Panel>
  );
}

function Efforts({ computed, settings, onShow }: Props) {
  const unit = settings.speedUnit.value;
  const factor = speedFactor(unit);
  const { accelerations, decelerations } = computed;
  const efforts = [
    ...accelerations.threshold_1.values,
    ...accelerations.threshold_2.values,
    ...decelerations.threshold_1.values,
    ...decelerations.threshold_2.values,
  ].sort((a, b) => a.start_time - b.start_time);
  const counts = ({ threshold_1: low, threshold_2: high }: Computed["accelerations"]) =>
    `${low.values.length} from ${low.threshold} m/s², ${high.values.length} from ${high.threshold} m/s²`;
  return (
    <Panel
      title={`Accelerations and decelerations: ${efforts.length}`}
      note={`Accelerations: ${counts(accelerations)}. Decelerations: ${counts(decelerations)}.`}
    >
      {efforts.length === 0 ? (
        <p class="muted">None in this time frame. They need at least 5 samples a second.</p>
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
                <tr key={`${effort.start_time} ${effort.max_value}`}>
                  <th scope="row">{timeOfDay(effort.start_time, settings.zone.value)}</th>
                  <td>{decimal(effort.max_value, 1)}</td>
                  <td>{decimal(effort.duration, 1)} s</td>
                  <td>
                    {decimal(effort.initial_speed * factor, 1)} → {decimal(effort.end_speed * factor, 1)}
                  </td>
                  <ShowCell
                    startMs={effort.start_time}
                    seconds={effort.duration}
                    settings={settings}
                    onShow={onShow}
                  />
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
      {efforts.length > LONGEST_LIST ? <p class="muted">The first {LONGEST_LIST} are listed.</p> : null}
    </Panel>
  );
}

function ShowCell({
  startMs,
  seconds,
  settings,
  onShow,
}: {
  startMs: number;
  seconds: number;
  settings: Settings;
  onShow: Props["onShow"];
}) {
  return (
    <td class="action">
      <button
        type="button"
        aria-label={`Show ${timeOfDay(startMs, settings.zone.value)}`}
        onClick={() => onShow(startMs, seconds)}
      >
        Show
      </button>
    </td>
  );
}
