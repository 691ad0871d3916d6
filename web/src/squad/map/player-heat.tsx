import { useComputed, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { cameraFor } from "../../map/camera.js";
import { PitchOutline } from "../../map/pitch-outline.js";
import { useSize } from "../../view/element-size.js";
import type { SquadSession } from "../squad-session.js";
import { type ChosenRow, mapOf } from "./map-state.js";
import { drawTrack, trackOf } from "./track-canvas.js";

const MARGIN_PX = 4;

/** The heat map of the selected player, next to the fastest sprints. It is computed only if it fits. */
export function PlayerHeat({ session, chosen }: { session: SquadSession; chosen: ChosenRow }) {
  const state = mapOf(session);
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(area);
  const camera = useComputed(() => {
    const plane = state.plane.value;
    return plane === null || size.value.width === 0 ? null : cameraFor(plane.box, size.value, MARGIN_PX);
  });
  useSignalEffect(() => {
    const view = camera.value;
    const theme = session.settings.theme.value;
    const player = chosen.value?.member;
    if (view === null || player === undefined || canvas.current === null) return;
    const look = { size: size.value, camera: view, theme, colouring: "heat" } as const;
    drawTrack(canvas.current, trackOf(state, player), look);
  });
  const pitch = state.plane.value?.pitch ?? null;
  return (
    <div
      class="chosen-heat"
      ref={area}
      role="img"
      aria-label={`Where ${chosen.value?.member.name} was during this time`}
    >
      <canvas ref={canvas} />
      {pitch === null ? null : <PitchOutline pitch={pitch} camera={camera} size={size} />}
    </div>
  );
}
