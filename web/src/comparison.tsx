import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Colouring } from "./map/drawing.js";
import { cssColour, trackColour } from "./map/palette.js";
import { ComparisonTable } from "./parts/comparison-table.js";
import { Segmented } from "./parts/segmented.js";
import { type Placed, Stage } from "./parts/stage.js";
import { useFigures } from "./parts/use-figures.js";
import { ValueTable } from "./parts/value-table.js";
import { CHANNELS, comparedReadouts, comparedRows } from "./recording/channels.js";
import type { RecordingReader } from "./recording/messages.js";
import type { ChannelName, Recording } from "./recording/recording.js";
import { type Clock, offsetOf, overlap, wholeOf } from "./recording/timeline.js";
import { newSelection } from "./view/selection.js";
import type { Settings } from "./view/settings.js";
import { duration } from "./view/times.js";

export interface ComparisonProps {
  recordings: readonly Recording[];
  reader: RecordingReader;
  settings: Settings;
  onClose: (id: number) => void;
}

const COLOURINGS = [
  ["recording", "Recording"],
  ["speed", "Speed"],
  ["heat", "Heat"],
] as const satisfies readonly (readonly [Colouring, string])[];

/** Several recordings: a table of figures with differences, tracks in colours, a plot for each with one cursor. */
export function Comparison({ recordings, reader, settings, onClose }: ComparisonProps) {
  // players of one match meet on the clock, sessions of different days at their starts
  const clock = useSignal<Clock>(overlap(recordings) ? "clock" : "start");
  const channel = useSignal<ChannelName>("speed");
  const colouring = useSignal<Colouring>("recording");
  const whole = useComputed(() => wholeOf(recordings, clock.value));
  const [selection] = useState(() => newSelection(whole));
  const axis = clock.value;
  const speedUnit = settings.speedUnit.value;
  const theme = settings.theme.value;
  useEffect(() => {
    selection.shown.value = wholeOf(recordings, axis);
    selection.cursorMs.value = null;
  }, [axis, recordings, selection]);

  const placed = useMemo(
    () =>
      recordings.map(
        (recording, number): Placed => ({ recording, offsetMs: offsetOf(recording, axis), number }),
      ),
    [recordings, axis],
  );
  const colours = useMemo(
    () => recordings.map((_, number) => cssColour(trackColour(number, theme))),
    [recordings, theme],
  );
  const name = channel.value;
  const rows = useMemo(
    () => comparedRows(placed, name, speedUnit, colours),
    [placed, name, speedUnit, colours],
  );
  const overview = useMemo(() => rows.slice(0, 1).map(({ content }) => content), [rows]);
  const present = CHANNELS.filter((one) =>
    recordings.some(({ channels }) => channels[one.name] !== undefined),
  );
  const { figures, problem } = useFigures(placed, selection.shown, settings, reader).value;
  const elapsed = (ms: number) => duration(ms);

  return (
    <>
      <ComparisonTable
        placed={placed}
        figures={figures}
        colours={colours}
        selection={selection}
        settings={settings}
        onClose={onClose}
      />
      {problem === null ? null : <p class="bad">There are no figures: {problem}</p>}
      <Stage
        placed={placed}
        rows={rows}
        overview={overview}
        selection={selection}
        settings={settings}
        reader={reader}
        colouring={colouring}
        colourings={COLOURINGS}
        readoutsAt={(ms) => comparedReadouts(placed, name, ms, axis, settings, colours)}
        axisLabel={axis === "start" ? elapsed : undefined}
        plotsHead={
          <div class="buttons">
            <Segmented
              label="What is plotted"
              choice={channel}
              choices={present.map(({ name: one, label }) => [one, label])}
            />
            <Segmented
              label="Time axis"
              choice={clock}
              choices={[
                ["clock", "On the clock"],
                ["start", "From the start"],
              ]}
            />
          </div>
        }
      />
      <ValueTable
        rows={rows}
        selection={selection}
        settings={settings}
        label={axis === "start" ? elapsed : undefined}
      />
    </>
  );
}
