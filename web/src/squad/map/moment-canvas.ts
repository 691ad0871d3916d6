import { type Camera, type Size, toScreen } from "../../map/camera.js";
import { ramp, STEPS, type Theme } from "../../map/palette.js";
import { KM_PER_H_OF_MM_PER_S } from "../../view/values.js";
import { FASTEST_KM_PER_H, TRAIL_MS } from "../rules.js";
import type { Point } from "./plane.js";
import type { TrailPoint } from "./positions.js";

/** A player on the map. */
export interface Dot extends Point {
  player: {
    key: string;
    name: string;
    /** The row of the roster. */
    player: { number: string | null; position: string | null } | null;
  };
  speedMmPerS: number;
  /** Earlier positions up to the current one, oldest first. */
  trail: readonly TrailPoint[];
}

/** Colours from the styles of the page. */
export interface MomentLook {
  theme: Theme;
  panel: string;
  text: string;
  accent: string;
}

export interface MomentDrawing {
  spots: readonly Dot[];
  chosen: string | null;
  camera: Camera;
  size: Size;
  /** Outer radius of a dot, CSS pixels. */
  radius: number;
  look: MomentLook;
}

const RING_PX = 3;
const CHOSEN_RING_PX = 2;
const TRAIL_PX = { least: 1, most: 4 };
/** Number of parts of a trail. Each part is one line with one colour. */
const TRAIL_PARTS = 6;

/** Draws dots and trails of all players at one moment. The selected player is above the others. */
export function drawMoment(canvas: HTMLCanvasElement, drawing: MomentDrawing, ratio: number): void {
  const { size, spots, chosen } = drawing;
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  const colours = ramp("speed", drawing.look.theme);
  const inOrder = spots.toSorted((a, b) => Number(a.player.key === chosen) - Number(b.player.key === chosen));
  for (const spot of inOrder) drawTrail(context, spot, drawing, colours);
  for (const spot of inOrder) drawDot(context, spot, drawing, colours);
}

function colourOf({ speedMmPerS }: Dot, colours: Uint8Array): string {
  const share = (speedMmPerS * KM_PER_H_OF_MM_PER_S) / FASTEST_KM_PER_H;
  const step = 3 * Math.min(STEPS - 1, Math.max(0, Math.floor(share * STEPS)));
  return `rgb(${colours[step]} ${colours[step + 1]} ${colours[step + 2]})`;
}

function drawTrail(
  context: CanvasRenderingContext2D,
  spot: Dot,
  { camera, size }: MomentDrawing,
  colours: Uint8Array,
): void {
  context.strokeStyle = colourOf(spot, colours);
  context.lineCap = "butt";
  context.lineJoin = "round";
  const { trail } = spot;
  let part = -1;
  for (let i = 1; i < trail.length; i++) {
    const [before, point] = [trail[i - 1], trail[i]];
    if (before === undefined || point === undefined) continue;
    const youth = 1 - before.ageMs / TRAIL_MS;
    const own = Math.min(TRAIL_PARTS - 1, Math.max(0, Math.floor(youth * TRAIL_PARTS)));
    if (own !== part) {
      if (part >= 0) context.stroke();
      part = own;
      const share = (own + 1) / TRAIL_PARTS;
      context.globalAlpha = 0.9 * share;
      context.lineWidth = TRAIL_PX.least + (TRAIL_PX.most - TRAIL_PX.least) * share;
      context.beginPath();
      const from = toScreen(camera, size, before.x, before.y);
      context.moveTo(from.x, from.y);
    }
    const to = toScreen(camera, size, point.x, point.y);
    context.lineTo(to.x, to.y);
  }
  if (part >= 0) context.stroke();
  context.globalAlpha = 1;
}

function drawDot(
  context: CanvasRenderingContext2D,
  spot: Dot,
  { camera, size, radius, chosen, look }: MomentDrawing,
  colours: Uint8Array,
): void {
  const { x, y } = toScreen(camera, size, spot.x, spot.y);
  const { player } = spot;
  const isChosen = player.key === chosen;
  const shape = (r: number) => {
    context.beginPath();
    if (isGoalkeeper(spot)) context.roundRect(x - r, y - r, 2 * r, 2 * r, 3);
    else context.arc(x, y, r, 0, 2 * Math.PI);
  };
  if (isChosen) {
    shape(radius + CHOSEN_RING_PX + 1);
    context.fillStyle = look.panel;
    context.fill();
    context.lineWidth = CHOSEN_RING_PX;
    context.strokeStyle = look.accent;
    context.stroke();
  }
  shape(radius - RING_PX / 2);
  context.fillStyle = look.panel;
  context.fill();
  context.lineWidth = RING_PX;
  context.strokeStyle = colourOf(spot, colours);
  context.stroke();
  context.fillStyle = look.text;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `700 ${Math.round(radius)}px system-ui, sans-serif`;
  context.fillText(shortName(player), x, y + 0.5);
  if (!isChosen) return;
  context.font = "600 12px system-ui, sans-serif";
  const isLow = y + radius + 24 > size.height;
  const nameY = isLow ? y - radius - 12 : y + radius + 13;
  context.lineWidth = 3;
  context.strokeStyle = look.panel;
  context.strokeText(player.name, x, nameY);
  context.fillText(player.name, x, nameY);
}

const isGoalkeeper = ({ player }: Dot) => player.player?.position?.trim().toUpperCase() === "GK";

/** Returns the number, or the initials if the player has no number. */
function shortName({ player, name }: Dot["player"]): string {
  return player?.number ? String(player.number) : name.slice(0, 2);
}
