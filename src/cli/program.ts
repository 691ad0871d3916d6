import { writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Command, Option } from "commander";
import { version } from "../../package.json";
import type { Context } from "./batch/batch.js";
import { addBeats } from "./commands/beats.js";
import { EXIT_STATUS, type Host } from "./commands/common-options.js";
import { addCompletion } from "./commands/completion.js";
import { addConvert } from "./commands/convert.js";
import { addEcg } from "./commands/ecg.js";
import { addEncode } from "./commands/encode.js";
import { addInfo } from "./commands/info.js";
import { addLoad } from "./commands/load.js";
import { addMcp } from "./commands/mcp.js";
import { addPitch } from "./commands/pitch.js";
import { addPlot } from "./commands/plot.js";
import { addPull } from "./commands/pull.js";
import { addRanges } from "./commands/ranges.js";
import { addRecipes } from "./commands/recipes.js";
import { addRepair } from "./commands/repair.js";
import { addReport } from "./commands/report.js";
import { addSquad } from "./commands/squad.js";
import { addStats } from "./commands/stats.js";
import { addStream } from "./commands/stream.js";
import { addValidate } from "./commands/validate.js";
import { optionDescription } from "./help/command-model.js";
import { HOW_TO_GET_HELP, rewordError } from "./help/wrong-usage.js";
import { COLOR_MODES } from "./terminal/console.js";
import type { ExitStatus } from "./terminal/exit-status.js";
import { printable, printableLines } from "./terminal/printable.js";

/** Each command is defined in a file in commands/. */
const COMMANDS = [
  // in the order of the help
  addConvert,
  addInfo,
  addStats,
  addRecipes,
  addLoad,
  addSquad,
  addPitch,
  addPlot,
  addReport,
  addRanges,
  addValidate,
  addRepair,
  addBeats,
  addEcg,
  addEncode,
  addPull,
  addStream,
  addMcp,
  addCompletion,
];

/** Defines the commands and options of `asi`. The module of a command is loaded on demand. */
export function buildProgram(context: Context, onStatus: (status: ExitStatus) => void): Command {
  const program = new Command("asi")
    .description(
      "Converts recordings of wearable trackers (.asi, with GNSS and heart rate) to CSV, GPX and other formats.",
    )
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .configureHelp({ optionDescription })
    .helpCommand("help [command]", "show the help of a command")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => write(1, text),
      writeErr: (text) => write(2, text),
      outputError(text) {
        context.console.failure(
          context.console.paint("red", "asi:"),
          ` ${rewordError(text, firstOperand())}`,
        );
        context.console.failure(HOW_TO_GET_HELP);
      },
    })
    .hook("preAction", (_, command) => context.console.configure(command.opts()))
    .addHelpText(
      "before",
      `Examples:
  asi convert match.asi                   writes SERIAL_START_END.csv beside the recording
  asi convert recordings/ --out-dir csv   converts every .asi file in a folder and its subfolders
  asi info match.asi                      shows the content of a recording
  asi stats match.asi                     computes distance, speed zones, sprints and heart-rate zones
  asi plot match.asi                      draws speed and heart rate in the terminal
  asi validate *.asi                      exits with status 3 if one is damaged
  asi repair match.asi                    copies the valid frames to match.repaired.asi
  asi encode --demo -o demo.asi           generates a demo session
`,
    )
    .addHelpText("after", EXIT_STATUS)
    .addHelpText("afterAll", `\nDocumentation: ${DOCUMENTATION}`);
  const host: Host = { context, onStatus };
  for (const add of COMMANDS) add(program, host);
  for (const command of program.commands) addTerminalOptions(command);
  return program;
}

// The README of the installed package, beside dist/bin/.
const DOCUMENTATION = pathToFileURL(join(__dirname, "../../README.md")).href;

function addTerminalOptions(command: Command): void {
  command
    .option("-q, --quiet", "print no messages except errors")
    .addOption(
      new Option("--color <when>", "color messages; auto: on a terminal, unless NO_COLOR is set")
        .choices(COLOR_MODES)
        .default("auto"),
    );
}

function firstOperand(): string | undefined {
  return process.argv.slice(2).find((arg) => !arg.startsWith("-") && arg !== "help");
}

// Keeps quoted arguments on one line.
function withoutLineBreaks(text: string, args: readonly string[]): string {
  return args
    .filter((arg) => printable(arg) !== arg)
    .reduce((said, arg) => said.replaceAll(arg, printable(arg)), text);
}

function write(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, printableLines(withoutLineBreaks(text, process.argv.slice(2))));
  } catch {
    // without a reader there is nothing to print
  }
}
