import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Camera, cameraFor, panned, toGround, zoomedAt } from "./camera.js";
import type { Box } from "./projection.js";

/** A position in metres from the origin, with the tolerance of a click in metres. */
export interface PointedAt {
  east: number;
  north: number;
  within: number;
}

interface Gestured {
  box: Box;
  onPoint: (at: PointedAt | null) => void;
  area: RefObject<HTMLElement | null>;
  size: ReadonlySignal<{ width: number; height: number }>;
}

interface MapGestures {
  /** The camera, or null before the map is laid out. */
  camera: Signal<Camera | null>;
  zoomMiddle: (factor: number) => void;
  fitAll: () => void;
  onPointerDown: (event: PointerEvent) => void;
  onPointerMove: (event: PointerEvent) => void;
  onPointerUp: (event: PointerEvent) => void;
  onPointerCancel: (event: PointerEvent) => void;
  onPointerLeave: (event: PointerEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

const MARGIN = 28;
const WHEEL_ZOOM = 1.0015;
export const BUTTON_ZOOM = 1.6;
const POINT_WITHIN_PX = 24;
const KEY_PAN_PX = 60;

/** Moves the camera of a map: fits it to `box`, and handles pointers, wheel and keys. */
export function useMapGestures({ box, onPoint, area, size }: Gestured): MapGestures {
  const camera = useSignal<Camera | null>(null);
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

  return {
    camera,
    zoomMiddle,
    fitAll,
    onPointerDown,
    onPointerMove,
    onPointerUp,
    onPointerCancel: onPointerUp,
    onPointerLeave: (event) => {
      if (event.pointerType === "mouse") onPoint(null);
    },
    onKeyDown,
  };
}
