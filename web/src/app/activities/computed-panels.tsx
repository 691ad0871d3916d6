import type { Client } from "asi-client";
import type { Metrics } from "asi-convert/metrics";
import { EffortPanels } from "../../parts/efforts.js";
import { bandLabel } from "../../parts/speed-labels.js";
import { SummaryCards } from "../../parts/summary.js";
import { TooFast } from "../../parts/too-fast.js";
import type { Settings } from "../../view/settings.js";
import { duration } from "../../view/times.js";
import { decimal, distance, percent, type SpeedUnit } from "../../view/values.js";
import { Bars } from "./bars.js";
import { type Computed, figuresOf } from "./computed.js";
import { Intensity } from "./intensity.js";

interface Props {
  client: Client;
  computed: Computed;
  settings: Settings;
  /** Shows an instant in the plots. */
  onShow: (ms: number, seconds: number) => void;
}

/** The computed data of a time frame as cards, charts, and lists of efforts. */
export function ComputedPanels({ computed, settings, onShow }: Props) {
  const unit = settings.speedUnit.value;
  const zone = settings.zone.value;
  return (
    <div class="computed">
      <SummaryCards figures={figuresOf(computed)} speedUnit={unit} />
      <TooFast metrics={computed} speedUnit={unit} />
      <div class="charts">
        <BySpeed
          title="Time by speed"
          ranges={computed.time_per_speed_ranges}
          amountOf={({ duration: seconds }) => seconds}
          textOf={(seconds) => duration(seconds * 1000)}
          unit={unit}
        />
        <BySpeed
          title="Distance by speed"
          ranges={computed.distance_per_speed_ranges}
          amountOf={({ distance: metres }) => metres}
          textOf={metresText}
          unit={unit}
        />
        <Intensity computed={computed} zone={zone} />
        <HeartRateZones computed={computed} />
      </div>
      <div class="charts">
        <EffortPanels metrics={computed} settings={settings} where="this time frame" onShow={onShow} />
      </div>
    </div>
  );
}

type SpeedRange = Omit<Metrics["time_per_speed_ranges"][number], "duration">;

const bandColour = (i: number) => `var(--band-${Math.min(i, 5)})`;

/** Time or distance in each class of speed. */
function BySpeed<Range extends SpeedRange>({
  title,
  ranges,
  amountOf,
  textOf,
  unit,
}: {
  title: string;
  ranges: readonly Range[];
  amountOf: (range: Range) => number;
  textOf: (value: number) => string;
  unit: SpeedUnit;
}) {
  return (
    <Bars
      title={title}
      note={unit}
      whole={1}
      bars={ranges.map((range, i) => ({
        key: range.threshold_low,
        label: bandLabel(range, i === ranges.length - 1, unit),
        value: range.ratio,
        text: `${textOf(amountOf(range))} · ${percent(range.ratio)}`,
        colour: bandColour(i),
      }))}
    />
  );
}

const metresText = (metres: number) => {
  const { value, unit } = distance(metres);
  return `${value} ${unit}`;
};

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
          The maximum heart rate is not known. Enter it for this time frame, or the birth date of the athlete.
        </p>
      </figure>
    );
  }
  return (
    <Bars
      title="Heart rate zones"
      note={`share of time, maximum ${decimal(athlete_max_hr, 0)} bpm`}
      whole={100}
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
