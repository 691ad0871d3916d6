import { useComputed, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useSize } from "../../view/element-size.js";
import { timeOfDay } from "../../view/times.js";
import { columnsOf, drawClock } from "../clock/clock-canvas.js";
import { type Strip, stripOf } from "../clock/strips.js";
import type { SquadSession } from "../squad-session.js";
import { mapOf } from "./map-state.js";
import { scopeWindow } from "./scope-window.js";

const STEP_MS = 1000;
const NO_STRIP: Strip = { runs: [], sprintsMs: [], damage: [], joints: [], changes: [] };

/** A slider for the time of the map, over the strip of the selected player. Used if the clock is not beside the map. */
export function TimeScrubber({ session }: { session: SquadSession }) {
  const state = mapOf(session);
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(area);
  const shown = useComputed(() => scopeWindow(session));
  const row = useComputed(() =>
    session.figures.value.rows.find(({ member }) => member.key === session.chosen.value),
  );
  useSignalEffect(() => {
    const { width, height } = size.value;
    session.settings.theme.value;
    if (canvas.current === null || width === 0) return;
    const ratio = devicePixelRatio;
    const { member, metrics } = row.value ?? { member: null, metrics: null };
    const sprintsMs = metrics?.sprint.threshold_1.values.map(({ start_time }) => start_time) ?? [];
    const limit = metrics?.definition.parameters.max_valid_speed ?? Number.POSITIVE_INFINITY;
    const strip =
      member === null
        ? NO_STRIP
        : stripOf(
            member,
            session.periods.value,
            sprintsMs,
            shown.value,
            columnsOf(width, ratio),
            limit * 1000,
          );
    const drawing = { width, height, shown: shown.value, edgesMs: [], ticksMs: [] };
    drawClock(canvas.current, { ...drawing, rows: [{ middle: height / 2, strip }] }, ratio);
  });
  const zone = session.settings.zone.value;
  const { startMs, stopMs } = shown.value;
  const now = Math.min(stopMs, Math.max(startMs, state.nowMs.value));
  return (
    <div class="map-scrubber">
      <div class="scrubber-strip" ref={area}>
        <canvas ref={canvas} />
        <input
          type="range"
          aria-label="Time of the map"
          aria-valuetext={timeOfDay(now, zone)}
          min={startMs}
          max={stopMs}
          step={STEP_MS}
          value={now}
          onInput={({ currentTarget }) => {
            session.cursorMs.value = Number(currentTarget.value);
          }}
        />
      </div>
      <span>{timeOfDay(startMs, zone).slice(0, 5)}</span>
      <span>{timeOfDay(stopMs, zone).slice(0, 5)}</span>
    </div>
  );
}
