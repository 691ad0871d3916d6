import { type Command, Option } from "commander";
import { collect, parseDate, parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host, withTimeZone } from "./common-options.js";

/** Defines `asi pull`. */
export function addPull(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("pull")
    .summary("get the samples of your devices from a service, one file per device and day")
    .description(
      "Gets the samples of all devices of an account from an asi-server: one file for each device and day, as Parquet by default. If the command runs again, it gets only days that are new or have changed.",
    )
    .argument("<address>", "the service, such as https://club.example")
    .requiredOption("-d, --out-dir <folder>", "write to this folder: serial=SERIAL/DATE.parquet", parsePath)
    .addOption(
      new Option("--format <name>", "parquet, csv or jsonl; default parquet").choices([
        "parquet",
        "csv",
        "jsonl",
      ]),
    )
    .option(
      "--device <device>",
      "only this device, by serial number or id; may be repeated; default: all",
      collect,
    )
    .option("--from <date>", "only this day and later ones, such as 2025-05-17", parseDate)
    .option("--to <date>", "only this day and earlier ones", parseDate);
  withTimeZone(command, "in which the days begin")
    .option("-f, --force", "download all days again, including unchanged ones")
    .option("--token-file <file>", "read the token from this file; default: from ASI_TOKEN", parsePath)
    .option("--sign-in", "sign in with your browser instead, here or on another device")
    .option("--allow-http", "send the token unencrypted with http://, in a network that you trust")
    .option("--json", "print a line of JSON for each written file to standard output")
    .addHelpText(
      "before",
      `Examples:
  asi pull https://club.example --out-dir data
  asi pull https://club.example --out-dir data --sign-in
  asi pull https://club.example --out-dir data --from 2025-05-01 --tz Europe/Zurich
  asi pull https://club.example --out-dir data --device ROVER-1 --device ROVER-2 --format csv
`,
    )
    .addHelpText(
      "after",
      `
The token is read from the environment variable ASI_TOKEN or a file, because other users of the machine can see the
options of a program. It is sent only to the given address, because redirects are not followed. With --sign-in, the
command prints an address and a code, and waits up to 10 minutes for you to approve the sign-in there. Its token can
only read samples, is kept in memory and expires after 10 hours.

A file gets its final name only when it is complete. After an interruption, run the command again to continue. It
skips a day if the ranges of its samples in the service (start, end, number) are those of its file. If samples of a
day were added or removed, it downloads the day again. It lists the files of days that no longer have samples in the
service, and keeps them. .asi-pull.json in the folder of each device describes the content of the files.
${EXIT_STATUS}`,
    )
    .action(async (address: string, flags) => {
      const { pull } = await import("../run/pull.js");
      onStatus(await pull(address, flags, context));
    });
}
