import { type Command, Option } from "commander";
import { parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUT, withSerial } from "./common-options.js";

/** Defines `asi beats`. */
export function addBeats(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("beats")
    .summary("list the heart beats in the ECG waveform")
    .description(
      "Finds the heart beats in the ECG waveform of a recording, or reads the RR intervals of a FIT file. Writes a line for each beat: timestamp (s since 1970 UTC), rr (time since the previous beat, s; empty after a gap or a pause) and quality (0 to 100: clarity of the beat; empty for a FIT file).",
    )
    .argument("<input>", INPUT)
    .option("-o, --output <file>", "name of the output file; default: standard output", parsePath)
    .option("-f, --force", "overwrite an existing file")
    .option("--with-speed", "add the speed at each beat, m/s; empty where the rows are more than 1 s apart")
    .option(
      "--artefacts",
      "add the kind of artefact that asi stats --hrv corrects: ectopic, extra, missed, long or short; empty for valid intervals",
    )
    .addOption(
      new Option("--format <name>", "csv or jsonl; default: by the extension of -o, otherwise csv")
        .choices(["csv", "jsonl"])
        // checked later, together with the extension of -o
        .argParser((text) => text.toLowerCase()),
    );
  withSerial(command)
    .addHelpText(
      "before",
      "Examples:\n  asi beats match.asi\n  asi beats match.asi -o beats.csv --with-speed\n  asi beats run.fit --artefacts\n  asi beats match.asi --format jsonl | head\n",
    )
    .addHelpText("after", EXIT_STATUS)
    .action(async (input: string, flags) => {
      const { beats } = await import("../run/beats.js");
      onStatus(await beats(input, flags, context));
    });
}
