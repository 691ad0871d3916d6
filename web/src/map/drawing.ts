import type { Camera } from "./camera.js";
import type { Theme } from "./palette.js";

/** The value that determines the colour of a track. */
export type Colouring = "speed" | "time" | "heat" | "recording";

/** A picture of tracks. */
export interface Drawing {
  /** The size in device pixels. */
  width: number;
  height: number;
  /** The number of device pixels per CSS pixel. */
  pixelRatio: number;
  camera: Camera;
  theme: Theme;
  colouring: Colouring;
  /** The speed with the last colour, mm/s. */
  fastest: number;
}
