import type { Repeated } from "../../metrics/samples.js";
import { count } from "../../pictures/figure-text.js";
import type { Report } from "../../types.js";
import type { TimeBounds } from "../arguments/time-bounds.js";
import type { Console, Part } from "../terminal/console.js";
import { isDamaged } from "../terminal/exit-status.js";
import { otherDaysText } from "./no-samples.js";

/** Formats damage: `2 bad checksums, 1 overrun`. Returns an empty text if there is no damage. */
export function damageText({ damage }: Report): string {
  return [
    damage.badChecksums > 0 && count(damage.badChecksums, "bad checksum"),
    damage.overlong > 0 && count(damage.overlong, "overlong frame"),
    damage.overruns > 0 && count(damage.overruns, "overrun"),
  ]
    .filter((text) => text !== false)
    .join(", ");
}

/**
 * Returns messages about damage, foreign bytes, unknown frames, ignored times and heart rates, and times of day in --from and --to that
 * are on the first of several days.
 */
export function notices(
  console: Console,
  name: string,
  report: Report,
  { repeated, bounds = {} }: { repeated?: Repeated; bounds?: TimeBounds } = {},
): Part[][] {
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
  for (const text of [...timeTexts(report, repeated), otherDaysText(bounds, report)])
    if (text !== null) lines.push([`${name}: ${text}`]);
  return lines;
}

/** Returns messages about times that run backwards, and about rows and heart rates that the figures exclude. */
export function timeTexts(
  { rows: { backwards = 0, replacedHr = 0 } }: Report,
  repeated?: Repeated,
): string[] {
  const texts: string[] = [];
  if (backwards > 0)
    texts.push(`times run backwards ${count(backwards, "time")}; figures and totals count each time once`);
  if (replacedHr > 0)
    texts.push(
      `${count(replacedHr, "heart-rate reading")} not used: another reading with the same time is used`,
    );
  if (repeated !== undefined && repeated.samples > 0) {
    const rates = repeated.heartRates === 0 ? "" : ` and ${count(repeated.heartRates, "heart rate")}`;
    texts.push(`${count(repeated.samples, "row")}${rates} not used: another row with the same time is used`);
  }
  return texts;
}
