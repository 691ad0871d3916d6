import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Colouring } from "./map/drawing.js";
import { Stage } from "./parts/stage.js";
import { SummaryCards } from "./parts/summary.js";
import { useFigures } from "./parts/use-figures.js";
import { channelRows, readoutsAt } from "./recording/channels.js";
import { isDamaged } from "./recording/is-damaged.js";
import type { RecordingReader } from "./recording/messages.js";
import type { Damage, Recording } from "./recording/recording.js";
import { wholeOf } from "./recording/timeline.js";
import { newSelection } from "./view/selection.js";
import type { Settings } from "./view/settings.js";
import { useLoaded } from "./view/use-loaded.js";
import type { TimeWindow } from "./view/window.js";

interface Props {
  recording: Recording;
  reader: RecordingReader;
  settings: Settings;
  /** The part that a link shows; null for the whole. */
  linked?: TimeWindow | null;
}

const loadDetails = async () => (await import("./parts/details.js")).Details;

const COLOURINGS = [
  ["speed", "Speed"],
  ["time", "Time"],
  ["heat", "Heat"],
] as const satisfies readonly (readonly [Colouring, string])[];

/** One recording: figures, map and plots, and what the file says about itself. */
export function Viewer({ recording, reader, settings, linked = null }: Props) {
  const whole = useSignal(wholeOf([recording], "clock"));
  const [selection] = useState(() => newSelection(whole, linked));
  const placed = useMemo(() => [{ recording, offsetMs: 0, number: 0 }], [recording]);
  const colouring = useSignal<Colouring>("speed");
  const speedUnit = settings.speedUnit.value;
  const rows = useMemo(() => channelRows(recording, speedUnit), [recording, speedUnit]);
  const overview = useMemo(() => rows.slice(0, 1).map(({ content }) => content), [rows]);
  const { figures, problem } = useFigures(placed, selection.shown, settings, reader).value;
  const computed = figures[0] ?? null;
  const Details = useLoaded(loadDetails);
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
      {Details === null ? null : (
        <Details
          recording={recording}
          figures={computed}
          damage={damage}
          rows={rows}
          selection={selection}
          settings={settings}
          reader={reader}
        />
      )}
    </>
  );
}
