import type { Command } from "commander";
import { version } from "../../../package.json";
import { modelOf, type OptionModel, visibleCommands } from "./command-model.js";

/** Writes the manual page asi(1) from the help of the commands, in the man macros of roff. */
export function manPage(program: Command): string {
  const models = new Map(modelOf(program).commands.map((model) => [model.name, model]));
  const main = helpTexts(program);
  const commands = visibleCommands(program).map((command) => {
    const { examples, after } = helpTexts(command);
    const options = models.get(command.name())?.options ?? [];
    const operands = command.registeredArguments.map(
      (argument) => `.TP\n.I ${escaped(argument.name())}\n${escaped(argument.description)}\n`,
    );
    return [
      `.SS asi ${escaped(`${command.name()} ${command.usage()}`)}\n`,
      `${escaped(command.description())}\n`,
      ...operands,
      ...options.map(optionText),
      after === "" ? "" : `.PP\n${preformatted(after)}`,
      examples === "" ? "" : `.PP\nExamples:\n.PP\n${preformatted(examples)}`,
    ].join("");
  });
  return `.TH ASI 1 "" "asi-convert ${version}" "User Commands"
.SH NAME
asi \\- convert recordings of wearable trackers
.SH SYNOPSIS
.B asi
.I command
.RI [ options ]
.RI [ input " ...]"
.SH DESCRIPTION
${escaped(program.description())}
.SH COMMANDS
${commands.join("")}.SH "EXIT STATUS"
.TP
.B 0
success
.TP
.B 1
failure
.TP
.B 2
usage error
.TP
.B 3
success, but an input was damaged
.SH ENVIRONMENT
.TP
.B NO_COLOR
If set and not empty, messages have no colors unless
.B \\-\\-color always
is given.
.TP
.B ASI_TOKEN
The access token of
.B asi pull
for the service.
.TP
.B ASI_DEBUG
If set to 1, errors show where in the program they occurred.
.SH EXAMPLES
${preformatted(main.examples)}.SH "SEE ALSO"
README.md in the package asi\\-convert, and docs/recording\\-format.md in its repository
`;
}

/** Returns the examples, which precede the generated part of a help, and the details that follow it. */
function helpTexts(command: Command): { examples: string; after: string } {
  let text = "";
  const original = command.configureOutput();
  command.configureOutput({
    ...original,
    writeOut(piece) {
      text += piece;
    },
  });
  command.outputHelp();
  command.configureOutput(original);
  const [before = "", after = ""] = text.split(command.helpInformation());
  return {
    examples: before.replace(/^Examples:\n/, "").trimEnd(),
    after: after.replace(/\nExit status:[\s\S]*|\nDocumentation:[\s\S]*/, "").trim(),
  };
}

function optionText({ short, long, helpText, placeholder }: OptionModel): string {
  const names = [short, long].filter((name) => name !== null).map((name) => `\\fB${escaped(name)}\\fR`);
  const value = placeholder === null ? "" : ` \\fI${escaped(placeholder)}\\fR`;
  return `.TP\n${names.join(", ")}${value}\n${escaped(helpText)}\n`;
}

function preformatted(text: string): string {
  return `.nf\n${escaped(text)}\n.fi\n`;
}

// Escapes a text. At the start of a line, a dot or an apostrophe would be a request; a hyphen needs an escape so that it is copied as
// typed.
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("~", "\\(ti")
    .replaceAll("^", "\\(ha")
    .replaceAll("`", "\\(ga")
    .replace(/^([.'])/gm, "\\&$1")
    .replaceAll("'", "\\(aq");
}
