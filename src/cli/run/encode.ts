import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { WrittenFile } from "../../files/output-file.js";
import { csvFileName } from "../../reading/file-name.js";
import { DEMO_PERIOD_MS, demoRows } from "../../recording/demo.js";
import { encode as encodeRecording, LATEST_MS } from "../../recording/encode.js";
import { type RecordingHeader, writeHeader } from "../../recording/header.js";
import { checkLayout } from "../../rows/csv-layout.js";
import type { TrackSummary } from "../../tracks/decode-track.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, nameOf, openInput } from "../batch/inputs.js";
import { isStandardOutput, refuseAsRecording, writeOutput } from "../batch/output.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { UsageError } from "../terminal/usage-error.js";
import { damagedTrack, type EncodedInput, encodeInput, trackText } from "./encode-input.js";

export interface EncodeFlags {
  output?: string;
  force?: boolean;
  serial?: string;
  deviceName?: string;
  deviceType?: string;
  firmware?: string;
  period?: number;
  delimiter?: string;
  tz?: string;
  demo?: boolean;
  /** Number of players. */
  squad?: number;
  seed?: number;
  start?: number;
  duration?: number;
  json?: boolean;
}

const DEMO_SERIAL = "DEMO-0001";
const DEMO_START_MS = Date.UTC(2025, 4, 17, 14, 30);
const DEMO_DURATION_MS = 20 * 60_000;

interface Work {
  header: RecordingHeader;
  output: string;
  recording(onProgress: (bytesRead: number) => void): Promise<EncodedInput> | EncodedInput;
}

interface Encoded {
  /** Null if the output is the standard output. */
  file: WrittenFile | null;
  /** Null if the input is not a track. */
  track: TrackSummary | null;
}

/** Runs `asi encode`, which converts a CSV, a track of another device, or a generated session to a recording. */
export async function encode(
  csv: string | undefined,
  flags: EncodeFlags,
  context: Context,
): Promise<ExitStatus> {
  const { console, signal } = context;
  checkFlags(csv, flags);
  if (flags.squad !== undefined)
    return (await import("./encode-squad.js")).encodeSquad(flags.squad, flags, context);
  const input = csv === undefined ? DEMO : onlyInput(csv);
  const { header, output, recording } = csv === undefined ? demoWork(flags) : csvWork(input, flags);
  // reports invalid header texts as usage errors before the input is read
  writeHeader(header);
  refuseAsRecording(output, [input]);
  return runBatch(context, {
    inputs: [input],
    json: flags.json === true,
    async work(_, __, onProgress): Promise<Encoded> {
      const { stream, summary } = await recording(onProgress);
      const file = await writeOutput(stream, output, { force: flags.force, signal });
      return { file, track: summary === null ? null : await summary() };
    },
    async show({ file, track }) {
      if (file !== null) console.message(`${nameOf(input)}: ${file.bytes} bytes -> ${file.path}`);
      if (track === null) return;
      console.message(`${nameOf(input)}: ${trackText(track)}`);
      if (track.damage !== null)
        console.message(`${nameOf(input)}: `, ...damagedTrack(console, track.damage));
    },
    toJson: ({ file, track }) => ({
      files: file === null ? [] : [file],
      header,
      ...(track === null ? {} : { track }),
    }),
    statusOf: ({ track }) => (track?.damage == null ? ExitStatus.done : ExitStatus.doneWithDamage),
  });
}

// Returns the input of `encode`. The argument has the same forms as for other commands, but must name exactly one file.
function onlyInput(csv: string): Input {
  if (csv !== "-" && statSync(csv, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UsageError(
      `A recording is written from one file, but ${csv} is a folder; encode its files one by one.`,
    );
  }
  const [input, ...others] = findInputs([csv]);
  if (input === undefined || others.length > 0) {
    throw new UsageError(
      `A recording is written from one file, but ${csv} names several; encode them one by one.`,
    );
  }
  return input;
}

// the name that messages show
const DEMO: Input = { kind: "missing", name: "demo", error: null };

function checkFlags(csv: string | undefined, flags: EncodeFlags): void {
  const isDemo = flags.demo === true;
  if (isDemo && csv !== undefined) throw new UsageError("--demo generates the rows; omit the file.");
  if (!isDemo && csv === undefined)
    throw new UsageError("Name a CSV or a track, use - for standard input, or use --demo.");
  const demoOnly = (["squad", "seed", "start", "duration"] as const).find(
    (flag) => flags[flag] !== undefined,
  );
  if (!isDemo && demoOnly !== undefined) throw new UsageError(`--${demoOnly} requires --demo.`);
  const ofOne = (["serial", "duration", "period", "json"] as const).find((flag) => flags[flag] !== undefined);
  if (flags.squad !== undefined && ofOne !== undefined) {
    throw new UsageError(`--${ofOne} applies only to one recording, not to a squad.`);
  }
  const ofCsv = (["delimiter", "tz"] as const).find((flag) => flags[flag] !== undefined);
  if (isDemo && ofCsv !== undefined) throw new UsageError(`--${ofCsv} applies only to CSV.`);
  if (flags.json === true && isStandardOutput(flags.output)) {
    throw new UsageError("--json and the recording cannot both go to standard output; name a file with -o.");
  }
}

function headerOf(flags: EncodeFlags, serial: string, deviceName?: string): RecordingHeader {
  return {
    serial,
    deviceName: flags.deviceName ?? deviceName,
    deviceType: flags.deviceType,
    firmwareVersion: flags.firmware,
    periodMs: flags.period,
  };
}

function demoWork(flags: EncodeFlags): Work {
  const header = headerOf(flags, flags.serial ?? DEMO_SERIAL, "Demonstration");
  const startMs = flags.start ?? DEMO_START_MS;
  const durationMs = flags.duration ?? DEMO_DURATION_MS;
  const endMs = startMs + Math.floor(durationMs / DEMO_PERIOD_MS) * DEMO_PERIOD_MS;
  if (startMs < 0 || endMs > LATEST_MS) {
    throw new UsageError(
      "A session must be between the years 1970 and 9999; use another --start or --duration.",
    );
  }
  return {
    header,
    output: flags.output ?? csvFileName(header.serial, startMs, endMs).replace(/csv$/, "asi"),
    recording: () => ({
      stream: encodeRecording(demoRows({ seed: flags.seed, startMs, durationMs }), header),
      summary: null,
    }),
  };
}

function csvWork(input: Input, flags: EncodeFlags): Work {
  const { delimiter, tz: timeZone } = flags;
  checkLayout({ delimiter });
  const file = input.kind === "file" ? input.path : null;
  const serial = flags.serial ?? serialInName(file ?? "");
  if (serial === null) {
    throw new UsageError(
      "Give the serial number of the device with --serial; the file name does not contain it.",
    );
  }
  const header = headerOf(flags, serial);
  const path =
    file === null
      ? `${serial}.asi`
      : join(dirname(file), `${basename(file).replace(/\.(?:[ct]sv|fit|gpx|tcx)(?:\.gz)?$/i, "")}.asi`);
  return {
    header,
    output: flags.output ?? path,
    recording: (onProgress) => encodeInput(openInput(input, onProgress), header, { delimiter, timeZone }),
  };
}

// Returns the serial number in a name such as `{serial}_{start}_{end}.csv`. Serial numbers may contain underscores.
function serialInName(path: string): string | null {
  return (
    /^(.+)_-?\d{8}T\d{6}_-?\d{8}T\d{6}(?:_\d+)?\.(?:[ct]sv|fit|gpx|tcx)(?:\.gz)?$/i.exec(
      basename(path),
    )?.[1] ?? null
  );
}
