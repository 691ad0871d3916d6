// Colours on a white background, from slow to fast, as in the viewer.
const SPEED_STOPS = [
  [147, 180, 214],
  [59, 125, 196],
  [126, 70, 190],
  [214, 51, 108],
  [249, 115, 22],
] as const;

export const INK = "#0f172a";
export const MUTED = "#5b6475";
export const FAINT = "#e5e7eb";
export const PANEL = "#f5f7fa";
export const SPEED_LINE = "#2f6fd0";
export const WARNING = "#b91c1c";
export const HEART_RATE_LINE = "#d6336c";

/** Colour of the limits of heart-rate zones. */
export const LIMIT = "#e9b9cb";

/** Returns the colours of `count` speed zones, from slow to fast. */
export function zoneColors(count: number): string[] {
  return Array.from({ length: count }, (_, zone) => {
    const position = count === 1 ? 0 : (zone / (count - 1)) * (SPEED_STOPS.length - 1);
    const index = Math.min(Math.floor(position), SPEED_STOPS.length - 2);
    const [from, to] = [SPEED_STOPS[index] ?? SPEED_STOPS[0], SPEED_STOPS[index + 1] ?? SPEED_STOPS[0]];
    const channels = from.map((value, i) =>
      Math.round(value + ((to[i] ?? value) - value) * (position - index)),
    );
    return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
  });
}
