import { computed, type ReadonlySignal, type Signal, useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Colouring, Drawing } from "../map/drawing.js";
import { nearestRow } from "../map/nearest.js";
import { cssColour, cssGradient, trackColour } from "../map/palette.js";
import { fitPitch } from "../map/pitch.js";
import { placesOf } from "../map/places.js";
import { boxAround, joinBoxes } from "../map/projection.js";
import { type Marker, TrackMap } from "../map/track-map.js";
import { isInPage, type PlotRow } from "../plots/plot-panel.js";
import { PlotStack } from "../plots/plot-stack.js";
import { fastestOf, type Readout } from "../recording/channels.js";
import type { RecordingService } from "../recording/messages.js";
import type { Placed } from "../recording/placed.js";
import { titlesOf } from "../recording/timeline.js";
import type { Axis } from "../view/axis.js";
import { nearestIndex } from "../view/instants.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { timeOfDay } from "../view/times.js";
import { decimal, speedFactor } from "../view/values.js";
import { MapPlace } from "./map-place.js";
import { Segmented } from "./segmented.js";

interface Props {
  placed: readonly Placed[];
  rows: PlotRow[];
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
  colouring: Signal<Colouring>;
  colourings: readonly (readonly [Colouring, string])[];
  readoutsAt: (ms: number | null) => Readout[];
  /** Instants of damaged places, on the axis. */
  marks?: ReadonlySignal<readonly number[]>;
  axis: Axis;
  plotsHead?: ComponentChildren;
}

/** Map and plots side by side, with a common cursor. */
export function Stage(props: Props) {
  const { placed, rows, selection, settings, reader, colouring, colourings, readoutsAt } = props;
  const { shown, cursorMs } = selection;
  const boxes = useMemo(() => placed.map(({ recording }) => boxAround(recording.track)), [placed]);
  const places = useMemo(() => placesOf(boxes), [boxes]);
  const [place, setPlace] = useState(0);
  /** The recordings on the map, by their numbers. */
  const near = places[place] ?? [];
  const box = joinBoxes(near.map((number) => boxes[number] ?? null));
  const fastest = useMemo(() => Math.max(...placed.map(({ recording }) => fastestOf(recording))), [placed]);
  const hasPitch = settings.pitch.value === "on";
  const pitch = useMemo(
    () =>
      hasPitch
        ? fitPitch((places[place] ?? []).flatMap((number) => placed[number]?.recording.track ?? []))
        : null,
    [hasPitch, placed, places, place],
  );
  // a change of the part or of the recordings redraws the map
  const content = useMemo(() => computed(() => ({ part: shown.value, placed })), [shown, placed]);
  const theme = settings.theme.value;
  const overview = useMemo(
    () => rows.flatMap(({ content }) => (isInPage(content) ? content : [])).slice(0, 1),
    [rows],
  );

  const markers = useComputed((): Marker[] => {
    const cursor = cursorMs.value;
    if (cursor === null) return [];
    return placed.flatMap(({ recording: { track }, instantAt, number }) => {
      const instant = instantAt(cursor);
      const at = instant === null ? null : nearestIndex(track, instant);
      if (at === null) return [];
      const colour =
        placed.length > 1 ? cssColour(trackColour(number, settings.theme.value)) : "var(--accent)";
      return [{ east: track.east[at] as number, north: track.north[at] as number, colour }];
    });
  });
  const draw = (drawing: Drawing) =>
    reader.ask("draw", {
      drawing,
      recordings: placed.map(({ recording, partIn, number }) => ({
        id: recording.id,
        shown: partIn(shown.peek()),
        number,
      })),
    });
  const point = (at: { east: number; north: number; within: number } | null) => {
    let best: { ms: number; metres: number } | null = null;
    for (const { recording, partIn, positionOf } of at === null ? [] : placed) {
      const found = at === null ? null : nearestRow(recording.track, partIn(shown.peek()), at);
      if (found === null || (best !== null && best.metres <= found.metres)) continue;
      best = { ms: positionOf(recording.track.timesMs[found.row] as number), metres: found.metres };
    }
    cursorMs.value = best?.ms ?? null;
  };

  return (
    <div class="stage">
      <section class="panel map-panel" aria-label="Map">
        {box === null ? null : (
          <TrackMap
            box={box}
            origin={placed[0]?.recording.track.origin ?? { latitudeE7: 0, longitudeE7: 0 }}
            pitch={pitch}
            draw={draw}
            content={content}
            colouring={colouring}
            fastest={fastest}
            markers={markers}
            onPoint={point}
            settings={settings}
            description={
              placed.length === 1
                ? "The track from above."
                : `Tracks of ${places.length === 1 ? "" : `${near.length} of `}${placed.length} recordings from above.`
            }
          >
            <div class="map-choices">
              <Segmented label="Colour of the track" choice={colouring} choices={colourings} />
              {places.length === 1 ? null : (
                <MapPlace places={titlesOfPlaces(placed, places)} chosen={place} onChoose={setPlace} />
              )}
            </div>
            <Legend
              colouring={colouring.value}
              placed={placed}
              shown={shown}
              fastest={fastest}
              settings={settings}
              theme={theme}
            />
          </TrackMap>
        )}
      </section>
      <section class="panel" aria-label="Plots">
        <PlotStack
          rows={rows}
          selection={selection}
          settings={settings}
          overview={overview}
          marks={props.marks}
          axis={props.axis}
          describeCursor={(ms) =>
            readoutsAt(ms)
              .map(({ label, value, unit }) => `${label} ${value} ${unit}`.trim())
              .join(", ")
          }
        >
          {props.plotsHead}
          <Readouts cursorMs={cursorMs} readoutsAt={readoutsAt} />
        </PlotStack>
      </section>
    </div>
  );
}

function titlesOfPlaces(placed: readonly Placed[], places: readonly (readonly number[])[]): string[][] {
  const titles = titlesOf(placed.map(({ recording }) => recording));
  return places.map((numbers) => numbers.flatMap((number) => titles[number] ?? []));
}

function Legend({
  colouring,
  placed,
  shown,
  fastest,
  settings,
  theme,
}: {
  colouring: Colouring;
  placed: readonly Placed[];
  shown: Selection["shown"];
  fastest: number;
  settings: Settings;
  theme: "light" | "dark";
}) {
  if (colouring === "recording") return null;
  const unit = settings.speedUnit.value;
  const zone = settings.zone.value;
  const [first] = placed;
  const { startMs, stopMs } = first?.partIn(shown.value) ?? shown.value;
  const ends: Record<Exclude<Colouring, "recording">, [string, string]> = {
    speed: ["0", `${decimal((fastest / 1000) * speedFactor(unit), 0)} ${unit}`],
    time: [timeOfDay(startMs, zone), timeOfDay(stopMs, zone)],
    heat: ["seldom", "often"],
  };
  const [low, high] = ends[colouring];
  return (
    <div class="legend">
      <div class="ramp" style={{ background: cssGradient(colouring, theme) }} />
      <span>{low}</span>
      <span>{high}</span>
    </div>
  );
}

/** Time and values under the cursor. */
export function Readouts({
  cursorMs,
  readoutsAt,
}: {
  cursorMs: ReadonlySignal<number | null>;
  readoutsAt: (ms: number | null) => Readout[];
}) {
  return (
    <dl class="readouts">
      {readoutsAt(cursorMs.value).map(({ label, value, unit, colour }) => (
        <div key={label}>
          <dt>
            {colour === null ? null : <i class="dot" style={{ background: colour }} />}
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
