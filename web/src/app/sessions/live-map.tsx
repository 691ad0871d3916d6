import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { cameraFor } from "../../map/camera.js";
import { type Box, joinBoxes, type Origin, project } from "../../map/projection.js";
import { ScaleBar } from "../../map/scale-bar.js";
import type { Dot } from "../../squad/map/moment-canvas.js";
import { useSize } from "../../view/element-size.js";
import type { Settings } from "../../view/settings.js";
import { useLoaded } from "../../view/use-loaded.js";
import type { LivePlayer, Position } from "./live-player.js";

/** The part that draws the map of a squad also contains the functions for this map. */
const loadMap = () => import("../../squad/map/map-part.js");

const MARGIN_PX = 28;
const RADIUS_PX = 10;

interface Props {
  settings: Settings;
  /** The players with current positions. */
  players: readonly { player: string; number: string | null; position: string | null; live: LivePlayer }[];
}

/** A map of one player initially shows at least this extent. */
const AROUND_M = 15;

const boxAt = (x: number, y: number): Box => ({
  west: x - AROUND_M,
  east: x + AROUND_M,
  south: y - AROUND_M,
  north: y + AROUND_M,
});

const e7 = (degrees: number) => Math.round(degrees * 1e7);

const placesOf = (trail: readonly Position[], origin: Origin) =>
  project(
    Int32Array.from(trail, ({ latitude }) => e7(latitude)),
    Int32Array.from(trail, ({ longitude }) => e7(longitude)),
    origin,
  );

function dotsOf(players: Props["players"], origin: Origin): Dot[] {
  return players.map(({ player, number, position, live: { athlete, shown } }) => {
    const { east, north } = placesOf(shown.trail, origin);
    const trail = shown.trail.map(({ ms }, i) => ({
      x: east[i] ?? 0,
      y: north[i] ?? 0,
      ageMs: shown.ms - ms,
    }));
    return {
      x: trail.at(-1)?.x ?? 0,
      y: trail.at(-1)?.y ?? 0,
      player: { key: String(athlete), name: player, player: { number, position } },
      speedMmPerS: shown.speed * 1000,
      trail,
    };
  });
}

/** The players as dots with their last seconds. The map covers all positions since it was opened. */
export function LiveMap({ settings, players }: Props) {
  const map = useLoaded(loadMap);
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(area);
  const origin = useRef<Origin | null>(null);
  const box = useSignal<Box | null>(null);
  const dots = useSignal<readonly Dot[]>([]);
  useEffect(() => {
    const [first] = players[0]?.live.shown.trail ?? [];
    if (origin.current === null && first !== undefined)
      origin.current = { latitudeE7: e7(first.latitude), longitudeE7: e7(first.longitude) };
    if (origin.current === null) return;
    dots.value = dotsOf(players, origin.current);
    box.value = joinBoxes([
      box.peek(),
      ...dots.peek().flatMap(({ trail }) => trail.map(({ x, y }) => boxAt(x, y))),
    ]);
  }, [players, box, dots]);
  const camera = useComputed(() =>
    box.value === null || size.value.width === 0 ? null : cameraFor(box.value, size.value, MARGIN_PX),
  );
  const drawMoment = useSignal(map?.drawMoment);
  drawMoment.value = map?.drawMoment;
  useSignalEffect(() => {
    const view = camera.value;
    if (view === null || canvas.current === null || drawMoment.value === undefined) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const look = {
      theme: settings.theme.value,
      panel: colour("panel"),
      text: colour("text"),
      accent: colour("accent"),
    };
    drawMoment.value(
      canvas.current,
      { spots: dots.value, chosen: null, camera: view, size: size.value, radius: RADIUS_PX, look },
      devicePixelRatio,
    );
  });
  const names = players.map(({ player }) => player).join(", ");
  return (
    <div
      class="panel live-map"
      ref={area}
      role="img"
      aria-label={names === "" ? "Map without players" : `Map: ${names}`}
    >
      <canvas ref={canvas} />
      {players.length > 0 ? null : <p class="muted">The map shows the players with new samples.</p>}
      {camera.value === null ? null : <ScaleBar camera={camera.value} />}
    </div>
  );
}
