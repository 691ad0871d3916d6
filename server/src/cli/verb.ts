import { type Command, CommanderError, Option } from "commander";
import type { CommandName } from "../operator/commands.js";
import { confirm, NotConfirmed } from "./confirm.js";
import { bodyOf, jsonPrinter, LINE_FORMATS, linePrinter, print, reasonOf, tablePrinter } from "./print.js";
import { run, runList } from "./run.js";

/** Exit statuses for a refused or failed command, and for wrong usage. */
const FAILED = 1;
export const WRONG_USE = 2;

/** A command of the operator. */
export interface Verb {
  /** Name and argument, such as `account show <username>`. */
  signature: CommandName | `${CommandName} <${string}>`;
  about: string;
  /** Arguments in the example of the help. */
  example?: string;
  /** Confirmation question of an irreversible command about its first argument. */
  question?: (subject: string) => string;
  /** Help text of `--yes` for commands that first print their effect. */
  yes?: string;
}

/** Creates the option `--yes` for commands without a question, because a script may append it to every command. */
export const yesOption = (): Option => new Option("--yes", "accepted by every command").hideHelp();

type Options = Record<string, string | boolean | undefined>;

/** Returns the options and arguments of a command by name. */
const argumentsOf = (command: Command, options: Options) => ({
  ...options,
  ...Object.fromEntries(
    command.registeredArguments.map((argument, index) => [camel(argument.name()), command.args[index]]),
  ),
});

const nameOf = ({ signature }: Verb) => signature.replace(/ <.*$/, "") as CommandName;

/** @param parent command whose name is the first word of the signature */
function described(parent: Command, spec: Verb): Command {
  const { signature, about, example, question } = spec;
  const yes =
    spec.yes ??
    (question === undefined ? undefined : "do not ask for confirmation; the command cannot be undone");
  return parent
    .command(signature.slice(signature.indexOf(" ") + 1))
    .description(about)
    .option("--json", "print JSON")
    .addOption(yes === undefined ? yesOption() : new Option("--yes", yes))
    .addHelpText(
      "after",
      `\nExample:\n  asi-server ${nameOf(spec)}${example === undefined ? "" : ` ${example}`}`,
    );
}

/** Adds a command with one result. */
export function verb(parent: Command, spec: Verb): Command {
  const { question } = spec;
  return described(parent, spec).action(
    guarded(async function (this: Command) {
      const { json, ...options } = this.opts<Options>();
      // A reversible command needs no confirmation.
      if (question !== undefined && !options.yes && !options.undo)
        await confirm(question(this.args[0] ?? ""));
      print(await run(nameOf(spec), argumentsOf(this, options)), json === true);
    }),
  );
}

/** Adds a list command. */
export function list(parent: Command, spec: Verb): Command {
  return described(parent, spec)
    .option("--limit <n>", "maximum number of entries; default: all")
    .action(
      guarded(async function (this: Command) {
        const { json, limit, ...options } = this.opts<Options>();
        if (limit !== undefined && !/^[1-9]\d{0,14}$/.test(String(limit))) {
          this.error("error: option '--limit <n>': expected a whole number from 1");
        }
        let left = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
        const printer = json ? jsonPrinter() : tablePrinter();
        await runList(nameOf(spec), argumentsOf(this, options), async (items) => {
          await printer.part(items.slice(0, left));
          left -= items.length;
          return left > 0;
        });
        await printer.end();
      }),
    );
}

/** Adds a command that writes any number of items to the standard output, one per line. */
export function lines(parent: Command, spec: Verb, columns: readonly string[]): Command {
  return described(parent, spec)
    .addOption(new Option("--format <format>", "output format").choices(LINE_FORMATS).default("jsonl"))
    .action(
      guarded(async function (this: Command) {
        const { json: _, format, ...options } = this.opts<Options>();
        const printer = linePrinter(format === "csv" ? "csv" : "jsonl", columns);
        await runList(nameOf(spec), argumentsOf(this, options), async (items) => {
          await printer.part(items);
          return true;
        });
        await printer.end();
      }),
    );
}

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Prints an error as text if the operator can correct it, and sets the exit status. */
export function guarded<Args extends unknown[]>(action: (this: Command, ...args: Args) => Promise<void>) {
  return async function (this: Command, ...args: Args): Promise<void> {
    try {
      await action.apply(this, args);
    } catch (error) {
      if (error instanceof CommanderError) throw error;
      const { json } = this.opts<{ json?: boolean }>();
      console.error(json ? JSON.stringify(bodyOf(error)) : reasonOf(error));
      process.exitCode = error instanceof NotConfirmed && !process.stdin.isTTY ? WRONG_USE : FAILED;
    }
  };
}
