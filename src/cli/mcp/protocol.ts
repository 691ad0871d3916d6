import { isRecord } from "../../arguments.js";
import { printableJson } from "../terminal/printable.js";
import { failureOf, type Problem } from "../terminal/problem.js";
import { UsageError } from "../terminal/usage-error.js";
import type { Folders } from "./folders.js";
import { checked } from "./schema.js";
import type { Tool } from "./tool.js";

// Implements JSON-RPC 2.0 as the Model Context Protocol uses it, with one message per line, for a server that only has tools. The SDK
// of the protocol would add 40 kB to the package, so only the tests use it, as their client.

/** Versions of the protocol, newest first. For tools, they differ only in optional members. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** The name and version of a server. */
interface Identity {
  name: string;
  title: string;
  version: string;
  instructions: string;
}

type Id = string | number;

/** A message with a valid envelope, which may be a request. */
interface Message {
  id?: Id | null;
  method: string;
  params: Record<string, unknown>;
}

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Handles the messages of a client. Calls of tools run one after the other, so that only one recording is in memory. */
export class Protocol {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #folders: Folders;
  readonly #identity: Identity;
  readonly #signal: AbortSignal;
  readonly #running = new Map<Id, AbortController>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(tools: readonly Tool[], folders: Folders, identity: Identity, signal: AbortSignal) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#folders = folders;
    this.#identity = identity;
    this.#signal = signal;
  }

  /**
   * Answers a message.
   *
   * @param line the message
   * @returns the line of the response; null for notifications, responses and cancelled calls
   */
  async answer(line: string): Promise<string | null> {
    let id: Id | null = null;
    try {
      const message = messageOf(line);
      if (message === null) return null;
      if (message.id === undefined || message.id === null) {
        this.#noted(message);
        return null;
      }
      id = message.id;
      const result = await this.#resultOf(id, message);
      return result === null ? null : printableJson({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message } = error;
      return printableJson({ jsonrpc: "2.0", id, error: { code, message } });
    }
  }

  #noted({ method, params }: Message): void {
    if (method === "notifications/cancelled") this.#running.get(params.requestId as Id)?.abort();
  }

  async #resultOf(id: Id, { method, params }: Message): Promise<object | null> {
    switch (method) {
      case "initialize":
        return this.#greeting(params.protocolVersion);
      case "ping":
        return {};
      case "tools/list":
        return { tools: [...this.#tools.values()].map(described) };
      case "tools/call":
        return this.#called(id, params);
      default:
        throw new RpcError(METHOD_NOT_FOUND, `There is no method ${method.slice(0, 100)}.`);
    }
  }

  #greeting(wanted: unknown): object {
    const { name, title, version, instructions } = this.#identity;
    return {
      protocolVersion: VERSIONS.find((one) => one === wanted) ?? VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name, title, version },
      instructions,
    };
  }

  async #called(id: Id, { name, arguments: given }: Record<string, unknown>): Promise<object | null> {
    const tool = typeof name === "string" ? this.#tools.get(name) : undefined;
    if (tool === undefined)
      throw new RpcError(
        INVALID_PARAMS,
        `There is no tool ${String(name).slice(0, 100)}; tools/list returns all tools.`,
      );
    const controller = new AbortController();
    const stop = () => controller.abort();
    this.#signal.addEventListener("abort", stop);
    this.#running.set(id, controller);
    const { signal } = controller;
    const work = this.#last.then(async () => {
      signal.throwIfAborted();
      return tool.answer(checked(tool.inputSchema, given), { folders: this.#folders, signal });
    });
    this.#last = work.catch(() => undefined);
    try {
      return answered(await work);
    } catch (error) {
      return signal.aborted ? null : this.#refused(error);
    } finally {
      this.#running.delete(id);
      this.#signal.removeEventListener("abort", stop);
    }
  }

  #refused(error: unknown): object {
    const problem: Problem =
      error instanceof UsageError ? { code: "BAD_OPTION", message: error.message } : failureOf(error).error;
    const told = { error: { ...problem, message: this.#folders.shown(problem.message) } };
    // without structured content, because clients would compare it with the output schema
    return { content: textOf(told), isError: true };
  }
}

const textOf = (content: object) => [{ type: "text", text: printableJson(content) }];

/** Returns structured content, and the same content as text for clients of older versions. */
const answered = (content: Record<string, unknown>) => ({
  content: textOf(content),
  structuredContent: content,
});

const described = ({ name, title, description, inputSchema, output }: Tool) => ({
  name,
  title,
  description,
  inputSchema,
  outputSchema: {
    type: "object",
    properties: Object.fromEntries(Object.entries(output).map(([key, type]) => [key, { type }])),
    required: Object.keys(output),
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
});

/** Parses a message. Returns null for a response, because the server sends no requests. */
function messageOf(line: string): Message | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RpcError(PARSE_ERROR, "The line is not JSON.");
  }
  if (!isRecord(value) || value.jsonrpc !== "2.0")
    throw new RpcError(INVALID_REQUEST, 'A message is an object with "jsonrpc": "2.0".');
  const { id, method, params = {} } = value;
  if (method === undefined && ("result" in value || "error" in value)) return null;
  if (typeof method !== "string" || !isRecord(params) || !isId(id))
    throw new RpcError(
      INVALID_REQUEST,
      "A request must have a method, an id that is a string or a number, and params that are an object.",
    );
  return { ...(id !== undefined && { id }), method, params };
}

const isId = (id: unknown): id is Id | null | undefined =>
  id === undefined || id === null || typeof id === "string" || typeof id === "number";
