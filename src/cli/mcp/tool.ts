import type { Context } from "../batch/batch.js";
import { CapturedConsole } from "./captured-console.js";
import type { Folders } from "./folders.js";
import type { Given, InputSchema } from "./schema.js";

/** The environment of a call. */
export interface Surroundings {
  folders: Folders;
  signal: AbortSignal;
}

/** A tool with its arguments and its result. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: InputSchema;
  /** Members that every answer contains, with their types. */
  output: Readonly<Record<string, "array" | "object" | "string" | "number" | "integer">>;
  /** @throws the errors of the commands, and DescribedError */
  answer(given: Given, surroundings: Surroundings): Promise<Record<string, unknown>>;
}

/** The captured output of a command. */
export interface Captured {
  objects: unknown[];
  messages: string[];
}

/** Runs the function of a command, and returns its output instead of printing it. */
export async function captured(
  { folders, signal }: Surroundings,
  run: (context: Context) => Promise<unknown>,
): Promise<Captured> {
  const console = new CapturedConsole(signal);
  await run({ console, signal });
  signal.throwIfAborted();
  return { objects: console.objects(), messages: console.messages.map((text) => folders.shown(text)) };
}
