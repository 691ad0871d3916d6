import {
  computeMetrics,
  type DayLoad,
  loadOverDays,
  type Metrics,
  type PresetName,
  type SessionLoad,
  type TrimpMethod,
  trimp,
} from "../../metrics/index.js";
import type { Repeated } from "../../metrics/samples.js";
import { tooFastText } from "../../pictures/figure-text.js";
import { hasLoad } from "../../squad/incomplete.js";
import {
  contentKey,
  isIncomplete,
  lengthOf,
  mainInterval,
  recordedSpans,
  stretchesOf,
  united,
} from "../../squad/index.js";
import { type Ratings, readRatings } from "../../squad/read-ratings.js";
import { heartRateShare } from "../../squad/squad-table.js";
import type { Report, SampleBatch } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, nameOf } from "../batch/inputs.js";
import { ExitStatus, statusOf } from "../terminal/exit-status.js";
import { offsetIn } from "../terminal/time-text.js";
import { refuseWithoutEffect, UsageError } from "../terminal/usage-error.js";
import { type CountedRecording, originalOf, simultaneousText, simultaneousWith } from "./counted-once.js";
import { checkRatings, ratingOf } from "./load-ratings.js";
import { readSamples, selectionOf } from "./read-samples.js";
import { notices } from "./report-text.js";
import { severalText } from "./several-sessions.js";
import { copyText } from "./squad-recordings.js";
import { readSheetFile, tellProblems } from "./squad-sheets.js";

export interface LoadFlags {
  of?: "distance" | "high-speed" | "trimp-edwards" | "trimp-banister" | "trimp-lucia" | "rpe";
  sport?: PresetName;
  maxHr?: number;
  restHr?: number;
  hrThresholds?: readonly [number, number];
  sex?: "female" | "male";
  rpe?: string;
  ratio?: boolean;
  tz?: string;
  serial?: string;
  json?: boolean;
}

interface Session extends SessionLoad, CountedRecording {
  /** A message about rows that the figures exclude; null if there are none. */
  tooFast: string | null;
  /** Share of the recorded time with a heart rate, if the load needs it. */
  hrShare?: number | null;
  report: Report;
  repeated: Repeated;
  /** The days that have rows; several if there is a long break between them. */
  days: readonly string[];
}

const MINUTE_MS = 60_000;
const UNKNOWN_BEFORE = "7 days and 28 days are weighted means, which are unknown before the 28th day.";
const RATIO_CAUTION =
  "The ratio of acute to chronic load is mathematically coupled, and no causal link to injury has been shown (Impellizzeri et al. 2020).";

/** Runs `asi load`, which prints the load of days and weeks for each device. */
export async function load(args: string[], flags: LoadFlags, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  const ratings = flags.rpe === undefined ? null : readSheetFile(flags.rpe, readRatings);
  if (ratings !== null && tellProblems(ratings.lines, context)) return ExitStatus.failed;
  const loadOf = loadFunction(flags, ratings?.ratings ?? null);
  const inputs = findInputs(args, flags);
  if (flags.rpe !== undefined && ratings !== null) checkRatings(flags.rpe, ratings.ratings, inputs, context);
  const selection = selectionOf({
    ...(flags.tz !== undefined && { tz: flags.tz }),
    ...(flags.serial !== undefined && { serial: flags.serial }),
  });
  const sessions: Session[] = [];
  const status = await runBatch<Session>(context, {
    inputs,
    json: false,
    async work(input, _, onProgress) {
      const { samples, repeated, inspection } = await readSamples(input, selection, signal, onProgress);
      // excludes rows that the tracker wrote before it received the date
      const { startMs } = mainInterval([{ samples }]);
      const dayOf = (ms: number) => new Date(ms + offsetIn(flags.tz, ms)).toISOString().slice(0, 10);
      const day = dayOf(startMs);
      const days = [...new Set(stretchesOf([{ samples }]).map((stretch) => dayOf(stretch.startMs)))];
      const spans = united(recordedSpans(samples));
      const { info, report } = inspection;
      const { serial } = info;
      const content = contentKey({ serial, samples });
      return {
        day,
        ...loadOf(samples, input),
        serial,
        report,
        repeated,
        content,
        spans,
        days,
        name: nameOf(input),
        player: null,
      };
    },
    async show(session) {
      const { name } = session;
      const original = originalOf(session, sessions);
      if (original === undefined) {
        for (const text of doubtsOf(session, sessions)) console.message(text);
        sessions.push(session);
      } else console.message(copyText(name, original.name));
      for (const line of notices(console, name, session.report, { repeated: session.repeated }))
        console.message(...line);
      if (flags.of?.startsWith("trimp") && (session.load === null || isIncomplete(session.hrShare ?? null)))
        console.message(
          `${name}: ${session.hrShare ? `a heart rate in only ${Math.floor(session.hrShare * 100)} % of the time` : "no heart rate"}, so the load of ${session.day} is ${session.load === null ? "unknown" : "too low"}`,
        );
      if (session.load === null && flags.of === "rpe")
        console.message(`${name}: no rating in ${flags.rpe}, so the load of ${session.day} is unknown`);
      if (session.tooFast !== null)
        console.message(`${name}: not in the load: ${session.tooFast} See --sport.`);
    },
    toJson: ({ day, load }) => ({ day, load }),
    statusOf: ({ report }) => statusOf(report),
  });
  for (const serial of [...new Set(sessions.map((session) => session.serial))].sort()) {
    const own = sessions.filter((session) => session.serial === serial);
    const days = loadOverDays(
      own.map(({ day, load }) => ({ day, load })),
      { ratio: flags.ratio === true },
    );
    await console.data(flags.json ? jsonText(serial, days) : daysText(serial, days, flags));
  }
  if (flags.json === true && flags.ratio === true && sessions.length > 0) console.message(RATIO_CAUTION);
  return status;
}

/**
 * Describes the problems of a recording that is not exactly one session, because it may be counted twice or on the wrong day.
 * @param others earlier sessions
 */
function doubtsOf(session: Session, others: readonly Session[]): string[] {
  const { name, day, days } = session;
  const other = simultaneousWith(session, others);
  return [
    other !== undefined && simultaneousText(name, other.name, "the load"),
    days.length > 1 && severalText(name, days, `all of them are included in the load of ${day}`),
  ].filter((text) => text !== false);
}

type LoadFunction = (samples: SampleBatch, input: Input) => Pick<Session, "load" | "hrShare" | "tooFast">;

/** The options that affect the load, for each definition of it. */
const OPTIONS_OF = {
  distance: ["sport"],
  "high-speed": ["sport"],
  "trimp-edwards": ["maxHr"],
  "trimp-banister": ["maxHr", "restHr", "sex"],
  "trimp-lucia": ["hrThresholds"],
  rpe: ["rpe"],
} as const satisfies Readonly<Record<NonNullable<LoadFlags["of"]>, readonly (keyof LoadFlags)[]>>;

function loadFunction(flags: LoadFlags, ratings: Ratings | null): LoadFunction {
  const { of = "distance", sport = "soccer", maxHr, restHr, hrThresholds, sex } = flags;
  const needed = <T>(value: T | undefined, option: string): T => {
    if (value === undefined) throw new UsageError(`--of ${of} needs ${option}.`);
    return value;
  };
  const used: readonly string[] = OPTIONS_OF[of];
  const unused = (["sport", "maxHr", "restHr", "hrThresholds", "sex", "rpe"] as const).filter(
    (name) => !used.includes(name),
  );
  refuseWithoutEffect(flags, unused, `has no effect on --of ${of}; omit it`);
  switch (of) {
    case "distance":
      return metersFunction(sport, ({ total_distance }) => total_distance);
    case "high-speed":
      return metersFunction(sport, ({ hid_distance }) => hid_distance.threshold_2);
    case "trimp-edwards":
      return trimpFunction({ method: "edwards", maxHr: needed(maxHr, "--max-hr") });
    case "trimp-banister":
      return trimpFunction({
        method: "banister",
        maxHr: needed(maxHr, "--max-hr"),
        restHr: needed(restHr, "--rest-hr"),
        sex: needed(sex, "--sex"),
      });
    case "trimp-lucia":
      return trimpFunction({ method: "lucia", thresholds: needed(hrThresholds, "--hr-thresholds") });
    case "rpe":
      return ratingFunction(needed(ratings ?? undefined, "--rpe"));
  }
}

const recordedMsOf = (samples: SampleBatch) => lengthOf(united(recordedSpans(samples)));

/** Computes the product of the rating and the recorded minutes; null if there is no rating. */
function ratingFunction(ratings: Ratings): LoadFunction {
  return (samples, input) => {
    const rating = ratingOf(ratings, input);
    const minutes = recordedMsOf(samples) / MINUTE_MS;
    return { load: rating === undefined ? null : rating * minutes, tooFast: null };
  };
}

function metersFunction(preset: PresetName, loadOf: (metrics: Metrics) => number | null): LoadFunction {
  return (samples) => {
    const metrics = computeMetrics(samples, { preset });
    return { load: loadOf(metrics), tooFast: tooFastText(metrics) };
  };
}

function trimpFunction(method: TrimpMethod): LoadFunction {
  // validates the heart rates before any file is read
  trimp([], method);
  // the heart rate of a row with an impossible speed is valid
  return (samples) => {
    const hrShare = heartRateShare({ recordings: [{ samples }] }, recordedMsOf(samples), null);
    return { load: hasLoad(hrShare) ? trimp(samples, method) : null, hrShare, tooFast: null };
  };
}

const jsonText = (serial: string, days: readonly DayLoad[]) =>
  days.map((day) => `${JSON.stringify({ serial, ...day })}\n`).join("");

/** Number of decimals of the columns: load, 7 and 28 days, week, monotony, strain, ratio. */
const DECIMALS = [1, 1, 1, 1, 2, 1, 2];
const figureText = (value: number | null, decimals: number): string => value?.toFixed(decimals) ?? "-";

function daysText(
  serial: string,
  days: readonly DayLoad[],
  { of = "distance", ratio = false }: LoadFlags,
): string {
  const headings = ["load", "7 days", "28 days", "week", "monotony", "strain", ...(ratio ? ["ratio"] : [])];
  const lines = days.map((day) => {
    const { load, acute, chronic, week_sum, monotony, strain } = day;
    const cells = [load, acute, chronic, week_sum, monotony, strain, ...(ratio ? [day.ratio ?? null] : [])];
    return `${day.day}${cells.map((cell, i) => figureText(cell, DECIMALS[i] ?? 1).padStart(11)).join("")}`;
  });
  const table = [`${"day".padEnd(10)}${headings.map((heading) => heading.padStart(11)).join("")}`, ...lines];
  const note = days.some(({ acute }) => acute === null) ? `  ${UNKNOWN_BEFORE}\n` : "";
  return `${serial}, ${of}\n${table.map((line) => `  ${line}\n`).join("")}${note}${ratio ? `  ${RATIO_CAUTION}\n` : ""}`;
}
