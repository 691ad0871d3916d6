import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { cameraFor, toScreen } from "../../map/camera.js";
import { cssGradient } from "../../map/palette.js";
import { PitchOutline } from "../../map/pitch-outline.js";
import { ScaleBar } from "../../map/scale-bar.js";
import { Segmented } from "../../parts/segmented.js";
import { useSize } from "../../view/element-size.js";
import { timeOfDay } from "../../view/times.js";
import { useLoaded } from "../../view/use-loaded.js";
import { room } from "../room.js";
import { FASTEST_KM_PER_H } from "../rules.js";
import type { SquadSession } from "../squad-session.js";
import { type MapState, mapOf } from "./map-state.js";
import { minuteText } from "./map-words.js";
import { drawMoment } from "./moment-canvas.js";
import { MomentList } from "./moment-list.js";
import type { Plane, Point } from "./plane.js";
import { PlayControls } from "./play-controls.js";
import { TimeScrubber } from "./time-scrubber.js";
import { drawTrack, trackOf } from "./track-canvas.js";

const MARGIN_PX = 16;
const DOT_PX = { radius: 11, narrow: 8.5 };
/** A click within this distance of a dot selects it. Targets are 24 px wide. */
const PRESS_PX = 14;
const NARROW_PX = 480;
/** Players up to this distance from the pitch may be warming up beside it. */
const BESIDE_M = 30;

/** The map of the squad. It shows all players at one moment, or one player in the current scope. */
export function SquadMap({ session }: { session: SquadSession }) {
  const state = mapOf(session);
  const cornersOn = state.cornersOn.value;
  if (cornersOn !== null)
    return (
      <section class="squad-map" aria-label="Map">
        <Corners state={state} plane={cornersOn} />
      </section>
    );
  return (
    <section class="squad-map" aria-label="Map">
      <div class="squad-map-head">
        <Segmented
          label="Content of the map"
          choice={state.kind}
          choices={[
            ["moment", "Moment"],
            ["track", "Track"],
            ["heat", "Heat"],
          ]}
        />
        <span class="spacer" />
        <Attack state={state} />
        <CornersButton state={state} />
        <button type="button" onClick={() => state.turn()} disabled={state.plane.value === null}>
          Turn
        </button>
      </div>
      {state.measured.value?.problem == null ? null : (
        <p class="bad" role="alert">
          {state.measured.value.problem} The pitch is fitted to the positions.
        </p>
      )}
      <Ground state={state} />
      <div class="squad-map-foot">
        <PlayControls session={session} />
        <Time state={state} />
        <span class="spacer" />
        <Legend state={state} />
      </div>
      {room.value === "one" ? <TimeScrubber session={session} /> : null}
    </section>
  );
}

function CornersButton({ state }: { state: MapState }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (state.hasMovedCorners) button.current?.focus();
    state.hasMovedCorners = false;
  }, [state]);
  return (
    <button
      type="button"
      ref={button}
      disabled={state.plane.value === null}
      onClick={() => {
        state.cornersOn.value = state.plane.peek();
      }}
    >
      Corners
    </button>
  );
}

const loadCorners = () => import("./corners-editor.js");

/** The editor of the corners, which is loaded on first use. */
function Corners(props: { state: MapState; plane: Plane }) {
  const part = useLoaded(loadCorners);
  return part === null ? null : <part.CornersEditor {...props} />;
}

function Attack({ state }: { state: MapState }) {
  const side = useComputed(() => state.attack).value;
  const period = useComputed(() => state.period.value?.name).value;
  if (side === null) return null;
  return (
    <span class="attack" role="img" aria-label={`Attack ${period ?? ""}: to the ${side}`}>
      Attack {period}
      <svg aria-hidden="true" viewBox="0 0 34 12" class={side}>
        <path d="M1 6H32M27 2l6 4-6 4" />
      </svg>
    </span>
  );
}

function Time({ state }: { state: MapState }) {
  const { session } = state;
  const time = useComputed(() => timeOfDay(state.nowMs.value, session.settings.zone.value));
  const where = useComputed(() => {
    const period = state.period.value;
    return period === null ? "" : minuteText(state.nowMs.value, period, session.periods.value);
  });
  return (
    <span class="squad-map-time">
      <strong>{time}</strong> <span>{where}</span>
    </span>
  );
}

function Legend({ state }: { state: MapState }) {
  const theme = state.session.settings.theme.value;
  const isHeat = state.kind.value === "heat";
  return (
    <span class="squad-map-legend">
      {isHeat ? "short" : "0"}
      <i style={{ background: cssGradient(isHeat ? "heat" : "speed", theme) }} />
      {isHeat ? "long" : `${FASTEST_KM_PER_H}+ km/h`}
    </span>
  );
}

function Ground({ state }: { state: MapState }) {
  const { session } = state;
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(area);
  const camera = useComputed(() => {
    const plane = state.plane.value;
    return plane === null || size.value.width === 0 ? null : cameraFor(plane.box, size.value, MARGIN_PX);
  });
  const radius = useComputed(() => (size.value.width < NARROW_PX ? DOT_PX.narrow : DOT_PX.radius));
  const look = useComputed(() => {
    const theme = session.settings.theme.value;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    return { theme, panel: colour("panel"), text: colour("text"), accent: colour("accent") };
  });
  const chosen = useComputed(() => session.players.value.find(({ key }) => key === session.chosen.value));
  useSignalEffect(() => {
    const view = camera.value;
    if (view === null || canvas.current === null || state.kind.value !== "moment") return;
    performance.mark("moment-begins");
    drawMoment(
      canvas.current,
      {
        spots: state.spots.value,
        chosen: session.chosen.value,
        camera: view,
        size: size.value,
        radius: radius.value,
        look: look.value,
      },
      devicePixelRatio,
    );
    performance.measure("moment-drawn", "moment-begins");
  });
  const track = useComputed(() => {
    const player = chosen.value;
    return player === undefined || state.kind.value === "moment" ? null : trackOf(state, player);
  });
  useSignalEffect(() => {
    const view = camera.value;
    const kind = state.kind.value;
    if (view === null || canvas.current === null || kind === "moment") return;
    drawTrack(canvas.current, track.value, {
      size: size.value,
      camera: view,
      theme: look.value.theme,
      colouring: kind === "track" ? "speed" : "heat",
    });
  });
  const choose = (event: PointerEvent) => {
    const view = camera.peek();
    const box = area.current?.getBoundingClientRect();
    if (view === null || box === undefined || state.kind.peek() !== "moment") return;
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const near = state.spots
      .peek()
      .map((spot) => {
        const at = toScreen(view, size.peek(), spot.x, spot.y);
        return { spot, px: Math.hypot(at.x - x, at.y - y) };
      })
      .filter(({ px }) => px <= PRESS_PX)
      .sort((a, b) => a.px - b.px)[0];
    if (near !== undefined) session.chosen.value = near.spot.player.key;
  };
  const plane = state.plane.value;
  return (
    <div class="ground" ref={area}>
      {plane?.pitch == null ? null : <PitchOutline pitch={plane.pitch} camera={camera} size={size} />}
      <canvas ref={canvas} />
      <div
        class="map-surface"
        role="application"
        aria-roledescription="map"
        aria-label="Space plays and pauses, P goes to the next period, 1 to 5 choose the speed."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application handles keys
        tabIndex={0}
        onPointerDown={choose}
      />
      <Empty state={state} />
      <MomentList state={state} />
      {plane !== null && plane.pitch === null && camera.value !== null ? (
        <ScaleBar camera={camera.value} />
      ) : null}
    </div>
  );
}

/** The reason for an empty map. */
function Empty({ state }: { state: MapState }) {
  const { session } = state;
  const text = useComputed(() => {
    if (session.isReading.value) return "The map appears when all files are read.";
    if (state.plane.value === null) return "The recordings have no positions.";
    if (state.kind.value !== "moment") {
      const player = session.players.value.find(({ key }) => key === session.chosen.value);
      return player === undefined ? "Choose a player in the table, or a dot under Moment." : "";
    }
    const { pitch } = state.plane.value;
    const isBeside = ({ x, y }: Point) =>
      pitch !== null &&
      (Math.abs(x) > pitch.length / 2 + BESIDE_M || Math.abs(y) > pitch.width / 2 + BESIDE_M);
    if (state.spots.value.length > 0)
      return state.spots.value.every(isBeside)
        ? "No player is near the pitch now. If this is wrong, move the corners of the pitch."
        : "";
    return state.period.value === null
      ? "Nobody is on the pitch, because this time is outside all periods."
      : "No player has data at this moment.";
  }).value;
  return text === "" ? null : <p class="ground-empty">{text}</p>;
}
