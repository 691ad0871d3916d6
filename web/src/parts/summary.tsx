import type { Figures } from "../recording/recording.js";
import { duration } from "../view/times.js";
import { decimal, distance, NO_VALUE, type SpeedUnit, speedFactor } from "../view/values.js";
import { bandLabel, MAX_SPEED_HINT } from "./speed-labels.js";

/** The figures of the visible part, each on a card. */
export function SummaryCards({ figures, speedUnit }: { figures: Figures | null; speedUnit: SpeedUnit }) {
  const factor = speedFactor(speedUnit);
  const speed = (value: number | null | undefined) => (value == null ? NO_VALUE : decimal(value * factor, 1));
  const rate = (value: number | null | undefined) => (value == null ? NO_VALUE : decimal(value, 0));
  const metrics = figures?.metrics;
  const { value, unit } =
    metrics == null ? { value: NO_VALUE, unit: "" } : distance(metrics.total_distance ?? 0);
  return (
    <div class="summary">
      <dl class="cards" aria-label="Figures of the shown time">
        <Card name="Recorded" value={figures === null ? NO_VALUE : duration(figures.recordedMs)} />
        <Card name="Distance" value={value} unit={unit} />
        <Card name="Max speed" value={speed(metrics?.max_speed)} unit={speedUnit} hint={MAX_SPEED_HINT} />
        <Card name="Mean speed" value={speed(metrics?.average_speed)} unit={speedUnit} />
        <Card name="Mean HR" value={rate(metrics?.hr_avg)} unit="bpm" />
        <Card name="Max HR" value={rate(metrics?.hr_max)} unit="bpm" />
      </dl>
      <TimeBySpeed figures={figures} speedUnit={speedUnit} />
    </div>
  );
}

interface CardProps {
  name: string;
  value: string;
  unit?: string;
  /** Explanation of the figure, if its name is not enough. */
  hint?: string;
}

function Card({ name, value, unit = "", hint }: CardProps) {
  return (
    <div class="card" title={hint}>
      <dt>{name}</dt>
      <dd>
        {value} {value === NO_VALUE ? null : <span class="unit">{unit}</span>}
      </dd>
    </div>
  );
}

const TALLEST_BAR_PX = 26;

function TimeBySpeed({ figures, speedUnit }: { figures: Figures | null; speedUnit: SpeedUnit }) {
  const ranges = figures?.metrics.time_per_speed_ranges ?? [];
  return (
    <div class="card time-by-speed">
      <h2>Time by speed, {speedUnit}</h2>
      <ul>
        {ranges.map((range, i) => (
          <li key={range.threshold_low}>
            <i
              style={{
                height: `${Math.max(1, Math.sqrt(range.ratio) * TALLEST_BAR_PX)}px`,
                background: `var(--band-${Math.min(i, 5)})`,
              }}
            />
            <span>
              <b>{duration(range.duration * 1000)}</b>
              <br />
              <span class="unit">{bandLabel(range, i === ranges.length - 1, speedUnit)}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
