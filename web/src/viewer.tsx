import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Colouring, Drawing } from "./map/drawing.js";
import { cssGradient } from "./map/palette.js";
import { boxAround } from "./map/projection.js";
import { type Marker, TrackMap } from "./map/track-map.js";
import { Segmented } from "./parts/segmented.js";
import { SummaryCards } from "./parts/summary.js";
import { PlotStack } from "./plots/plot-stack.js";
import { channelRows, fastestOf, type Readout, readoutsAt } from "./recording/channels.js";
import type { RecordingWorker } from "./recording/client.js";
import type { Recording, Summary } from "./recording/recording.js";
import { nearestIndex } from "./view/instants.js";
import { newSelection } from "./view/selection.js";
import type { Settings } from "./view/settings.js";
import { decimal, speedFactor } from "./view/values.js";

interface Props {
  recording: Recording;
  worker: RecordingWorker;
  settings: Settings;
}

/** One recording: figures, map and plots. */
export function Viewer({ recording, worker, settings }: Props) {
  const { startMs, stopMs, track, id } = recording;
  const whole = useSignal({ startMs, stopMs });
  const selection = useMemo(() => newSelection(whole), [whole]);
  const { shown, cursorMs } = selection;
  const colouring = useSignal<Colouring>("speed");
  const summary = useSignal<Summary | null>(null);
  const speedUnit = settings.speedUnit.value;
  const rows = useMemo(() => channelRows(recording, speedUnit), [recording, speedUnit]);
  const fastest = useMemo(() => fastestOf(recording), [recording]);
  const box = useMemo(() => boxAround(track), [track]);

  useSignalEffect(() => {
    const part = shown.value;
    worker.ask("summarise", { id, shown: part }).then((figures) => {
      if (part === shown.peek()) summary.value = figures;
    });
  });

  const markers = useComputed((): Marker[] => {
    const cursor = cursorMs.value;
    const at = cursor === null ? null : nearestIndex(track.timesMs, track.gapMs, cursor);
    if (at === null) return [];
    return [{ east: track.east[at] as number, north: track.north[at] as number, colour: "var(--speed)" }];
  });
  const draw = (drawing: Drawing) =>
    worker.ask("draw", { drawing, recordings: [{ id, shown: shown.peek(), number: 0 }] });
  const factor = speedFactor(speedUnit) / 1000;

  return (
    <>
      <SummaryCards summary={summary.value} speedUnit={speedUnit} />
      <div class="stage">
        <section class="panel" aria-label="Map">
          {box === null ? null : (
            <TrackMap
              box={box}
              draw={draw}
              content={shown}
              colouring={colouring}
              fastest={fastest}
              markers={markers}
              onPoint={() => {}}
              settings={settings}
              description="Track from above."
            >
              <div class="map-choices">
                <Segmented
                  label="Colour of the track"
                  choice={colouring}
                  choices={[
                    ["speed", "Speed"],
                    ["time", "Time"],
                    ["heat", "Heat"],
                  ]}
                />
              </div>
              <div class="legend">
                <div class="ramp" style={{ background: cssGradient("speed", settings.theme.value) }} />
                <span>0</span>
                <span>
                  {decimal(fastest * factor, 0)} {speedUnit}
                </span>
              </div>
            </TrackMap>
          )}
        </section>
        <section class="panel" aria-label="Plots">
          <PlotStack
            rows={rows}
            selection={selection}
            settings={settings}
            overview={rows.slice(0, 1).map(({ content }) => content)}
            describeCursor={(ms) =>
              readoutsAt(recording, ms, settings)
                .map(({ label, value, unit }) => `${label} ${value} ${unit}`)
                .join(", ")
            }
          >
            <Readouts readouts={readoutsAt(recording, cursorMs.value, settings)} />
          </PlotStack>
        </section>
      </div>
    </>
  );
}

function Readouts({ readouts }: { readouts: Readout[] }) {
  return (
    <dl class="readouts">
      {readouts.map(({ label, value, unit, colour }) => (
        <div key={label}>
          <dt>
            {colour === null ? null : <i class="dot" style={{ background: `var(${colour})` }} />}
            {label}
          </dt>
          <dd>
            {value} {unit}
          </dd>
        </div>
      ))}
    </dl>
  );
}
