import { count } from "../../pictures/figure-text.js";
import type { Report } from "../../types.js";
import type { Console, Part } from "../terminal/console.js";
import { isDamaged } from "../terminal/exit-status.js";

/** `2 bad checksums, 1 overrun`; empty without damage. */
export function damageText({ damage }: Report): string {
  return [
    damage.badChecksums > 0 && count(damage.badChecksums, "bad checksum"),
    damage.overlong > 0 && count(damage.overlong, "overlong frame"),
    damage.overruns > 0 && count(damage.overruns, "overrun"),
  ]
    .filter((text) => text !== false)
    .join(", ");
}

/** Lines about damage, foreign bytes and unknown frames in an input. */
export function notices(console: Console, name: string, report: Report): Part[][] {
  const { bytes, frames } = report;
  const lines: Part[][] = [];
  if (isDamaged(report)) {
    const damage = console.paint("yellow", "damaged:");
    lines.push([`${name}: `, damage, ` ${damageText(report)}; ${count(bytes.skipped, "byte")} skipped`]);
  } else if (bytes.skipped > 0) {
    lines.push([`${name}: ${count(bytes.skipped, "foreign byte")} skipped, no damage`]);
  }
  if (frames.unknown > 0) {
    const ignored = `${count(frames.unknown, "unknown frame")} (${count(bytes.unknown, "byte")})`;
    lines.push([`${name}: ${ignored} ignored`]);
  }
  return lines;
}
