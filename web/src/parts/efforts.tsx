import type { Metrics } from "asi-convert/metrics";
import type { ComponentChildren } from "preact";
import type { Settings } from "../view/settings.js";
import { timeOfDay } from "../view/times.js";
import { decimal, speedFactor, withUnit } from "../view/values.js";
import { Panel } from "./panel.js";
import { PlaceList } from "./place-list.js";

interface Props {
  metrics: Metrics;
  settings: Settings;
  /** The part that contains the efforts, such as "this time frame". */
  where: string;
  /** Shows an instant in the plots. */
  onShow: (startMs: number, seconds: number) => void;
}

/** docs/metrics.md explains the limit */
const TOO_SLOW = "Not all are known. They require at least 5 samples per second.";

/** The sprints, the accelerations and the decelerations of a recording or of a part of it. */
export function EffortPanels({ metrics, settings, where, onShow }: Props) {
  const unit = settings.speedUnit.value;
  const factor = speedFactor(unit);
  const speed = (value: number) => decimal(value * factor, 1);
  const { sprint, accelerations, decelerations } = metrics;
  const sprints = sprint.threshold_1.values;
  const efforts = [
    ...effortsOf(accelerations, "Acceleration"),
    ...effortsOf(decelerations, "Deceleration"),
  ].sort((a, b) => a.start_time - b.start_time);
  const [low, high] = metrics.definition.parameters.acceleration_thresholds;
  const counts = ({ threshold_1, threshold_2 }: Metrics["accelerations"]) =>
    `${threshold_1.values.length} of ${low} to ${high} m/s², ${threshold_2.values.length} from ${high} m/s²`;
  const countsText = metrics.has_accelerations
    ? `Accelerations: ${counts(accelerations)}. Decelerations: ${counts(decelerations)}.`
    : TOO_SLOW;
  const none = `None in ${where}.`;
  const shared = { settings, onShow };
  return (
    <>
      <Efforts
        {...shared}
        title="Sprints"
        note={`At least 1 s from ${speed(sprint.threshold_1.threshold)} ${unit}.`}
        none={none}
        heads={["Length, s", withUnit("Max", unit), "Distance, m"]}
        rows={sprints.map((one) => ({
          ...one,
          key: one.start_time,
          cells: [decimal(one.duration, 1), speed(one.max_value), decimal(one.distance, 0)],
        }))}
      />
      <Efforts
        {...shared}
        title="Accelerations and decelerations"
        note={countsText}
        hasAll={metrics.has_accelerations}
        none={none}
        heads={["Peak, m/s²", "Length, s", withUnit("Speed", unit)]}
        rows={efforts.map((one) => ({
          ...one,
          key: `${one.kind}${one.start_time}`,
          cells: [
            decimal(one.max_value, 1),
            decimal(one.duration, 1),
            `${speed(one.initial_speed)} → ${speed(one.end_speed)}`,
          ],
        }))}
      />
    </>
  );
}

const effortsOf = ({ threshold_1, threshold_2 }: Metrics["accelerations"], kind: string) =>
  [...threshold_1.values, ...threshold_2.values].map((effort) => ({ ...effort, kind }));

interface Row {
  key: string | number;
  start_time: number;
  /** The duration in seconds. */
  duration: number;
  cells: readonly ComponentChildren[];
}

interface EffortsProps extends Pick<Props, "settings" | "onShow"> {
  title: string;
  note: string;
  none: string;
  /** Whether the list is complete. */
  hasAll?: boolean;
  /** Headings of the columns between the start and the button. */
  heads: readonly string[];
  rows: readonly Row[];
}

/** Maximum length of a list, including printed ones. No match has more efforts. */
const LONGEST_LIST = 1000;

function Efforts({ title, note, none, hasAll = true, heads, rows, settings, onShow }: EffortsProps) {
  const zone = settings.zone.value;
  return (
    <Panel title={hasAll ? `${title}: ${rows.length}` : title} note={note}>
      {rows.length === 0 ? (
        hasAll && <p class="muted">{none}</p>
      ) : (
        <PlaceList
          label={title}
          heads={["Start", ...heads]}
          hasMore={rows.length > LONGEST_LIST}
          places={rows.slice(0, LONGEST_LIST).map(({ key, start_time, duration, cells }) => ({
            key,
            head: timeOfDay(start_time, zone),
            cells,
            show: {
              label: `Show ${timeOfDay(start_time, zone)}`,
              onShow: () => onShow(start_time, duration),
            },
          }))}
        />
      )}
    </Panel>
  );
}
