import type { Camera } from "../../map/camera.js";
import type { Theme } from "../../map/palette.js";
import type { Track } from "../../map/projection.js";
import { drawTracks } from "../../map/raster.js";
import { KM_PER_H_OF_MM_PER_S } from "../../view/values.js";
import { FASTEST_KM_PER_H } from "../rules.js";
import { scopeOf } from "../scope.js";
import type { SquadPlayer } from "../squad-session.js";
import type { MapState } from "./map-state.js";
import { trackIn } from "./positions.js";

/** A higher ratio of device pixels to CSS pixels makes no visible difference. */
const MOST_RATIO = 2;

/** Returns the positions of a player in the current scope, or null if there are none. The result depends on the signals of the session. */
export function trackOf({ session, plane, isTurnedAt }: MapState, player: SquadPlayer): Track | null {
  const ground = plane.value;
  if (ground === null) return null;
  const { intervals } = scopeOf(session.scope.value, player.name, session.periods.value, session.time.value);
  return trackIn(player, intervals, ground, isTurnedAt);
}

/** Draws a track over the whole canvas, and sets the size of the canvas in device pixels. If the track is null, it clears the canvas. */
export function drawTrack(
  canvas: HTMLCanvasElement,
  track: Track | null,
  look: {
    size: { width: number; height: number };
    camera: Camera;
    theme: Theme;
    colouring: "speed" | "heat";
  },
): void {
  const pixelRatio = Math.min(devicePixelRatio, MOST_RATIO);
  const width = Math.round(look.size.width * pixelRatio);
  const height = Math.round(look.size.height * pixelRatio);
  canvas.width = width;
  canvas.height = height;
  if (track === null || track.timesMs.length === 0) return;
  const shown = { startMs: track.timesMs[0] ?? 0, stopMs: track.timesMs.at(-1) ?? 0 };
  const { camera, theme, colouring } = look;
  const fastest = FASTEST_KM_PER_H / KM_PER_H_OF_MM_PER_S;
  const pixels = drawTracks({ width, height, pixelRatio, camera, theme, colouring, fastest }, [
    { track, shown, number: 0 },
  ]);
  canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
}
