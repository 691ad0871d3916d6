import { inspect } from "../../api/inspect.js";
import { count, decimalText, percentText } from "../../pictures/figure-text.js";
import type { Inspection } from "../../reading/read-result.js";
import type { Report } from "../../types.js";
import type { Context } from "../batch/batch.js";
import { nameOf } from "../batch/inputs.js";
import { type ExitStatus, isDamaged } from "../terminal/exit-status.js";
import { instantFormat, timeSpanText } from "../terminal/time-text.js";
import { type Gaps, GapWatch } from "./gaps.js";
import { type InspectFlags, inspectInputs } from "./inspect-inputs.js";
import { damageText, timeTexts } from "./report-text.js";

/** Runs `asi info`, which shows the content of a recording and what each of its bytes is used for. */
export function info(args: string[], flags: InspectFlags, context: Context): Promise<ExitStatus> {
  const instantText = instantFormat(flags.tz);
  let isFirst = true;
  return inspectInputs(args, flags, context, {
    async inspect(source, options) {
      const watch = new GapWatch(source, options.serial);
      const inspection = await inspect(watch, options);
      return withoutGaps(inspection, watch);
    },
    text(inspection, input) {
      const gap = isFirst ? "" : "\n";
      isFirst = false;
      const lines = linesOf(inspection, instantText).map(([label, value]) =>
        `  ${label.padEnd(LABEL_WIDTH)}${value}`.trimEnd(),
      );
      return `${gap}${nameOf(input)}\n${lines.join("\n")}\n`;
    },
    toJson: (inspection) => inspection,
  });
}

interface InspectionWithGaps extends Inspection {
  /** Gaps within the ranges. */
  gaps: Gaps;
}

/** Excludes the gaps from the recorded time and the rates, as the figures do. */
function withoutGaps(inspection: Inspection, { gaps, recordedMs }: GapWatch): InspectionWithGaps {
  const { gnssHz, hrHz, ecgHz } = inspection.rates;
  const ms = inspection.recordedMs - gaps.totalMs;
  const rate = (hz: number | null, missing: number) =>
    hz === null || ms === 0 ? null : (Math.round((hz * inspection.recordedMs) / 1000 - missing) * 1000) / ms;
  return {
    ...inspection,
    recordedMs,
    rates: { gnssHz: rate(gnssHz, gaps.count), hrHz: rate(hrHz, 0), ecgHz },
    gaps,
  };
}

type Line = readonly [label: string, value: string];

const LABEL_WIDTH = 14;

function linesOf(
  { info, report, fileName, recordedMs, rates, ecg, gaps }: InspectionWithGaps,
  instantText: (ms: number) => string,
): Line[] {
  const device = [info.deviceName, info.deviceType].filter((text) => text !== "").join(", ");
  return [
    ["serial", info.serial],
    ["device", device === "" ? "not named" : device],
    ["firmware", info.firmwareVersion === "" ? "not named" : info.firmwareVersion],
    [
      "header",
      info.formatVersion === null
        ? "none: a plain log"
        : `format version ${info.formatVersion}, ${info.periodMs === 0 ? "GNSS period not specified" : `a GNSS epoch every ${info.periodMs} ms`}`,
    ],
    ...timeLines(report, recordedMs, instantText),
    [
      "rows",
      `${report.rows.total}, ${report.rows.withHr} with heart rate, ${report.rows.twoD} without altitude (2D)`,
    ],
    ["rates", ratesText(rates)],
    ...heartLines(report, ecg),
    ["CSV", fileName ?? "none: there is no row"],
    ...report.ranges.map(
      ({ start, stop, size }, i): Line => [
        i === 0 ? "ranges" : "",
        `${instantText(start)} to ${instantText(stop)}, ${count(size, "row")}`,
      ],
    ),
    ...gapLines(gaps, instantText),
    ...frameLines(report),
    ...byteLines(report),
    ["damage", isDamaged(report) ? damageText(report) : "none"],
    ...timeTexts(report).map((text): Line => ["notice", text]),
  ];
}

function timeLines({ start, end }: Report, recordedMs: number, instantText: (ms: number) => string): Line[] {
  if (start === null || end === null) return [];
  return [
    ["start", instantText(start)],
    ["end", instantText(end)],
    ["duration", `${timeSpanText(end - start)}, of which ${timeSpanText(recordedMs)} recorded`],
  ];
}

function heartLines({ rows }: Report, ecg: Inspection["ecg"]): Line[] {
  const derived = rows.withDerivedHr ?? 0;
  const source: Line = [
    "heart rates",
    derived === 0
      ? "from the device"
      : derived === rows.withHr
        ? "derived from the ECG"
        : `${derived} derived from the ECG, ${rows.withHr - derived} from the device`,
  ];
  return [...(rows.withHr === 0 ? [] : [source]), ...(ecg === null ? [] : [ecgLine(ecg)])];
}

function ecgLine({ seconds, usable, meanBpm, maxBpm, rmssdMs }: NonNullable<Inspection["ecg"]>): Line {
  const parts = [`${percentText(usable)} of ${timeSpanText(1000 * seconds)} with a heart rate`];
  if (meanBpm !== null) parts.push(`mean ${decimalText(meanBpm, 1)} bpm`);
  if (maxBpm !== null) parts.push(`maximum ${decimalText(maxBpm, 1)} bpm`);
  if (rmssdMs !== null) parts.push(`RMSSD ${decimalText(rmssdMs, 1)} ms (meaningful only at rest)`);
  if (usable < 0.5) {
    parts.push(
      "the other seconds lack four beats in 8 s, even intervals between them, or a clear signal: asi beats lists each beat",
    );
  }
  return ["ECG", parts.join(", ")];
}

function gapLines({ count: number, totalMs, longest }: Gaps, instantText: (ms: number) => string): Line[] {
  if (number === 0) return [["gaps", "no gaps within a range"]];
  const together = `${count(number, "gap")} within a range, ${timeSpanText(totalMs)} in total`;
  return [
    ["gaps", number > longest.length ? `${together}; the longest:` : together],
    ...longest.map(
      ({ start, stop }): Line => [
        "",
        `${instantText(start)} to ${instantText(stop)}, ${timeSpanText(stop - start)}`,
      ],
    ),
  ];
}

function ratesText({ gnssHz, hrHz, ecgHz }: Inspection["rates"]): string {
  const rate = (name: string, hz: number | null) =>
    hz === null ? [] : [`${name} ${Number(hz.toFixed(2))} Hz`];
  const parts = [...rate("GNSS", gnssHz), ...rate("heart rate", hrHz), ...rate("ECG waveform", ecgHz)];
  return parts.length === 0 ? "none" : parts.join(", ");
}

const REASONS: readonly (readonly [keyof Report["gnssWithoutRow"], string])[] = [
  ["noDateOrTime", "date or time not valid"],
  ["noFixOk", "fix not valid"],
  ["fixType", "no position (fix type)"],
  ["outOfRange", "coordinates out of range"],
  ["badDate", "a date or time that does not exist"],
];

function frameLines({ frames, gnssWithoutRow }: Report): Line[] {
  const reasons = REASONS.filter(([reason]) => gnssWithoutRow[reason] > 0);
  return [
    [
      "frames",
      `${count(frames.header, "header")}, ${frames.gnss} GNSS, ${frames.ecgHr} heart rate, ${frames.ecgRaw} ECG waveform, ${frames.unknown} unknown`,
    ],
    ...reasons.map(
      ([reason, text], i): Line => [
        i === 0 ? "no row from" : "",
        `${count(gnssWithoutRow[reason], "GNSS frame")}: ${text}`,
      ],
    ),
  ];
}

function byteLines({ bytes }: Report): Line[] {
  const share = (part: number) => {
    const percent = bytes.total === 0 ? 0 : (100 * part) / bytes.total;
    return `${String(part).padStart(String(bytes.total).length)} (${percent.toFixed(2)}%)`;
  };
  return [
    ["bytes", `${bytes.total}, of which`],
    ["", `${share(bytes.known)} in known frames`],
    ["", `${share(bytes.unknown)} in unknown frames`],
    ["", `${share(bytes.skipped)} skipped: damaged frames and foreign bytes`],
  ];
}
