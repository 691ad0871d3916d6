import type { Box } from "./projection.js";

/** View of the map, with its centre and its scale. */
export interface Camera {
  /** The centre in metres east and north of the origin. */
  east: number;
  north: number;
  /** The scale in CSS pixels per metre. */
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

const LARGEST_SCALE = 200;
const SMALLEST_SCALE = 1e-6;
/** A track of a few centimetres is not enlarged beyond this extent. */
const SMALLEST_EXTENT_M = 10;

/** Returns the camera that shows the whole of `box`, with `margin` CSS pixels around it. */
export function cameraFor(box: Box, { width, height }: Size, margin: number): Camera {
  const metresWide = Math.max(box.east - box.west, SMALLEST_EXTENT_M);
  const metresHigh = Math.max(box.north - box.south, SMALLEST_EXTENT_M);
  const scale = Math.min(
    Math.max(width - 2 * margin, 1) / metresWide,
    Math.max(height - 2 * margin, 1) / metresHigh,
  );
  return { east: (box.west + box.east) / 2, north: (box.south + box.north) / 2, scale: limited(scale) };
}

function limited(scale: number): number {
  return Math.min(Math.max(scale, SMALLEST_SCALE), LARGEST_SCALE);
}

/** Converts a map position to a screen position, in CSS pixels from the top left corner. */
export function toScreen(
  camera: Camera,
  { width, height }: Size,
  east: number,
  north: number,
): { x: number; y: number } {
  return {
    x: width / 2 + (east - camera.east) * camera.scale,
    y: height / 2 - (north - camera.north) * camera.scale,
  };
}

export function toGround(
  camera: Camera,
  { width, height }: Size,
  x: number,
  y: number,
): { east: number; north: number } {
  return {
    east: camera.east + (x - width / 2) / camera.scale,
    north: camera.north - (y - height / 2) / camera.scale,
  };
}

export function panned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, east: camera.east - dx / camera.scale, north: camera.north + dy / camera.scale };
}

/** Zooms by `factor`. The position at `x`, `y` stays at the same place on the screen. */
export function zoomedAt(camera: Camera, size: Size, factor: number, x: number, y: number): Camera {
  const { east, north } = toGround(camera, size, x, y);
  const scale = limited(camera.scale * factor);
  const ratio = camera.scale / scale;
  return { east: east + (camera.east - east) * ratio, north: north + (camera.north - north) * ratio, scale };
}

/** Returns the longest length of the form 1, 2 or 5 times a power of ten whose bar takes at most `maxPixels`. */
export function scaleBar(camera: Camera, maxPixels: number): { metres: number; pixels: number } {
  const longest = maxPixels / camera.scale;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = ([5, 2, 1].find((step) => step * power <= longest) ?? 1) * power;
  return { metres, pixels: metres * camera.scale };
}
