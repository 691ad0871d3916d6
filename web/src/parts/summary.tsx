import type { Summary } from "../recording/recording.js";
import type { SpeedUnit } from "../view/settings.js";
import { duration } from "../view/times.js";
import { decimal, distance, NO_VALUE, speedFactor } from "../view/values.js";

/** The figures of what is shown, one on each card. */
export function SummaryCards({ summary, speedUnit }: { summary: Summary | null; speedUnit: SpeedUnit }) {
  const factor = speedFactor(speedUnit);
  const speed = (value: number | null | undefined) => (value == null ? NO_VALUE : decimal(value * factor, 1));
  const rate = (value: number | null | undefined) => (value == null ? NO_VALUE : decimal(value, 0));
  const { value, unit } = summary === null ? { value: NO_VALUE, unit: "" } : distance(summary.distanceM);
  return (
    <dl class="cards" aria-label="Figures of what is shown">
      <Card name="Recorded" value={summary === null ? NO_VALUE : duration(summary.recordedMs)} />
      <Card name="Distance" value={value} unit={unit} />
      <Card name="Max speed" value={speed(summary?.maxSpeed)} unit={speedUnit} />
      <Card name="Mean speed" value={speed(summary?.meanSpeed)} unit={speedUnit} />
      <Card name="Mean HR" value={rate(summary?.meanHeartRate)} unit="bpm" />
      <Card name="Max HR" value={rate(summary?.maxHeartRate)} unit="bpm" />
    </dl>
  );
}

function Card({ name, value, unit = "" }: { name: string; value: string; unit?: string }) {
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd>
        {value} {value === NO_VALUE ? null : <span class="unit">{unit}</span>}
      </dd>
    </div>
  );
}
