import { basename } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished } from "vitest";
import { ASI } from "./asi-process.js";
import { folderOfTraining } from "./training-folder.js";

type Answer = Record<string, unknown> & {
  figures: { name: string; value: number | null; unit: string; definition: string }[];
};

interface Asked {
  isError: boolean;
  answer: Answer;
  error: { code: string; message: string };
}

/** A running `asi mcp` and its client. */
export class Assistant {
  readonly client = new Client({ name: "test", version: "1.0.0" });

  static async start(cwd: string, folders: readonly string[]): Promise<Assistant> {
    const assistant = new Assistant();
    const args = [ASI, "mcp", ...folders];
    onTestFinished(() => assistant.client.close());
    await assistant.client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "ignore" }),
    );
    return assistant;
  }

  async ask(name: string, given: Record<string, unknown> = {}): Promise<Asked> {
    const result = await this.client.callTool({ name, arguments: given });
    const [part] = result.content as { type: string; text: string }[];
    const told = JSON.parse(part?.text ?? "null");
    if (result.isError !== true) expect(result.structuredContent).toEqual(told);
    return { isError: result.isError === true, answer: told as Answer, error: told.error };
  }
}

/** Creates a folder with ten minutes of three players, and starts a client that asks about it. */
export async function training(): Promise<{ folder: string; name: string; assistant: Assistant }> {
  const folder = await folderOfTraining([3, 4, 8], {
    roster: ["player;serial;max_hr", "Müller;TRK-1;190", "Kunz;TRK-2;191", "Vogel;TRK-3;192"],
    periods: ["period;start;end", "Drill;12:30;12:35"],
  });
  return { folder, name: basename(folder), assistant: await Assistant.start(folder, [folder]) };
}
