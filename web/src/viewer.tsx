import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Colouring } from "./map/drawing.js";
import { Condition, isDamaged } from "./parts/condition.js";
import { Downloads } from "./parts/downloads.js";
import { FigurePanels } from "./parts/figures.js";
import { Ranges } from "./parts/ranges.js";
import { RecordingCard } from "./parts/recording-card.js";
import { Stage } from "./parts/stage.js";
import { SummaryCards } from "./parts/summary.js";
import { useFigures } from "./parts/use-figures.js";
import { ValueTable } from "./parts/value-table.js";
import { channelRows, readoutsAt } from "./recording/channels.js";
import type { RecordingReader } from "./recording/messages.js";
import type { Damage, Recording } from "./recording/recording.js";
import { wholeOf } from "./recording/timeline.js";
import { newSelection } from "./view/selection.js";
import type { Settings } from "./view/settings.js";

interface Props {
  recording: Recording;
  reader: RecordingReader;
  settings: Settings;
}

const COLOURINGS = [
  ["speed", "Speed"],
  ["time", "Time"],
  ["heat", "Heat"],
] as const satisfies readonly (readonly [Colouring, string])[];

/** One recording: figures, map and plots, and what the file says about itself. */
export function Viewer({ recording, reader, settings }: Props) {
  const whole = useSignal(wholeOf([recording], "clock"));
  const selection = useMemo(() => newSelection(whole), [whole]);
  const placed = useMemo(() => [{ recording, offsetMs: 0, number: 0 }], [recording]);
  const colouring = useSignal<Colouring>("speed");
  const speedUnit = settings.speedUnit.value;
  const rows = useMemo(() => channelRows(recording, speedUnit), [recording, speedUnit]);
  const overview = useMemo(() => rows.slice(0, 1).map(({ content }) => content), [rows]);
  const { figures, problem } = useFigures(placed, selection.shown, settings, reader).value;
  const computed = figures[0] ?? null;
  const damage = useSignal<Damage | null>(null);
  const marks = useSignal<readonly number[]>([]);

  useEffect(() => {
    const { report } = recording.facts;
    if (report === null || !isDamaged(report)) return;
    reader.ask("findDamage", { id: recording.id }).then((found) => {
      damage.value = found;
      marks.value = [...new Set(found.places.flatMap(({ afterMs }) => afterMs ?? []))];
    });
  }, [recording, reader, damage, marks]);

  return (
    <>
      <SummaryCards figures={computed} speedUnit={speedUnit} />
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
        readoutsAt={(ms) => readoutsAt(recording, ms, settings)}
        marks={marks}
      />
      <div class="details">
        {computed === null ? null : (
          <FigurePanels figures={computed} selection={selection} settings={settings} />
        )}
        <Ranges recording={recording} selection={selection} settings={settings} />
        <Condition recording={recording} damage={damage} selection={selection} settings={settings} />
        <RecordingCard recording={recording} settings={settings} />
        {reader.canSave ? (
          <Downloads recording={recording} offsetMs={0} selection={selection} reader={reader} />
        ) : null}
      </div>
      <ValueTable rows={rows} selection={selection} settings={settings} />
    </>
  );
}
