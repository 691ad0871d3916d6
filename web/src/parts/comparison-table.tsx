import { isDamaged } from "../recording/is-damaged.js";
import type { Placed } from "../recording/placed.js";
import type { Figures, Recording } from "../recording/recording.js";
import { areCopies, titlesOf } from "../recording/timeline.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { day, durationDifference } from "../view/times.js";
import { decimal, NO_VALUE, speedFactor, withSign } from "../view/values.js";
import { damageText } from "./condition.js";
import { Scrolled } from "./panel.js";
import { highIntensityMetres, highIntensityName, MAX_SPEED_HINT } from "./speed-labels.js";
import { tooFastText } from "./too-fast.js";

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
  /** Explanation of the figure, if its name is not enough. */
  hint?: string;
  value(figures: Figures): number | null;
  text(value: number): string;
}

/** Returns the number of efforts, or null if there are no figures. */
const effortCount = ({ metrics }: Figures, direction: "accelerations" | "decelerations") =>
  metrics.has_accelerations
    ? metrics[direction].threshold_1.values.length + metrics[direction].threshold_2.values.length
    : null;

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
    { name: "Accel.", value: (one) => effortCount(one, "accelerations"), text: whole },
    { name: "Decel.", value: (one) => effortCount(one, "decelerations"), text: whole },
    { name: "Mean HR, bpm", value: ({ metrics }) => metrics.hr_avg, text: whole },
    { name: "Max HR, bpm", value: ({ metrics }) => metrics.hr_max, text: whole },
  ];
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** Figures of several recordings side by side, with differences from the first. */
export function ComparisonTable({ placed, figures, colours, settings, onClose }: Props) {
  const zone = settings.zone.value;
  const lines = linesOf(settings, figures);
  const titles = titlesOf(placed.map(({ recording }) => recording));
  return (
    <section class="panel padded" aria-label="Figures of the shown time">
      <p class="note">
        {areCopies(
          placed.map(({ recording }) => recording),
          figures,
        )
          ? "These are copies of one recording, so nothing differs. Choose Compare… to add another one, such as a team-mate's or one from another day."
          : "Figures of the shown time. The difference from the first recording is below each figure."}
      </p>
      <Scrolled label="Figures, scroll sideways for more">
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
                  <Doubts recording={recording} figures={figures[i] ?? null} settings={settings} />
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

/** Problems of a recording or of its figures. */
function Doubts({
  recording: { facts },
  figures,
  settings,
}: {
  recording: Recording;
  figures: Figures | null;
  settings: Settings;
}) {
  const texts = [
    isDamaged(facts) ? damageText(facts, settings) : "",
    figures === null ? "" : tooFastText(figures.metrics, settings.speedUnit.value),
  ].filter((text) => text !== "");
  return texts.map((text) => (
    <p class="note bad" key={text}>
      <span aria-hidden="true">!</span> {text}
    </p>
  ));
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
