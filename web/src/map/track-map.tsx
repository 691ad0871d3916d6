import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useSize } from "../view/element-size.js";
import { oneAtATime } from "../view/latest.js";
import type { Settings } from "../view/settings.js";
import { type Camera, cameraFor, panned, toGround, toScreen, zoomedAt } from "./camera.js";
import type { Colouring, Drawing } from "./drawing.js";
import type { Pitch } from "./pitch.js";
import { PitchOutline } from "./pitch-outline.js";
import { type Box, groundMetres, type Origin } from "./projection.js";
import { ScaleBar } from "./scale-bar.js";
import { Tiles } from "./tiles.js";

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
  /**
   * Called with the position of the pointer, in metres from the origin, and the tolerance of a click. Both are null when the pointer
   * leaves.
   */
  onPoint: (at: { east: number; north: number; within: number } | null) => void;
  settings: Settings;
  /** Description for screen readers. */
  description: string;
  children?: ComponentChildren;
}

const MARGIN = 28;
const WHEEL_ZOOM = 1.0015;
const BUTTON_ZOOM = 1.6;
const POINT_WITHIN_PX = 24;
const KEY_PAN_PX = 60;

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
  const camera = useSignal<Camera | null>(null);
  const drawn = useRef<Camera | null>(null);
  const pointers = useRef(new Map<number, { x: number; y: number }>());

  const showAll = () => {
    camera.value = cameraFor(box, size.peek(), MARGIN);
  };
  // a map of the whole track is fitted again after the window is resized
  const isFitted = useRef(true);
  const move = (next: Camera) => {
    isFitted.current = false;
    camera.value = next;
  };
  const fitted = `${box.west} ${box.south} ${box.east} ${box.north}`;
  useSignalEffect(() => {
    const { width } = size.value;
    if (width > 0 && isFitted.current) showAll();
  });
  useEffect(() => {
    isFitted.current = true;
    if (size.peek().width > 0) showAll();
  }, [fitted]);

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

  const pointOf = (event: PointerEvent | WheelEvent) => {
    const rectangle = area.current?.getBoundingClientRect();
    return { x: event.clientX - (rectangle?.left ?? 0), y: event.clientY - (rectangle?.top ?? 0) };
  };
  const onPointerDown = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, pointOf(event));
    if (event.pointerType !== "mouse") point(event);
  };
  const point = (event: PointerEvent) => {
    const view = camera.peek();
    if (view === null) return;
    const { x, y } = pointOf(event);
    onPoint({ ...toGround(view, size.peek(), x, y), within: POINT_WITHIN_PX / view.scale });
  };
  const onPointerMove = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId);
    const view = camera.peek();
    if (before === undefined || view === null) {
      point(event);
      return;
    }
    const now = pointOf(event);
    pointers.current.set(event.pointerId, now);
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) {
      move(panned(view, now.x - before.x, now.y - before.y));
      return;
    }
    const distance = Math.max(20, Math.hypot(before.x - other.x, before.y - other.y));
    const factor = Math.max(20, Math.hypot(now.x - other.x, now.y - other.y)) / distance;
    move(zoomedAt(view, size.peek(), factor, other.x, other.y));
  };
  const onPointerUp = (event: PointerEvent) => pointers.current.delete(event.pointerId);
  const zoomMiddle = (factor: number) => {
    const view = camera.peek();
    const { width, height } = size.peek();
    if (view !== null) move(zoomedAt(view, { width, height }, factor, width / 2, height / 2));
  };
  const fitAll = () => {
    isFitted.current = true;
    showAll();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const pan = (x: number, y: number) => {
      const view = camera.peek();
      if (view !== null) move(panned(view, x, y));
    };
    const actions: Record<string, () => void> = {
      ArrowLeft: () => pan(KEY_PAN_PX, 0),
      ArrowRight: () => pan(-KEY_PAN_PX, 0),
      ArrowUp: () => pan(0, KEY_PAN_PX),
      ArrowDown: () => pan(0, -KEY_PAN_PX),
      "+": () => zoomMiddle(BUTTON_ZOOM),
      "=": () => zoomMiddle(BUTTON_ZOOM),
      "-": () => zoomMiddle(1 / BUTTON_ZOOM),
      Escape: fitAll,
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  useEffect(() => {
    const onWheel = (event: WheelEvent) => {
      const view = camera.peek();
      if (view === null) return;
      event.preventDefault();
      const { x, y } = pointOf(event);
      move(zoomedAt(view, size.peek(), WHEEL_ZOOM ** -event.deltaY, x, y));
    };
    // passive listeners, such as those of the framework, cannot prevent scrolling of the page
    area.current?.addEventListener("wheel", onWheel, { passive: false });
    return () => area.current?.removeEventListener("wheel", onWheel);
  }, []);

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
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onPointerLeave={(event) => {
          if (event.pointerType === "mouse") onPoint(null);
        }}
        onKeyDown={onKeyDown}
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
