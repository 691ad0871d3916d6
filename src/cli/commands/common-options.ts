import { type Command, Option } from "commander";
import { parseTimeZone } from "../arguments/time-bounds.js";
import { wholeNumber } from "../arguments/values.js";
import type { Context } from "../batch/batch.js";
import type { ExitStatus } from "../terminal/exit-status.js";

/** The environment of the command definitions. */
export interface Host {
  context: Context;
  /** Called with the exit status when the command has ended. */
  onStatus(status: ExitStatus): void;
}

export const EXIT_STATUS = `
Exit status: 0 success, 1 failure, 2 usage error, 3 success but an input was damaged.
If there are several inputs, an error in one of them does not stop the others.`;

export const INPUTS =
  'files, folders (the *.asi and *.asi.gz files in them and in their subfolders; with --serial also *.ubx), patterns ("**/*.asi"), or - for standard input';

export const withSerial = (command: Command) =>
  command.option(
    "--serial <number>",
    "use this serial number instead of the recording's own; also allows reading plain u-blox logs",
  );

export const withTimeZone = (command: Command, purpose: string) =>
  command.option(
    "--tz <zone>",
    `time zone ${purpose}: Europe/Zurich, UTC or local; default UTC`,
    parseTimeZone,
  );

export const withJson = (command: Command) =>
  command.option("--json", "print the result of each input as a line of JSON to standard output");

export const withJobs = (command: Command, toDo: string) =>
  command.option(
    "-j, --jobs <n>",
    `number of files to ${toDo} at once, each in a thread; default the number of cores, or fewer for small inputs`,
    wholeNumber(1, 64),
  );

export const withHr = (command: Command) =>
  command.addOption(
    new Option(
      "--hr <source>",
      "heart rates: device (as recorded), ecg (derived from the ECG waveform), or auto (derived until the device records a heart rate; default)",
    ).choices(["auto", "device", "ecg"]),
  );

export const INPUT = "a recording, or - for standard input";
