import type { Command } from "commander";
import { EXIT_STATUS, type Host } from "./common-options.js";

/** Defines `asi mcp`. */
export function addMcp(program: Command, { context, onStatus }: Host): void {
  program
    .command("mcp")
    .summary("serve recordings to assistants over the Model Context Protocol")
    .description(
      "Starts a Model Context Protocol server on standard input and output. It provides recordings, figures with definitions and quality, rows, squad tables, comparisons and recipes to the program that started it. It reads only files in the given folders, writes nothing, and uses no network.",
    )
    .argument("<folders...>", "folders with recordings, roster.csv and periods.csv")
    .addHelpText(
      "before",
      `Examples:
  asi mcp match/
  asi mcp season/ match/
`,
    )
    .addHelpText(
      "after",
      `
The configuration of a client names the command and the folders, for example
  {"mcpServers": {"asi": {"command": "asi", "args": ["mcp", "/home/club/season"]}}}
docs/mcp.md in the repository lists the tools. The server ends when its standard input ends.
${EXIT_STATUS}`,
    )
    .action(async (folders: string[]) => {
      const { mcp } = await import("../mcp/mcp.js");
      onStatus(await mcp(folders, context));
    });
}
