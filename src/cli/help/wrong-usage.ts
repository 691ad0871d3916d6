import { existsSync } from "node:fs";
import type { Command } from "commander";

// Usage errors of commander, reworded in the style of the command.

export const HOW_TO_GET_HELP = "asi --help and asi COMMAND --help describe the usage.";

/**
 * Rewords an error from commander, such as `error: unknown option '--ouput'\n(Did you mean --output?)`, to `Unknown option --ouput. Did you
 * mean --output?`
 *
 * @param operand the first argument, which may be a file where a command was expected
 */
export function rewordError(text: string, operand: string | undefined): string {
  const [said = "", suggestion = ""] = text
    .trim()
    .replace(/^error: /, "")
    .split(/\n\((?=Did you mean)|\n/);
  const unquoted = said.replace(
    /^option '([^']*)' argument missing/,
    (_, option: string) => `${longName(option)} requires a value`,
  );
  const argument =
    /^command-argument value '(?<value>.*)' is invalid for argument '(?<name>.*)'\. (?<advice>.*)$/s.exec(
      said,
    );
  if (argument?.groups !== undefined) {
    const { name = "", value = "", advice = "" } = argument.groups;
    return `${capitalized(name)} is ${JSON.stringify(value)}. ${advice}`;
  }
  const value = /^option '(?<option>[^']*)' argument '(?<value>.*)' is invalid\. (?<advice>.*)$/s.exec(
    unquoted,
  );
  const { option = "", value: given = "", advice = "" } = value?.groups ?? {};
  const sentence =
    value === null
      ? capitalized(unquoted.replaceAll(/'([^' ]*)'/g, "$1"))
      : `${longName(option)} is ${JSON.stringify(given)}. ${advice}`;
  const proposal =
    said.startsWith("unknown command") && operand !== undefined && isFileLike(operand)
      ? `Did you mean asi convert ${operand}?`
      : suggestion.replace(/\)$/, "");
  return `${ended(sentence)}${proposal === "" ? "" : ` ${proposal}`}`;
}

/** Returns the arguments. For `asi help` with an unknown command, returns others that make the error name the command. */
export function withKnownCommand(args: readonly string[], program: Command): readonly string[] {
  const [help, name] = args;
  if (help !== "help" || name === undefined || name === "help" || name.startsWith("-")) return args;
  return program.commands.some((command) => command.name() === name) ? args : [name];
}

function isFileLike(operand: string): boolean {
  return /\.(?:asi|ubx)(?:\.gz)?$/i.test(operand) || existsSync(operand);
}

// Returns the long name: `--output` for `-o, --output <file>`.
function longName(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function ended(sentence: string): string {
  return /[.?!)]$/.test(sentence) ? sentence : `${sentence}.`;
}
