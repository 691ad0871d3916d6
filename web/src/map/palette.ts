/** Red, green and blue, 0 to 255 each. */
export type Colour = readonly [number, number, number];

export type Theme = "light" | "dark";

/** The colours from slow to fast. Colours between the stops are interpolated. */
const SPEED: Record<Theme, readonly Colour[]> = {
  light: [
    [147, 180, 214],
    [59, 125, 196],
    [126, 70, 190],
    [214, 51, 108],
    [249, 115, 22],
  ],
  dark: [
    [62, 92, 138],
    [74, 158, 220],
    [163, 113, 247],
    [255, 107, 157],
    [255, 170, 51],
  ],
};

/**
 * The colours from early to late. The palette is viridis, by van der Walt and Smith. Its ends are omitted, because they are invisible on
 * the background.
 */
const TIME: Record<Theme, readonly Colour[]> = {
  light: [
    [72, 40, 120],
    [49, 104, 142],
    [33, 145, 140],
    [53, 183, 121],
    [180, 190, 30],
  ],
  dark: [
    [110, 90, 190],
    [62, 130, 190],
    [40, 175, 165],
    [90, 210, 120],
    [253, 231, 37],
  ],
};

/** The colours from rare to frequent. */
const HEAT: Record<Theme, readonly Colour[]> = {
  light: [
    [190, 214, 240],
    [110, 160, 220],
    [130, 80, 190],
    [214, 51, 108],
    [245, 130, 32],
  ],
  dark: [
    [30, 52, 96],
    [52, 110, 190],
    [160, 90, 220],
    [255, 107, 157],
    [255, 210, 90],
  ],
};

export type PaletteName = "speed" | "time" | "heat";
const PALETTES: Record<PaletteName, Record<Theme, readonly Colour[]>> = {
  speed: SPEED,
  time: TIME,
  heat: HEAT,
};

/** The colours for tracks of several recordings. People with colour blindness can distinguish them (after Okabe and Ito). */
const TRACKS: Record<Theme, readonly Colour[]> = {
  light: [
    [0, 98, 178],
    [200, 70, 0],
    [0, 128, 96],
    [180, 60, 140],
    [120, 94, 0],
    [30, 135, 180],
    [90, 80, 170],
    [90, 100, 110],
  ],
  dark: [
    [86, 180, 233],
    [255, 140, 66],
    [60, 200, 150],
    [240, 130, 200],
    [240, 228, 66],
    [130, 210, 255],
    [170, 160, 255],
    [170, 180, 190],
  ],
};

/** Colour of the hidden part of a track. */
export const FADED: Record<Theme, Colour> = { light: [217, 222, 230], dark: [38, 48, 68] };

/** Number of colours of a `ramp`. */
export const STEPS = 64;

/** Returns the colours of a palette in `STEPS` steps. */
export function ramp(name: PaletteName, theme: Theme): Uint8Array {
  const stops = PALETTES[name][theme];
  const colours = new Uint8Array(STEPS * 3);
  for (let step = 0; step < STEPS; step++) {
    const at = (step / (STEPS - 1)) * (stops.length - 1);
    const lower = stops[Math.floor(at)] as Colour;
    const upper = stops[Math.ceil(at)] as Colour;
    for (let part = 0; part < 3; part++) {
      const from = lower[part] as number;
      colours[step * 3 + part] = Math.round(from + ((upper[part] as number) - from) * (at % 1));
    }
  }
  return colours;
}

/** Returns the colour of the recording with this number, counted from 0. */
export function trackColour(index: number, theme: Theme): Colour {
  const colours = TRACKS[theme];
  return colours[index % colours.length] as Colour;
}

export function cssColour([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** Returns a horizontal gradient for legends. */
export function cssGradient(name: PaletteName, theme: Theme): string {
  return `linear-gradient(90deg, ${PALETTES[name][theme].map(cssColour).join(", ")})`;
}
