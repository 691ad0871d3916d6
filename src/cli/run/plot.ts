import { mkdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { computeMetrics, type Metrics } from "../../metrics/index.js";
import type { Repeated } from "../../metrics/samples.js";
import { count, tooFastText } from "../../pictures/figure-text.js";
import type { Session } from "../../pictures/session.js";
import type { PlotLine } from "../../pictures/terminal-plot.js";
import { unreachableText } from "../../pictures/unreachable-threshold.js";
import { rowsOfTime } from "../../rows/sample-batch.js";
import { mainInterval } from "../../squad/index.js";
import type { Report } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, nameOf } from "../batch/inputs.js";
import { isStandardOutput, refuseAsOutput, streamOf, writeOutput } from "../batch/output.js";
import { OutputReservations } from "../batch/output-reservations.js";
import type { Part } from "../terminal/console.js";
import { ExitStatus, isDamaged, statusOf } from "../terminal/exit-status.js";
import { offsetIn } from "../terminal/time-text.js";
import { refuseWithoutEffect, UsageError } from "../terminal/usage-error.js";
import { type ClubFlags, clubOf } from "./club.js";
import { type ReadSamples, readSamples, type SampleFlags, selectionOf } from "./read-samples.js";
import { damageText, notices } from "./report-text.js";
import { type Present, rosterFiles, tellAbsent } from "./squad-notices.js";
import { type MetricsFlags, metricsOptions } from "./stats.js";
import { figuresOf } from "./stats-input.js";

export interface PlotFlags extends MetricsFlags, SampleFlags, ClubFlags {
  output?: string;
  outDir?: string;
  force?: boolean;
}

interface Plotted {
  session: Session;
  player: string | null;
  report: Report;
  repeated: Repeated;
  path: string | null;
  outside: string | null;
  present: Present;
}

const PICTURES = [".svg", ".png"];
/** Number of PNG pixels per pixel of the picture. The value makes the PNG sharp on the screens of phones and laptops. */
const PNG_SCALE = 2;
const WIDTH_WITHOUT_TERMINAL = 80;

/** Runs `asi plot`, which draws speed and heart rate in the terminal, or writes a picture. */
export async function plot(args: string[], flags: PlotFlags, context: Context): Promise<ExitStatus> {
  const { console, signal } = context;
  const { output, outDir, force } = flags;
  const selection = selectionOf(flags);
  const options = metricsOptions(flags);
  // validates the parameters before any file is read
  computeMetrics([], options);
  const inputs = findInputs(args);
  const club = clubOf(flags, inputs, context);
  if (club === null) return ExitStatus.failed;
  checkOutput(flags, args, inputs);
  const reservations = new OutputReservations(inputs);
  let isFirst = true;
  const present: Present[] = [];
  const status = await runBatch<Plotted>(context, {
    inputs,
    json: false,
    async work(input, index, onProgress) {
      const read = await readSamples(input, selection, signal, onProgress);
      const { repeated, inspection } = read;
      const found = figuresOf(input, read, options, club);
      const { metrics, player, intervals, outside, present: one } = found;
      const drawn = drawnOf(read, metrics);
      const offsetMs = offsetIn(flags.tz, drawn.fromMs);
      const { info, report } = inspection;
      const damage = isDamaged(report)
        ? { text: damageText(report), afterMs: report.firstDamage?.afterMs ?? null }
        : null;
      const name = [shortName(input), player].filter((part) => part !== null).join(", ");
      const session = { name, info, ...drawn, metrics, damage, offsetMs, periods: intervals };
      const path = output ?? (outDir === undefined ? null : join(outDir, pictureName(input, info.serial)));
      if (path !== null) {
        const stream = streamOf(await pictureOf(session, extensionOf(path)));
        if (outDir !== undefined) mkdirSync(outDir, { recursive: true });
        const reserve = () => reservations.reserve(index, [path]);
        await writeOutput(stream, path, { force, signal, reserve });
      }
      return { session, player, report, repeated, path, outside, present: one };
    },
    onSettled: (index, isDone) => reservations.settle(index, isDone),
    refusalOf: (index) => reservations.refusalOf(index),
    async show({ session, player, report, repeated, path, outside, present: one }, input) {
      present.push(one);
      const name = nameOf(input);
      if (path !== null) {
        console.message(`${name} -> ${path}`);
      } else {
        const { terminalPlot } = await import("../../pictures/terminal-plot.js");
        const isColored = console.paintsData;
        if (!isFirst) await console.data("\n");
        isFirst = false;
        await console.data(
          `${[name, player, session.info.serial].filter((part) => part !== null).join(", ")}\n`,
        );
        const width = process.stdout.columns ?? WIDTH_WITHOUT_TERMINAL;
        for (const line of terminalPlot(session, width))
          await console.data(...partsOf(line, isColored), "\n");
      }
      for (const line of notices(console, name, report, { repeated, bounds: selection.bounds }))
        console.message(...line);
      for (const text of [outside, unreachableText(session.metrics)])
        if (text !== null) console.message(`${name}: ${text}`);
      if (session.notDrawn !== null) console.message(`${name}: not drawn: ${session.notDrawn}`);
      const tooFast = tooFastText(session.metrics);
      if (tooFast !== null) console.message(`${name}: not drawn: ${tooFast} See --sport.`);
    },
    toJson: () => ({}),
    statusOf: ({ report }) => statusOf(report),
  });
  tellAbsent(rosterFiles(flags.roster, club.roster), present, context);
  return status;
}

/**
 * Returns the rows that --from and --to select. By default, these are the rows of the session, because rows of another day would compress
 * the plot.
 */
function drawnOf(
  { samples, from, to }: ReadSamples,
  { first_timestamp, last_timestamp }: Metrics,
): Pick<Session, "samples" | "fromMs" | "toMs" | "notDrawn"> {
  const [firstMs, lastMs] = [first_timestamp ?? 0, last_timestamp ?? 0];
  const all = { samples, fromMs: firstMs, toMs: lastMs, notDrawn: null };
  if (from !== undefined || to !== undefined) return all;
  const { startMs, endMs } = mainInterval([{ samples }]);
  const own = rowsOfTime(samples, startMs, endMs);
  if (own === samples) return all;
  return {
    samples: own,
    fromMs: Math.max(firstMs, startMs),
    toMs: Math.min(lastMs, endMs - 1),
    notDrawn: `${count(samples.length - own.length, "row")} of another day, which are included in the figures; --from and --to select rows.`,
  };
}

// SGR parameters (ECMA-48)
const COLORS = { blue: 94, red: 91 } as const;

function partsOf({ label, drawing, color }: PlotLine, isColored: boolean): Part[] {
  if (color === null || !isColored) return [`${label}${drawing}`];
  return [label, { sequence: `\x1b[${COLORS[color]}m${drawing}\x1b[0m` }];
}

const extensionOf = (path: string) => extname(path).toLowerCase();

async function pictureOf(session: Session, extension: string): Promise<Uint8Array> {
  const { sessionPicture } = await import("../../pictures/session-picture.js");
  const picture = sessionPicture(session);
  if (extension === ".png") {
    const { toPixels } = await import("../../pictures/raster.js");
    const { toPng } = await import("../../pictures/png.js");
    return toPng(toPixels(picture, PNG_SCALE), PNG_SCALE);
  }
  const { toSvg } = await import("../../pictures/svg.js");
  return new TextEncoder().encode(toSvg(picture));
}

function shortName(input: Input): string {
  return input.name.split(/[\\/]/).at(-1) ?? input.name;
}

/** Returns the name of a picture: `match.svg` for `match.asi`; `SERIAL.svg` for standard input. */
function pictureName(input: Input, serial: string): string {
  const name = input.kind === "file" ? basename(input.path).replace(/\.gz$/i, "") : serial;
  return `${input.kind === "file" ? basename(name, extname(name)) : name}.svg`;
}

function checkOutput(flags: PlotFlags, args: readonly string[], inputs: readonly Input[]): void {
  const { output, outDir } = flags;
  if (output === undefined) {
    if (outDir === undefined) {
      const ofPictures = ["zones", "highSpeed", "sprint", "maxHr", "periods"] as const;
      refuseWithoutEffect(
        flags,
        ofPictures,
        "changes pictures, not the plot in the terminal; add -o or --out-dir",
      );
    }
    return;
  }
  if (outDir !== undefined) throw new UsageError("Give either -o or --out-dir.");
  if (isStandardOutput(output) || !PICTURES.includes(extensionOf(output))) {
    throw new UsageError(`-o names a picture; give a name that ends in ${PICTURES.join(" or ")}.`);
  }
  if (args.length > 1 || inputs.length > 1)
    throw new UsageError("-o names one picture, but there are several inputs; use --out-dir.");
  refuseAsOutput(output, inputs);
}
