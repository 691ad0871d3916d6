import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Colouring } from "./map/drawing.js";
import { cssColour, trackColour } from "./map/palette.js";
import { ComparisonTable } from "./parts/comparison-table.js";
import { Downloads } from "./parts/downloads.js";
import { NoFigures } from "./parts/no-figures.js";
import { Segmented } from "./parts/segmented.js";
import { Stage } from "./parts/stage.js";
import { useFigures } from "./parts/use-figures.js";
import { usePlaced } from "./parts/use-placed.js";
import { ValueTable } from "./parts/value-table.js";
import { CHANNELS, comparedReadouts, comparedRows } from "./recording/channels.js";
import type { RecordingService } from "./recording/messages.js";
import type { ChannelName, Recording } from "./recording/recording.js";
import { overlap, wholeOf } from "./recording/timeline.js";
import type { Axis } from "./view/axis.js";
import { newSelection } from "./view/selection.js";
import type { Settings } from "./view/settings.js";

export interface ComparisonProps {
  recordings: readonly Recording[];
  reader: RecordingService;
  settings: Settings;
  onClose: (id: number) => void;
}

const COLOURINGS = [
  ["recording", "Recording"],
  ["speed", "Speed"],
  ["heat", "Heat"],
] as const satisfies readonly (readonly [Colouring, string])[];

const AXES = [
  ["clock", "Clock"],
  ["start", "From start"],
  ["distance", "Distance"],
] as const satisfies readonly (readonly [Axis, string])[];

/** Compares recordings in a table of figures with differences, a map with coloured tracks, and plots that share a cursor. */
export function Comparison({ recordings, reader, settings, onClose }: ComparisonProps) {
  // Players of one match are aligned by time of day. Sessions of different days are aligned by their starts.
  const chosen = useSignal<Axis>(overlap(recordings) ? "clock" : "start");
  const channel = useSignal<ChannelName>("speed");
  const colouring = useSignal<Colouring>("recording");
  const onAxis = usePlaced(recordings, chosen, settings, reader);
  const { axis, placed, problem: axisProblem } = onAxis.value;
  const whole = useComputed(() => wholeOf(onAxis.value.placed));
  const [selection] = useState(() => newSelection(whole));
  // runs before the user can click on the new axis
  useLayoutEffect(() => {
    selection.shown.value = whole.peek();
    selection.cursorMs.value = null;
  }, [placed, whole, selection]);
  const speedUnit = settings.speedUnit.value;
  const theme = settings.theme.value;
  const colours = useMemo(
    () => recordings.map((_, number) => cssColour(trackColour(number, theme))),
    [recordings, theme],
  );
  const name = channel.value;
  const rows = useMemo(
    () => comparedRows(placed, name, speedUnit, colours),
    [placed, name, speedUnit, colours],
  );
  const present = CHANNELS.filter((one) =>
    recordings.some(({ channels }) => channels[one.name] !== undefined),
  );
  const { figures, problem } = useFigures(placed, selection.shown, settings, reader).value;

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
      <NoFigures problem={problem ?? axisProblem} />
      <Stage
        placed={placed}
        rows={rows}
        selection={selection}
        settings={settings}
        reader={reader}
        colouring={colouring}
        colourings={COLOURINGS}
        readoutsAt={(ms) => comparedReadouts(placed, name, ms, axis, settings, colours)}
        axis={axis}
        plotsHead={
          <div class="buttons">
            <Segmented
              label="Plotted quantity"
              choice={channel}
              choices={present.map(({ name: one, label }) => [one, label])}
            />
            <Segmented label="Axis" choice={chosen} choices={AXES} />
          </div>
        }
      />
      {reader.canSave ? (
        <Downloads placed={placed} selection={selection} settings={settings} reader={reader} />
      ) : null}
      <ValueTable rows={rows} selection={selection} settings={settings} axis={axis} />
    </>
  );
}
