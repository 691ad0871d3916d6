import { useCallback } from "preact/hooks";
import type { RecordingService } from "../recording/messages.js";
import type { Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import { figureSettings, type Settings } from "../view/settings.js";
import { duration } from "../view/times.js";
import { decimal, percent } from "../view/values.js";
import { NoFigures } from "./no-figures.js";
import { Scrolled } from "./panel.js";
import { Fact } from "./recording-card.js";
import { useAnswer } from "./use-answer.js";

export interface OptionalFigureProps {
  recording: Recording;
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
}

/** The energy of the visible part, estimated from speed. */
export function MetabolicPower({ recording: { id }, selection, settings, reader }: OptionalFigureProps) {
  const ask = useCallback(
    () =>
      reader.ask("metabolicPower", {
        id,
        shown: selection.shown.peek(),
        settings: figureSettings(settings),
      }),
    [id, selection, settings, reader],
  );
  const answer = useAnswer(ask, [selection.shown, settings.preset]);
  if (answer === null) return <p role="status">Computing metabolic power…</p>;
  if ("problem" in answer) return <NoFigures problem={answer.problem} />;
  const { energy, equivalent_distance: equivalent, equivalent_distance_index: index } = answer.found;
  const { mean_power: mean, categories, caution } = answer.found;
  if (energy === null || equivalent === null)
    return <p class="muted">There is none. At least 1 s with 5 samples per second is needed.</p>;
  const seconds = categories.reduce((sum, one) => sum + one.duration, 0);
  return (
    <section aria-label="Metabolic power">
      <p class="note">{caution}</p>
      <div class="beside">
        <div role="status">
          <dl class="facts">
            <Fact name="Energy in the visible time" value={`${decimal(energy, 2)} kJ/kg`} />
            {mean === null ? null : <Fact name="Mean power" value={`${decimal(mean, 1)} W/kg`} />}
            <Fact name="Equivalent distance" value={`${decimal(equivalent, 0)} m`} />
            {index === null ? null : <Fact name="Equivalent distance / distance" value={decimal(index, 3)} />}
          </dl>
        </div>
        <Scrolled label="Time and distance by metabolic power">
          <table>
            <thead>
              <tr>
                {["Power, W/kg", "Time", "Share", "Distance, m"].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {categories.map(({ threshold_low: low, threshold_high: high, duration: ofTime, distance }) => (
                <tr key={low}>
                  <th scope="row">{high === null ? `from ${low}` : `${low} to ${high}`}</th>
                  <td>{duration(ofTime * 1000)}</td>
                  <td>{percent(seconds === 0 ? 0 : ofTime / seconds)}</td>
                  <td>{decimal(distance, 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      </div>
    </section>
  );
}
