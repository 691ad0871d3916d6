import { useComputed, useSignal } from "@preact/signals";
import type { Damage } from "asi-convert";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Colouring } from "./map/drawing.js";
import { NoFigures } from "./parts/no-figures.js";
import { Stage } from "./parts/stage.js";
import { SummaryCards } from "./parts/summary.js";
import { TooFast } from "./parts/too-fast.js";
import { useFigures } from "./parts/use-figures.js";
import { useHeart } from "./parts/use-heart.js";
import { channelRows, readoutsAt } from "./recording/channels.js";
import { isDamaged } from "./recording/is-damaged.js";
import type { RecordingService } from "./recording/messages.js";
import { placeInTime } from "./recording/placed.js";
import type { Recording } from "./recording/recording.js";
import { wholeOf } from "./recording/timeline.js";
import { newSelection } from "./view/selection.js";
import { athleteOf, type Settings } from "./view/settings.js";
import { useLoaded } from "./view/use-loaded.js";
import type { TimeWindow } from "./view/window.js";

interface Props {
  recording: Recording;
  reader: RecordingService;
  settings: Settings;
  /** The part in a link, or null for the whole recording. */
  linked?: TimeWindow | null;
}

const loadDetails = async () => (await import("./parts/details.js")).Details;

const COLOURINGS = [
  ["speed", "Speed"],
  ["time", "Time"],
  ["heat", "Heat"],
] as const satisfies readonly (readonly [Colouring, string])[];

/** The last visible parts of recordings, stored when a different view replaces the viewer. */
const lastShown = new WeakMap<Recording, TimeWindow>();

/** One recording, with figures, map, plots, and the information in the file. */
export function Viewer({ recording, reader, settings: ofPage, linked = null }: Props) {
  const settings = useMemo(() => ({ ...ofPage, ...athleteOf(recording) }), [ofPage, recording]);
  const placed = useMemo(() => [placeInTime(recording, 0, 0)], [recording]);
  const whole = useComputed(() => wholeOf(placed));
  const [selection] = useState(() => newSelection(whole, lastShown.get(recording) ?? linked));
  const colouring = useSignal<Colouring>("speed");
  const speedUnit = settings.speedUnit.value;
  const { shown: shownHeart, toggle } = useHeart(recording, reader);
  const ecg = shownHeart.value;
  const rows = useMemo(() => {
    const channels = channelRows(recording, speedUnit);
    return ecg.state === "shown"
      ? [...channels, ...ecg.parts.heartRows(recording, ecg.heart, reader)]
      : channels;
  }, [recording, speedUnit, ecg, reader]);
  const { figures, problem } = useFigures(placed, selection.shown, settings, reader).value;
  const computed = figures[0] ?? null;
  const Details = useLoaded(loadDetails);
  const damage = useSignal<Damage | null>(null);
  const marks = useSignal<readonly number[]>([]);

  useEffect(() => () => void lastShown.set(recording, selection.shown.peek()), [recording, selection]);
  useEffect(() => {
    const { report, cutOff } = recording.facts;
    const show = (found: Damage) => {
      damage.value = found;
      marks.value = [...new Set(found.places.flatMap(({ afterMs }) => afterMs ?? []))];
    };
    if (cutOff !== null) show({ places: [cutOff], hasMore: false });
    if (report === null || !isDamaged(recording.facts)) return;
    reader.ask("findDamage", { id: recording.id }).then(
      show,
      // The recording was closed in the meantime, or is no longer readable. The report has the extent of the damage.
      () => undefined,
    );
  }, [recording, reader, damage, marks]);

  const { report, intervals = 0 } = recording.facts;
  const hasWaveform = (report?.frames.ecgRaw ?? 0) > 0;
  const hasHeart = reader.canSave && (hasWaveform || intervals > 0);
  return (
    <>
      <SummaryCards figures={computed} speedUnit={speedUnit} />
      <TooFast metrics={computed?.metrics} speedUnit={speedUnit} />
      <NoFigures problem={problem} />
      <Stage
        placed={placed}
        rows={rows}
        selection={selection}
        settings={settings}
        reader={reader}
        colouring={colouring}
        colourings={COLOURINGS}
        readoutsAt={(ms) => [
          ...readoutsAt(recording, ms, settings),
          ...(ecg.state === "shown" ? ecg.parts.heartReadouts(ecg.heart, ms) : []),
        ]}
        marks={marks}
        axis="clock"
        plotsHead={
          hasHeart ? (
            <div class="buttons">
              <button type="button" aria-pressed={ecg.state === "shown"} class="toggle" onClick={toggle}>
                {hasWaveform ? "ECG and beats" : "RR intervals"}
              </button>
              <span role="status" class={ecg.state === "failed" ? "bad" : "muted"}>
                {ecg.state === "reading" ? "Reading the beats…" : ecg.state === "failed" ? ecg.problem : ""}
              </span>
            </div>
          ) : null
        }
      />
      {Details === null ? null : (
        <Details
          placed={placed}
          recording={recording}
          figures={computed}
          damage={damage}
          rows={rows}
          selection={selection}
          settings={settings}
          reader={reader}
        >
          {ecg.state === "shown" ? (
            <ecg.parts.HeartPanel
              recording={recording}
              reader={reader}
              heart={ecg.heart}
              selection={selection}
              settings={settings}
            />
          ) : null}
        </Details>
      )}
    </>
  );
}
