import { Argument, type Command } from "commander";
import { SHELLS, type Shell } from "../help/completion.js";
import type { Host } from "./common-options.js";

/** Defines `asi completion`. */
export function addCompletion(program: Command, { context: { console } }: Host): void {
  program
    .command("completion")
    .summary("print a script that completes commands and options in a shell")
    .description(
      "Prints a script for bash, zsh or fish. Once the shell has read it, the Tab key completes commands, options, their values, and files.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "before",
      `Examples:
  asi completion bash > ~/.local/share/bash-completion/completions/asi
  asi completion zsh > ~/.zfunc/_asi       if ~/.zfunc is in $fpath
  asi completion fish > ~/.config/fish/completions/asi.fish
  source <(asi completion bash)            for the current shell
`,
    )
    .action(async (shell: Shell) => {
      const { modelOf } = await import("../help/command-model.js");
      const { completionScript } = await import("../help/completion.js");
      await console.data(completionScript(shell, modelOf(program)));
    });
  // for the build, which generates asi.1
  program.command("man-page", { hidden: true }).action(async () => {
    const { manPage } = await import("../help/man-page.js");
    await console.data(manPage(program));
  });
}
