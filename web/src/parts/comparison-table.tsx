import type { Placed } from "../recording/placed.js";
import type { Figures } from "../recording/recording.js";
import { titleOf, titlesOf } from "../recording/timeline.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { day, durationDifference } from "../view/times.js";
import { decimal, NO_VALUE, speedFactor, withSign } from "../view/values.js";
import { highIntensityMetres, highIntensityName } from "./high-intensity.js";
import { MAX_SPEED_HINT } from "./max-speed.js";
import { Scrolled } from "./panel.js";

interface Props {
  placed: readonly Placed[];
  figures: readonly (Figures | null)[];
  colours: readonly string[];
  selection: Selection;
  settings: Settings;
  onClose: (id: number) => void;
}

interface Line {
  name: string;
  /** What the figure is, where its name does not say enough. */
  hint?: string;
  value(figures: Figures): number | null;
  text(value: number): string;
}

const effortCount = ({ threshold_1, threshold_2 }: Figures["metrics"]["accelerations"]) =>
  threshold_1.values.length + threshold_2.values.length;

function linesOf(settings: Settings, figures: readonly (Figures | null)[]): Line[] {
  const unit = settings.speedUnit.value;
  const factor = speedFactor(unit);
  const whole = (value: number) => decimal(value, 0);
  const tenths = (value: number) => decimal(value, 1);
  return [
    { name: "Recorded", value: ({ recordedMs }) => recordedMs, text: durationDifference },
    { name: "Distance, m", value: ({ metrics }) => metrics.total_distance, text: whole },
    {
      name: `Max speed, ${unit}`,
      hint: MAX_SPEED_HINT,
      value: ({ metrics }) => scaled(metrics.max_speed, factor),
      text: tenths,
    },
    {
      name: `Mean speed, ${unit}`,
      value: ({ metrics }) => scaled(metrics.average_speed, factor),
      text: tenths,
    },
    { name: "Sprints", value: ({ metrics }) => metrics.sprint.threshold_1.values.length, text: whole },
    {
      name: `${highIntensityName(
        figures.flatMap((one) => one?.metrics ?? []),
        unit,
      )}, m`,
      value: ({ metrics }) => highIntensityMetres(metrics),
      text: whole,
    },
    { name: "Accel.", value: ({ metrics }) => effortCount(metrics.accelerations), text: whole },
    { name: "Decel.", value: ({ metrics }) => effortCount(metrics.decelerations), text: whole },
    { name: "Mean HR, bpm", value: ({ metrics }) => metrics.hr_avg, text: whole },
    { name: "Max HR, bpm", value: ({ metrics }) => metrics.hr_max, text: whole },
  ];
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** Figures of several recordings beside each other, with differences to the first. */
export function ComparisonTable({ placed, figures, colours, settings, onClose }: Props) {
  const zone = settings.zone.value;
  const lines = linesOf(settings, figures);
  const titles = titlesOf(placed.map(({ recording }) => recording));
  return (
    <section class="panel padded" aria-label="Figures of what is shown">
      <p class="note">
        {isOneRecording(placed)
          ? "These are copies of one recording, so nothing differs. Choose Compare… to add another one, such as that of a team-mate or of another day."
          : "Figures of what is shown. Below each: the difference to the first recording."}
      </p>
      <Scrolled label="Figures; scroll sideways for more">
        <table class="comparison">
          <thead>
            <tr>
              <th scope="col">Recording</th>
              {lines.map(({ name, hint }) => (
                <th scope="col" key={name} title={hint}>
                  {name}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {placed.map(({ recording }, i) => (
              <tr key={recording.id}>
                <th scope="row">
                  <i class="dot" style={{ background: colours[i] }} />
                  {titles[i]}
                  <br />
                  <span class="unit">{day(recording.startMs, zone)}</span>
                </th>
                {lines.map((line) => (
                  <td key={line.name}>
                    <Value
                      line={line}
                      figures={figures[i] ?? null}
                      first={i === 0 ? null : (figures[0] ?? null)}
                    />
                  </td>
                ))}
                <td class="action">
                  <button
                    type="button"
                    class="close"
                    aria-label={`Close ${titles[i]}`}
                    onClick={() => onClose(recording.id)}
                  >
                    ×
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </section>
  );
}

/** Whether all of them are the same: their differences would be zeros. */
function isOneRecording(placed: readonly Placed[]): boolean {
  const identities = placed.map(({ recording: { startMs, stopMs, facts } }) =>
    JSON.stringify([titleOf(facts), startMs, stopMs, facts.rows]),
  );
  return new Set(identities).size === 1;
}

function Value({ line, figures, first }: { line: Line; figures: Figures | null; first: Figures | null }) {
  const value = figures === null ? null : line.value(figures);
  if (value === null) return <>{NO_VALUE}</>;
  const reference = first === null ? null : line.value(first);
  if (reference === null) return <>{line.text(value)}</>;
  return (
    <>
      {line.text(value)}
      <br />
      <span class="unit">{withSign(line.text(value - reference))}</span>
    </>
  );
}
