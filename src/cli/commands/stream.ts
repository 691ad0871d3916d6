import { type Command, InvalidArgumentError } from "commander";
import { parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host } from "./common-options.js";

const MAX_SPEED = 1000;

function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (speed > 0 && speed <= MAX_SPEED) return speed;
  throw new InvalidArgumentError(`Give a speed up to ${MAX_SPEED}, such as 1 for real time or 10.`);
}

function parseRecording(text: string): string {
  if (/^[A-Za-z0-9._~-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError("Give up to 64 characters of A-Z, a-z, 0-9, and . _ ~ -.");
}

/** Defines `asi stream`. */
export function addStream(program: Command, { context, onStatus }: Host): void {
  program
    .command("stream")
    .summary("send a recording to a service while it is recorded")
    .description(
      "Sends a recording to an asi-server while it is recorded: from a device, standard input or a file. The service stores its samples twice a second. After a lost connection or a restart of the service, the command continues at the first byte that is not stored.",
    )
    .argument("<input>", "a device such as /dev/ttyACM0, a file, or - for standard input", parsePath)
    .requiredOption("--service <address>", "the service, such as https://club.example")
    .requiredOption("--device <serial>", "serial number of the device")
    .option(
      "--recording <name>",
      "name of the recording, up to 64 characters; default: from the beginning of the file, or the device and the current time",
      parseRecording,
    )
    .option("--replay [speed]", "send a file at the times of its rows; 10: ten times as fast", parseSpeed)
    .option("--token-file <file>", "read the token from this file; default: from ASI_TOKEN", parsePath)
    .option("--allow-http", "send the token unencrypted with http://, in a network that you trust")
    .option("--json", "print the stored state at the end as a line of JSON to standard output")
    .addHelpText(
      "before",
      `Examples:
  asi stream /dev/ttyACM0 --service https://club.example --device ROVER-1
  asi stream match.asi --service https://club.example --device ROVER-1 --replay 10
  cat match.asi | asi stream - --service https://club.example --device ROVER-1
`,
    )
    .addHelpText(
      "after",
      `
The token is read from the environment variable ASI_TOKEN or a file, because other users of the machine can see the
options of a program. A personal token needs the scope samples:write.

After a lost connection, the command retries every 0.5 to 30 s until it is interrupted. It buffers up to 64 MiB from a
device or standard input until the service has stored the data. Ctrl+C ends this recording after the buffered bytes
have been sent. For a file, run the command again to continue at the first byte that is not stored. Reading a device
begins in the middle of its stream, so the command adds a header with the serial number of --device; a serial port is
set to raw mode. If a recording is already stored completely, the command does not send it again.
${EXIT_STATUS}`,
    )
    .action(async (input: string, flags) => {
      const { stream } = await import("../run/stream.js");
      onStatus(await stream(input, flags, context));
    });
}
