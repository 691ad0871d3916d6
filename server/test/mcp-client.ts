import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect } from "vitest";
import type { TestService } from "./service.js";

/** Members of tool results that the tests read by name. */
interface Answer {
  error: { code: string; message: string };
  source: { url: string; version?: string };
  sources: unknown[];
  squads: unknown[];
  sessions: { notes: string }[];
  rows: { period: string | null; player: string; figures: { distance_m: number } }[];
  definitions: { name: string }[];
  parameters: unknown[];
  figures: { name: string; definition: string; values: number[]; differences: number[] }[];
  players: { player: string; entries?: unknown[] }[];
  devices: unknown[];
  total: number;
  next_page: number | null;
  ranges: { size: number }[];
  samples: { time: string }[];
  ends_early?: boolean;
  left_out?: unknown[];
  computing?: unknown[];
  samples_in_the_window: number;
  step_ms: number;
}

/** The result of a tool. */
interface Asked {
  isError: boolean;
  text: string;
  answer: Answer;
}

/** A client from the MCP SDK that sends the token of a caller. */
export class McpClient {
  readonly client = new Client({ name: "test", version: "1.0.0" });

  static async of(s: TestService, token: string): Promise<McpClient> {
    const assistant = new McpClient();
    const headers = { Authorization: `Bearer ${token}` };
    const url = new URL(`${s.service.url}/mcp`);
    await assistant.client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    // The client compares results with the schemas in this list.
    await assistant.client.listTools();
    return assistant;
  }

  async ask(name: string, given: Record<string, unknown> = {}): Promise<Asked> {
    const result = await this.client.callTool({ name, arguments: given });
    const [part] = result.content as { type: string; text: string }[];
    const text = part?.text ?? "";
    const answer: Answer = JSON.parse(text);
    if (result.isError !== true) expect(result.structuredContent).toEqual(answer);
    return { isError: result.isError === true, text, answer };
  }
}
