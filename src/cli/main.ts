import { CommanderError } from "commander";
import { AsiError } from "../errors.js";
import { HOW_TO_GET_HELP, withKnownCommand } from "./help/wrong-usage.js";
import { buildProgram } from "./program.js";
import { Console } from "./terminal/console.js";
import { ExitStatus } from "./terminal/exit-status.js";
import { untilInterrupted } from "./terminal/interruption.js";
import { failureOf, placeOf, systemCode } from "./terminal/problem.js";
import { UsageError } from "./terminal/usage-error.js";

/**
 * Runs the command `asi`.
 *
 * @param args arguments after the command name
 * @returns the exit status
 */
export function main(args: readonly string[]): Promise<ExitStatus> {
  return untilInterrupted(async (signal) => {
    const console = new Console(signal);
    let status: ExitStatus = ExitStatus.done;
    const command = buildProgram({ console, signal }, (result) => {
      status = result;
    });
    try {
      await command.parseAsync(withKnownCommand(args, command), { from: "user" });
      return status;
    } catch (error) {
      if (signal.aborted) return ExitStatus.failed;
      return tell(console, error);
    }
  });
}

function tell(console: Console, error: unknown): ExitStatus {
  if (process.env.ASI_DEBUG === "1" && error instanceof Error) console.trace(error);
  // commander has already printed it
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitStatus.done : ExitStatus.wrongUsage;
  // the reader of the output has closed it
  if (systemCode(error) === "EPIPE") return ExitStatus.done;
  const problem = failureOf(error).error;
  if (error instanceof UsageError || (error instanceof AsiError && error.code === "BAD_OPTION")) {
    const message = error instanceof UsageError ? error.message : problem.message;
    console.failure(console.paint("red", "asi:"), ` ${message}`);
    console.failure(HOW_TO_GET_HELP);
    return ExitStatus.wrongUsage;
  }
  console.failure(console.paint("red", "asi:"), ` ${problem.message} ${placeOf(problem)}`);
  return ExitStatus.failed;
}
