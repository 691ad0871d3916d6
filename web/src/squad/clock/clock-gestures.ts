import type { Clock } from "./clock-state.js";

const WHEEL_ZOOM = 1.0015;
const BUTTON_ZOOM = 2;
/** A shorter drag is a click. */
const SHORTEST_DRAG_PX = 5;
/** A finger that does not move for this time starts a selection. */
const HOLD_MS = 450;
/** An arrow key moves the cursor by this share of the visible part. */
const KEY_STEP = 1 / 200;
/** Fingers that are closer to each other than this do not zoom further. */
const CLOSEST_PX = 20;

interface Drag {
  pointerId: number;
  startX: number;
  /** The effect of the drag, which is undecided until the pointer has moved. */
  does: "nothing yet" | "brush" | "cursor";
  hold: ReturnType<typeof setTimeout> | undefined;
}

/** Handles pointers, wheel and keys on the clock. */
export class ClockGestures {
  readonly #clock: Clock;
  /** The x coordinate of each finger. */
  readonly #fingers = new Map<number, number>();
  #drag: Drag | null = null;
  /** The end of the brush that keys do not move. */
  #fixedMs: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const x = xIn(event);
    this.#fixedMs = null;
    if (event.pointerType === "touch") {
      this.#fingers.set(event.pointerId, x);
      this.#endDrag();
      if (this.#fingers.size > 1) return;
      const hold = setTimeout(() => this.#beginBrush(), HOLD_MS);
      this.#drag = { pointerId: event.pointerId, startX: x, does: "nothing yet", hold };
    } else {
      this.#drag = { pointerId: event.pointerId, startX: x, does: "nothing yet", hold: undefined };
    }
  };

  readonly onPointerMove = (event: PointerEvent): void => {
    const x = xIn(event);
    const before = this.#fingers.get(event.pointerId);
    if (before !== undefined) {
      this.#fingers.set(event.pointerId, x);
      if (this.#fingers.size === 2) {
        const other = [...this.#fingers].find(([id]) => id !== event.pointerId)?.[1] ?? x;
        const factor =
          Math.max(CLOSEST_PX, Math.abs(x - other)) / Math.max(CLOSEST_PX, Math.abs(before - other));
        this.#clock.zoomBy(factor, this.#clock.timeAt(other));
        return;
      }
    }
    const drag = this.#drag;
    if (drag === null || drag.pointerId !== event.pointerId) return;
    if (drag.does === "nothing yet" && Math.abs(x - drag.startX) >= SHORTEST_DRAG_PX) {
      if (event.pointerType === "touch") {
        clearTimeout(drag.hold);
        drag.does = "cursor";
      } else this.#beginBrush();
    }
    if (drag.does === "cursor") this.#clock.session.cursorMs.value = this.#clock.timeAt(x);
    if (drag.does === "brush") this.#clock.select(this.#clock.timeAt(drag.startX), this.#clock.timeAt(x));
  };

  /** @returns whether the gesture was a click and not a drag */
  readonly onPointerUp = (event: PointerEvent): boolean => {
    this.#fingers.delete(event.pointerId);
    const drag = this.#drag;
    if (drag === null || drag.pointerId !== event.pointerId) return false;
    const isPress = drag.does === "nothing yet" && event.type !== "pointercancel";
    if (isPress) this.#clock.session.cursorMs.value = this.#clock.timeAt(xIn(event));
    this.#endDrag();
    return isPress;
  };

  readonly onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const clock = this.#clock;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      clock.moveBy((event.deltaX || event.deltaY) * clock.msPerPixel());
    } else {
      clock.zoomBy(WHEEL_ZOOM ** -event.deltaY, clock.timeAt(xIn(event)));
    }
  };

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const clock = this.#clock;
    const { startMs, stopMs } = clock.shown.peek();
    const lengthMs = stopMs - startMs;
    // at least a second, because ends of a selection are whole seconds
    const stepMs = Math.max(1000, lengthMs * KEY_STEP);
    const move = (ms: number) => () => this.#moveCursor(ms, event.shiftKey);
    const actions: Record<string, () => void> = {
      ArrowLeft: move(-stepMs),
      ArrowRight: move(stepMs),
      PageUp: move(-lengthMs / 4),
      PageDown: move(lengthMs / 4),
      Home: move(Number.NEGATIVE_INFINITY),
      End: move(Number.POSITIVE_INFINITY),
      "+": () => clock.zoomBy(BUTTON_ZOOM),
      "=": () => clock.zoomBy(BUTTON_ZOOM),
      "-": () => clock.zoomBy(1 / BUTTON_ZOOM),
      Enter: () => {
        if (clock.brush.peek() === null) return;
        clock.isCardWanted = true;
        clock.isBrushing.value = false;
        this.#fixedMs = null;
      },
      Escape: () => this.escape(),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };

  /** Clears the selection first, then the zoom. */
  escape(): void {
    this.#fixedMs = null;
    if (this.#clock.brush.peek() !== null) this.#clock.release();
    else this.#clock.session.zoom.value = null;
  }

  #moveCursor(byMs: number, isBrushing: boolean): void {
    const clock = this.#clock;
    const { session } = clock;
    const whole = clock.whole.peek();
    const shown = clock.shown.peek();
    const cursor = session.cursorMs.peek();
    const before = cursor ?? Math.round((shown.startMs + shown.stopMs) / 2000) * 1000;
    // the first arrow key only shows the cursor
    const isFirst = cursor === null && !isBrushing && Number.isFinite(byMs);
    const after = isFirst ? before : Math.min(whole.stopMs, Math.max(whole.startMs, before + byMs));
    session.cursorMs.value = after;
    if (isBrushing) {
      this.#fixedMs ??= before;
      clock.isBrushing.value = true;
      if (Math.abs(after - this.#fixedMs) >= 1000) clock.select(this.#fixedMs, after);
    } else {
      this.#fixedMs = null;
    }
    if (after < shown.startMs) clock.moveBy(after - shown.startMs);
    if (after > shown.stopMs) clock.moveBy(after - shown.stopMs);
  }

  #beginBrush(): void {
    if (this.#drag === null) return;
    this.#drag.does = "brush";
    this.#clock.isCardWanted = false;
    this.#clock.isBrushing.value = true;
  }

  #endDrag(): void {
    clearTimeout(this.#drag?.hold);
    this.#drag = null;
    this.#clock.isBrushing.value = false;
  }
}

function xIn(event: PointerEvent | WheelEvent): number {
  return event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
}
