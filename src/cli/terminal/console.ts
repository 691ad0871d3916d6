import { writeSync } from "node:fs";
import { DescriptorOutput } from "../../files/descriptor-output.js";
import { printable, printableLines } from "./printable.js";
import { systemCode } from "./problem.js";

const STDOUT = 1;
const STDERR = 2;

/** A part of a message: a text, or a text that contains control sequences. */
export type Part = string | { readonly sequence: string };

/** When messages are coloured. */
export const COLOR_MODES = ["auto", "always", "never"] as const;

export interface ConsoleSettings {
  /** Whether only errors are printed. */
  quiet?: boolean;
  /** Default: `auto`, which means on a terminal, unless NO_COLOR (no-color.org) is set. */
  color?: (typeof COLOR_MODES)[number];
}

/** The output of the command: data to the standard output, messages to the standard error. */
export class Console {
  readonly #output: DescriptorOutput;
  readonly #env: NodeJS.ProcessEnv;
  #isOutputClosed = false;
  #transient = "";
  #settings: ConsoleSettings = {};

  constructor(signal: AbortSignal, env: NodeJS.ProcessEnv = process.env) {
    this.#output = new DescriptorOutput(STDOUT, signal);
    this.#env = env;
  }

  /** Sets the values of the options --quiet and --color. */
  configure(settings: ConsoleSettings): void {
    this.#settings = settings;
  }

  /**
   * Writes lines of data, which consist of texts and control sequences. Control characters in texts are escaped. After the reader has
   * closed the pipe, data are dropped silently.
   */
  async data(...parts: readonly Part[]): Promise<void> {
    const text = parts
      .map((part) => (typeof part === "string" ? printableLines(part) : part.sequence))
      .join("");
    if (this.#isOutputClosed || text === "") return;
    this.showTransient("");
    try {
      await this.#output.write(new TextEncoder().encode(text));
    } catch (error) {
      if (systemCode(error) !== "EPIPE") throw error;
      this.#isOutputClosed = true;
    }
  }

  /**
   * Prints a line of information. The line consists of plain text and text from `paint`. Control characters are escaped. Prints nothing if quiet.
   */
  message(...parts: readonly Part[]): void {
    if (this.#settings.quiet !== true) this.failure(...parts);
  }

  /** Prints an error, even if quiet. */
  failure(...parts: readonly Part[]): void {
    const transient = this.#transient;
    this.showTransient("");
    write(`${parts.map((part) => (typeof part === "string" ? printable(part) : part.sequence)).join("")}\n`);
    this.showTransient(transient);
  }

  /** Prints the stack of an error, line by line. */
  trace(error: unknown): void {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const text = String(stack).replace(message, () => printable(message));
    for (const line of text.split("\n")) this.failure(line);
  }

  /**
   * Shows a line until the next one replaces it. An empty text removes it. Has no effect unless `canShowTransient` is set. Control
   * characters are escaped.
   */
  showTransient(text: string): void {
    const line = printable(text);
    if (line === this.#transient) return;
    write(`\r\x1b[K${line}`);
    this.#transient = line;
  }

  /** Whether messages go to a terminal that can move its cursor. */
  get canShowTransient(): boolean {
    return this.#settings.quiet !== true && this.#isTerminal;
  }

  get #isTerminal(): boolean {
    return process.stderr.isTTY === true && this.#env.TERM !== "dumb";
  }

  get #hasColours(): boolean {
    const { color = "auto" } = this.#settings;
    if (color === "auto") return this.#isTerminal && (this.#env.NO_COLOR ?? "") === "";
    return color === "always";
  }

  /** Whether data are coloured: as set by --color; by default on a terminal, unless NO_COLOR is set. */
  get paintsData(): boolean {
    const { color = "auto" } = this.#settings;
    if (color !== "auto") return color === "always";
    return process.stdout.isTTY === true && (this.#env.NO_COLOR ?? "") === "" && this.#env.TERM !== "dumb";
  }

  /** Colours a text, if messages are coloured. */
  paint(colour: keyof typeof COLOURS, text: string): Part {
    return !this.#hasColours ? text : { sequence: `\x1b[${COLOURS[colour]}m${printable(text)}\x1b[0m` };
  }
}

// SGR parameters (ECMA-48)
const COLOURS = { red: 31, yellow: 33 } as const;

// Writes to the standard error without process.stderr, which would increase the start-up time. A message that cannot be written is lost.
function write(text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(STDERR, bytes, offset);
  } catch {}
}
