import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { useSize } from "../view/element-size.js";
import { oneAtATime } from "../view/latest.js";
import type { Settings } from "../view/settings.js";
import { type Camera, toScreen } from "./camera.js";
import type { Colouring, Drawing } from "./drawing.js";
import type { Pitch } from "./pitch.js";
import { PitchOutline } from "./pitch-outline.js";
import { type Box, groundMetres, type Origin } from "./projection.js";
import { ScaleBar } from "./scale-bar.js";
import { Tiles } from "./tiles.js";
import { BUTTON_ZOOM, type PointedAt, useMapGestures } from "./use-map-gestures.js";

/** A point on the map. */
export interface Marker {
  east: number;
  north: number;
  colour: string;
  label?: string;
}

interface Props {
  /** The rectangle around all tracks. */
  box: Box;
  origin: Origin;
  /** The pitch whose outline is drawn, or null for no outline. */
  pitch: Pitch | null;
  /** Draws the tracks. Returns RGBA bytes. */
  draw: (drawing: Drawing) => Promise<Uint8ClampedArray<ArrayBuffer>>;
  /** Changes with the appearance of the tracks, for example when a different part or track is shown. */
  content: ReadonlySignal<unknown>;
  colouring: ReadonlySignal<Colouring>;
  fastest: number;
  markers: ReadonlySignal<Marker[]>;
  /** Called with the position of the pointer, and with null when the pointer leaves. */
  onPoint: (at: PointedAt | null) => void;
  settings: Settings;
  /** Description for screen readers. */
  description: string;
  children?: ComponentChildren;
}

/** The tracks from above, with north up. */
export function TrackMap(props: Props) {
  const {
    box,
    origin,
    pitch,
    draw,
    content,
    colouring,
    fastest,
    markers,
    onPoint,
    settings,
    description,
    children,
  } = props;
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(area);
  const { camera, zoomMiddle, fitAll, ...handlers } = useMapGestures({ box, onPoint, area, size });
  const drawn = useRef<Camera | null>(null);

  const paint = async () => {
    const view = camera.peek();
    const { width, height } = size.peek();
    if (view === null || width === 0 || canvas.current === null) return;
    const pixelRatio = Math.min(devicePixelRatio, 2);
    const drawing = {
      width: Math.round(width * pixelRatio),
      height: Math.round(height * pixelRatio),
      pixelRatio,
      camera: view,
      theme: settings.theme.peek(),
      colouring: colouring.peek(),
      fastest,
    };
    try {
      show(drawing, await draw(drawing));
    } catch {
      // The recording was closed in the meantime. The next content replaces the picture.
    }
  };
  const latestPaint = useRef(paint);
  latestPaint.current = paint;
  const repaint = useMemo(() => oneAtATime(() => latestPaint.current()), []);
  const show = (
    { width, height, pixelRatio, camera: view }: Drawing,
    pixels: Uint8ClampedArray<ArrayBuffer>,
  ) => {
    const element = canvas.current;
    if (element === null) return;
    if (element.width !== width) element.width = width;
    if (element.height !== height) element.height = height;
    element.style.width = `${width / pixelRatio}px`;
    element.style.height = `${height / pixelRatio}px`;
    element.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
    drawn.current = view;
    alignPicture();
    performance.mark("map-drawn");
  };
  // Until the next picture is drawn, the last one is moved and scaled.
  const alignPicture = () => {
    const element = canvas.current;
    const now = camera.peek();
    const then = drawn.current;
    if (element === null || now === null || then === null) return;
    const scale = now.scale / then.scale;
    const { x, y } = toScreen(now, { width: 0, height: 0 }, then.east, then.north);
    // the centre of the picture is the centre of the map, even after a change in the map's size
    element.style.transform = `translate(-50%, -50%) translate(${x}px, ${y}px) scale(${scale})`;
  };
  useSignalEffect(() => {
    camera.value;
    size.value;
    content.value;
    colouring.value;
    settings.theme.value;
    alignPicture();
    repaint();
  });

  return (
    <div class="map" ref={area}>
      {settings.tiles.value === "" ? null : (
        <Tiles template={settings.tiles.value} origin={origin} camera={camera} size={size} />
      )}
      <canvas ref={canvas} />
      {pitch === null ? null : <PitchOutline pitch={pitch} camera={camera} size={size} />}
      <Markers markers={markers} camera={camera} size={size} />
      <div
        class="map-surface"
        role="application"
        aria-roledescription="map"
        aria-label={`${description} Arrow keys move the map, plus and minus zoom, Escape shows all.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application handles keys
        tabIndex={0}
        {...handlers}
      />
      <div class="map-buttons">
        <button type="button" aria-label="Zoom in on the map" onClick={() => zoomMiddle(BUTTON_ZOOM)}>
          +
        </button>
        <button type="button" aria-label="Zoom out of the map" onClick={() => zoomMiddle(1 / BUTTON_ZOOM)}>
          −
        </button>
        <button type="button" aria-label="Show the whole track" onClick={fitAll}>
          ⤢
        </button>
      </div>
      <ScaleOnGround camera={camera} origin={origin} />
      {children}
    </div>
  );
}

function Markers({
  markers,
  camera,
  size,
}: {
  markers: ReadonlySignal<Marker[]>;
  camera: ReadonlySignal<Camera | null>;
  size: ReadonlySignal<{ width: number; height: number }>;
}) {
  const view = camera.value;
  if (view === null) return null;
  return (
    <>
      {markers.value.map(({ east, north, colour, label }, i) => {
        const { x, y } = toScreen(view, size.value, east, north);
        return (
          <div
            class="marker"
            // Markers have no identity. There is one for each recording, in the same order.
            key={i}
            style={{ transform: `translate(${x}px, ${y}px)`, "--marker": colour }}
          >
            {label}
          </div>
        );
      })}
    </>
  );
}

function ScaleOnGround({ camera, origin }: { camera: ReadonlySignal<Camera | null>; origin: Origin }) {
  const view = camera.value;
  if (view === null) return null;
  // in a comparison, one recording can be far north of the origin
  return <ScaleBar camera={{ ...view, scale: view.scale / groundMetres(origin, view.north) }} />;
}
