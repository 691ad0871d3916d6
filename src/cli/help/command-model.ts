import type { Command, Option } from "commander";

/** The definitions of the commands, in the form that completions and the manual page need. */
export interface ProgramModel {
  options: readonly OptionModel[];
  commands: readonly CommandModel[];
}

export interface CommandModel {
  name: string;
  summary: string;
  options: readonly OptionModel[];
  /** The kind of arguments: one of several words, or files. */
  operands: readonly string[] | "files";
}

export interface OptionModel {
  /** `-o` */
  short: string | null;
  /** `--output` */
  long: string;
  description: string;
  /** The description in the help, with choices and default value. */
  helpText: string;
  value: ValueKind;
  /** Name of the value in the help: `time` in `--from <time>`; null if there is none. */
  placeholder: string | null;
}

/** The kind of value of an option: none, one of several words, a file, a folder, or any text. */
export type ValueKind = "none" | readonly string[] | "file" | "folder" | "text";

export function modelOf(program: Command): ProgramModel {
  const commands = visibleCommands(program).map((command): CommandModel => {
    const [operand] = command.registeredArguments;
    return {
      name: command.name(),
      summary: command.summary() || command.description(),
      options: optionsOf(command),
      operands: operand?.argChoices ?? "files",
    };
  });
  const help: CommandModel = {
    name: "help",
    summary: "show the help of a command",
    options: [],
    operands: commands.map(({ name }) => name),
  };
  return { options: optionsOf(program), commands: [...commands, help] };
}

/** Returns the commands that the help lists, except `help` itself. */
export function visibleCommands(program: Command): readonly Command[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== "help");
}

function optionsOf(command: Command): OptionModel[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      short: option.short ?? null,
      long: option.long ?? "",
      description: option.description,
      helpText: optionDescription(option),
      value: valueKindOf(option),
      placeholder: /<(.+)>/.exec(option.flags)?.[1] ?? null,
    }));
}

function valueKindOf(option: Option): ValueKind {
  if (!option.required) return "none";
  if (option.argChoices !== undefined) return option.argChoices;
  if (option.flags.endsWith("<file>")) return "file";
  return option.flags.endsWith("<folder>") ? "folder" : "text";
}

/** Returns the description of an option, with its choices, unless it already contains them, and its default value. */
export function optionDescription({ description, argChoices = [], defaultValue }: Option): string {
  const words = new Set(description.split(/[^\w-]+/));
  const isListed = argChoices.every((choice) => words.has(choice));
  const more = [
    ...(isListed ? [] : [`choices: ${argChoices.join(", ")}`]),
    ...(defaultValue === undefined ? [] : [`default: ${String(defaultValue)}`]),
  ];
  return more.length === 0 ? description : `${description} (${more.join("; ")})`;
}
