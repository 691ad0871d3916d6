import { useCallback } from "preact/hooks";
import { figureSettings } from "../view/settings.js";
import { duration, timeOfDay } from "../view/times.js";
import { decimal, NO_VALUE, speedFactor, withUnit } from "../view/values.js";
import { within } from "../view/window.js";
import type { OptionalFigureProps } from "./metabolic.js";
import { NoFigures } from "./no-figures.js";
import { PlaceList } from "./place-list.js";
import { useAnswer } from "./use-answer.js";

/** The steady runs of a recording, each with the heart rate at its end. */
export function StandardRuns({ recording: { id }, selection, settings, reader }: OptionalFigureProps) {
  const ask = useCallback(
    () => reader.ask("standardRuns", { id, settings: figureSettings(settings) }),
    [id, settings, reader],
  );
  const answer = useAnswer(ask, [settings.preset]);
  if (answer === null) return <p role="status">Searching for standard runs…</p>;
  if ("problem" in answer) return <NoFigures problem={answer.problem} />;
  const { runs, caution } = answer.found;
  const unit = settings.speedUnit.value;
  const zone = settings.zone.value;
  return (
    <>
      <p class="note">{caution}</p>
      {runs.length === 0 ? (
        <p class="muted">
          There are none. A standard run is a steady run of at least 4 min with a mean speed of{" "}
          {decimal(2.5 * speedFactor(unit), 1)} to {decimal(4.5 * speedFactor(unit), 1)} {unit}.
        </p>
      ) : (
        <PlaceList
          label="Standard runs"
          heads={["Start", "Length", withUnit("Mean speed", unit), "Mean HR of the last 30 s, bpm"]}
          hasMore={false}
          places={runs.map(
            ({ start_time: startMs, duration: seconds, mean_speed: speed, heart_rate: rate }) => {
              const start = timeOfDay(startMs, zone);
              const length = duration(seconds * 1000);
              return {
                key: startMs,
                head: start,
                cells: [
                  length,
                  decimal(speed * speedFactor(unit), 2),
                  rate === null ? NO_VALUE : decimal(rate, 1),
                ],
                show: {
                  label: `Show the run from ${start}`,
                  onShow: () => {
                    const passage = { startMs, stopMs: startMs + seconds * 1000 };
                    selection.shown.value = within(passage, selection.whole.peek());
                  },
                },
              };
            },
          )}
        />
      )}
    </>
  );
}
