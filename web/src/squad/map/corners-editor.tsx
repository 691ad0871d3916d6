/** The part of the map that is loaded when the user moves the corners of the pitch. */
import "./corners.css";
import { type Signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Camera, cameraFor, type Size, toGround, toScreen } from "../../map/camera.js";
import { ScaleBar } from "../../map/scale-bar.js";
import { offerFile } from "../../parts/offer-file.js";
import { useSize } from "../../view/element-size.js";
import {
  type Corners,
  cornersFile,
  cornersOf,
  fitOf,
  type Ground,
  groundOf,
  nearestCorner,
  placesOf,
  withCorner,
} from "./corners.js";
import type { MapState } from "./map-state.js";
import type { Plane, Point } from "./plane.js";

const MARGIN_PX = 8;
/** A press within this distance grabs a corner without moving it. */
const GRIP_PX = 16;
const POINT_PX = 1.5;
const STEP_M = { fine: 0.1, coarse: 1 };
const NAMES = ["A", "B", "C", "D"] as const;
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
};

/** Moves the corners of the pitch over the positions of all players. @param plane the plane when the editor opens */
export function CornersEditor({ state, plane }: { state: MapState; plane: Plane }) {
  const { session } = state;
  // does not change while the corners move
  const [ground] = useState(() =>
    groundOf(plane, session.players.peek(), state.isTurnedAt(state.nowMs.peek())),
  );
  const corners = useSignal(cornersOf(ground));
  const places = useComputed(() => placesOf(ground, corners.value));
  const fit = useComputed(() => fitOf(places.value));
  const leave = () => {
    state.hasMovedCorners = true;
    state.cornersOn.value = null;
  };
  const fitAgain = () => {
    session.opened.setCorners(null);
    leave();
  };
  const use = () => {
    session.opened.setCorners(cornersFile(places.peek()));
    leave();
  };
  // leaving the view cancels the edit
  useEffect(
    () => () => {
      state.cornersOn.value = null;
    },
    [state],
  );
  const { value } = fit;
  const isFit = "frame" in value;
  return (
    <fieldset
      class="corners-editor"
      aria-label="Corners of the pitch"
      onKeyDown={(event) => event.key === "Escape" && leave()}
    >
      <p class="corners-help">
        Drag each corner to its place, or press the map to move the nearest corner there.
      </p>
      <CornersGround state={state} ground={ground} corners={corners} />
      <p class={isFit ? "corners-fit" : "corners-fit bad"} aria-live="polite">
        {isFit
          ? sizeText(value.frame)
          : `${firstSentence(value.problem)} Move them onto the corners of the pitch.`}
      </p>
      <div class="corners-actions">
        <button type="button" class="primary" disabled={!isFit} onClick={use}>
          Use this pitch
        </button>
        <button
          type="button"
          disabled={!isFit}
          onClick={() => offerFile(cornersFile(places.peek()), "pitch.csv")}
        >
          Save as pitch.csv
        </button>
        {state.measured.value === null ? null : (
          <button type="button" onClick={fitAgain}>
            Fit to the positions
          </button>
        )}
        <button type="button" onClick={leave}>
          Cancel
        </button>
      </div>
    </fieldset>
  );
}

const sizeText = ({ length, width, cornerRms }: { length: number; width: number; cornerRms: number }) =>
  `${length.toFixed(1)} × ${width.toFixed(1)} m. The corners are ${cornerRms.toFixed(2)} m off a rectangle.`;

/** Returns the first sentence of a message, because the rest applies to typed corners. */
const firstSentence = (text: string) => text.replace(/\. .*/s, ".");

function CornersGround({
  state,
  ground,
  corners,
}: {
  state: MapState;
  ground: Ground;
  corners: Signal<Corners>;
}) {
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const held = useRef<{ corner: number; dx: number; dy: number } | null>(null);
  const size = useSize(area);
  const camera = useComputed(() =>
    size.value.width === 0 ? null : cameraFor(ground.extent, size.value, MARGIN_PX),
  );
  useSignalEffect(() => {
    const view = camera.value;
    state.session.settings.theme.value;
    if (view !== null && canvas.current !== null) drawPositions(canvas.current, ground, view, size.value);
  });
  const isShown = camera.value !== null;
  // Runs before the first paint. Later, it would take the focus from a user who has moved on to a different corner.
  useLayoutEffect(() => {
    if (isShown) area.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [isShown]);
  const pointAt = ({ clientX, clientY }: PointerEvent, view: Camera): Point => {
    const box = area.current?.getBoundingClientRect();
    const { east, north } = toGround(
      view,
      size.peek(),
      clientX - (box?.left ?? 0),
      clientY - (box?.top ?? 0),
    );
    return { x: east, y: north };
  };
  const move = (corner: number, point: Point) => {
    corners.value = withCorner(corners.peek(), corner, within(ground, point));
  };
  const press = (event: PointerEvent) => {
    const view = camera.peek();
    if (view === null || event.button !== 0 || !event.isPrimary) return;
    const point = pointAt(event, view);
    const corner = nearestCorner(corners.peek(), point);
    const at = corners.peek()[corner] ?? point;
    const isGrip = Math.hypot(at.x - point.x, at.y - point.y) * view.scale <= GRIP_PX;
    held.current = { corner, dx: isGrip ? at.x - point.x : 0, dy: isGrip ? at.y - point.y : 0 };
    area.current?.setPointerCapture(event.pointerId);
    area.current?.querySelectorAll("button")[corner]?.focus({ preventScroll: true });
    event.preventDefault();
    drag(event);
  };
  const drag = (event: PointerEvent) => {
    const view = camera.peek();
    if (view === null || held.current === null || !event.isPrimary) return;
    const { corner, dx, dy } = held.current;
    const { x, y } = pointAt(event, view);
    move(corner, { x: x + dx, y: y + dy });
  };
  const release = () => {
    held.current = null;
  };
  const step = (corner: number) => (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    const at = corners.peek()[corner];
    if (arrow === undefined || at === undefined) return;
    const metres = event.shiftKey ? STEP_M.fine : STEP_M.coarse;
    move(corner, { x: at.x + metres * arrow.x, y: at.y + metres * arrow.y });
    event.preventDefault();
    event.stopPropagation();
  };
  const view = camera.value;
  const onScreen = view === null ? [] : corners.value.map(({ x, y }) => toScreen(view, size.value, x, y));
  return (
    <div
      class="ground corners-ground"
      role="application"
      aria-roledescription="map"
      aria-label="Drag the corners to their places. Arrow keys move the focused corner by 1 m, with Shift by 0.1 m."
      ref={area}
      onPointerDown={press}
      onPointerMove={drag}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <canvas ref={canvas} />
      <svg aria-hidden="true">
        <polygon points={onScreen.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")} />
      </svg>
      {onScreen.map(({ x, y }, i) => (
        <button
          key={NAMES[i]}
          type="button"
          class="corner"
          style={{ left: `${x}px`, top: `${y}px` }}
          aria-label={`Corner ${NAMES[i]}`}
          onKeyDown={step(i)}
        >
          {NAMES[i]}
        </button>
      ))}
      {view === null || ground.pitch !== null ? null : <ScaleBar camera={view} />}
    </div>
  );
}

/** Returns the nearest point that the editor shows. */
const within = ({ extent: { west, east, south, north } }: Ground, { x, y }: Point): Point => ({
  x: Math.min(east, Math.max(west, x)),
  y: Math.min(north, Math.max(south, y)),
});

/** Draws the positions of the players, whose edges show the lines of the pitch. */
function drawPositions(canvas: HTMLCanvasElement, { points }: Ground, camera: Camera, size: Size): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  context.fillStyle = getComputedStyle(canvas).color;
  context.globalAlpha = 0.25;
  for (const at of points) {
    const { x, y } = toScreen(camera, size, at.x, at.y);
    context.fillRect(x, y, POINT_PX, POINT_PX);
  }
}
