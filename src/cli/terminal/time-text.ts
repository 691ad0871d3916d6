export { instantFormat, offsetIn } from "../../rows/instant-format.js";

// Times in the output of the command.

/** Formats a duration: `1:42:05.300` (hours, minutes, seconds). */
export function timeSpanText(ms: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const seconds = Math.floor(ms / 1000);
  const fraction = ms % 1000 === 0 ? "" : `.${String(ms % 1000).padStart(3, "0")}`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}
