import type { Command } from "commander";
import { EXIT_STATUS, type Host } from "./common-options.js";

/** `asi mcp` */
export function addMcp(program: Command, { context, onStatus }: Host): void {
  program
    .command("mcp")
    .summary("answer questions of an assistant about the recordings of folders (Model Context Protocol)")
    .description(
      "A server of the Model Context Protocol on standard input and output, for programs that start it: assistants ask for recordings, figures with their definitions and quality, rows, tables of squads, comparisons and recipes. It only reads, only in the given folders, and uses no network.",
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
docs/mcp.md lists the tools. The server ends when its standard input ends.
${EXIT_STATUS}`,
    )
    .action(async (folders: string[]) => {
      const { mcp } = await import("../mcp/mcp.js");
      onStatus(await mcp(folders, context));
    });
}
