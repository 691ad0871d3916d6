import { type Command, Option } from "commander";
import { parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUT, withSerial } from "./common-options.js";

/** Defines `asi ecg`. */
export function addEcg(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("ecg")
    .summary("write the ECG waveform")
    .description(
      "Writes the ECG waveform of a recording. CSV and JSON lines have one sample a line: timestamp (s since 1970 UTC) and sample (in units of the device). Parquet has the same columns, with times of the type TIMESTAMP. EDF+ is a format for biosignal viewers; a new record starts after each gap, and times are in UTC.",
    )
    .argument("<input>", INPUT)
    .option("-o, --output <file>", "name of the output file; default: standard output", parsePath)
    .option("-f, --force", "overwrite an existing file")
    .addOption(
      new Option(
        "--format <name>",
        "csv, jsonl, parquet or edf; default: by the extension of -o, otherwise csv",
      )
        .choices(["csv", "jsonl", "parquet", "edf"])
        // checked later, together with the extension of -o
        .argParser((text) => text.toLowerCase()),
    );
  withSerial(command)
    .addHelpText(
      "before",
      "Examples:\n  asi ecg match.asi -o ecg.csv\n  asi ecg match.asi -o ecg.parquet\n  asi ecg match.asi -o ecg.edf\n  asi ecg match.asi | head\n",
    )
    .addHelpText("after", EXIT_STATUS)
    .action(async (input: string, flags) => {
      const { ecg } = await import("../run/ecg.js");
      onStatus(await ecg(input, flags, context));
    });
}
