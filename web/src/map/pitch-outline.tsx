import type { ReadonlySignal } from "@preact/signals";
import { type Camera, toScreen } from "./camera.js";
import { type Pitch, pitchLines } from "./pitch.js";

/** The lines of a pitch on the map. */
export function PitchOutline({
  pitch,
  camera,
  size,
}: {
  pitch: Pitch;
  camera: ReadonlySignal<Camera | null>;
  size: ReadonlySignal<{ width: number; height: number }>;
}) {
  const view = camera.value;
  if (view === null) return null;
  const path = pitchLines(pitch)
    .map((line) =>
      line
        .map(([east, north], i) => {
          const { x, y } = toScreen(view, size.value, east, north);
          return `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
        })
        .join(""),
    )
    .join("");
  return (
    <svg class="pitch" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
