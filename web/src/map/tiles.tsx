import type { ReadonlySignal } from "@preact/signals";
import { type Camera, toScreen } from "./camera.js";
import { mercatorOf, metresPerRadian, type Origin } from "./projection.js";

const TILE_PX = 256;
const DEEPEST_ZOOM = 19;
const MOST_TILES = 120;
const TURN = 2 * Math.PI;

/** Raster tiles in Web Mercator below the track. Their address contains `{z}`, `{x}` and `{y}`. */
export function Tiles({
  template,
  origin,
  camera,
  size,
}: {
  template: string;
  origin: Origin;
  camera: ReadonlySignal<Camera | null>;
  size: ReadonlySignal<{ width: number; height: number }>;
}) {
  const view = camera.value;
  if (view === null || !["{z}", "{x}", "{y}"].every((part) => template.includes(part))) return null;
  const metres = metresPerRadian(origin);
  const { x: originX, y: originY } = mercatorOf(origin);
  const pixelsPerTurn = view.scale * metres * TURN;
  const zoom = Math.min(DEEPEST_ZOOM, Math.max(0, Math.round(Math.log2(pixelsPerTurn / TILE_PX))));
  const count = 2 ** zoom;
  const side = pixelsPerTurn / count;
  // the top left corner of the world
  const corner = toScreen(view, size.value, (-Math.PI - originX) * metres, (Math.PI - originY) * metres);
  const { width, height } = size.value;
  const tiles = [];
  const lastX = Math.floor((width - corner.x) / side);
  const lastY = Math.min(count - 1, Math.floor((height - corner.y) / side));
  for (let y = Math.max(0, Math.floor(-corner.y / side)); y <= lastY; y++) {
    for (let x = Math.floor(-corner.x / side); x <= lastX && tiles.length < MOST_TILES; x++) {
      const column = ((x % count) + count) % count;
      const address = template.replace("{z}", `${zoom}`).replace("{x}", `${column}`).replace("{y}", `${y}`);
      const transform = `translate(${corner.x + x * side}px, ${corner.y + y * side}px)`;
      const length = `${side + 0.5}px`;
      tiles.push(
        <img
          key={`${zoom}/${x}/${y}`}
          alt=""
          src={address}
          style={{ transform, width: length, height: length }}
        />,
      );
    }
  }
  return <div class="tiles">{tiles}</div>;
}
