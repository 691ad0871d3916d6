import { writeSync } from "node:fs";
import { DescriptorOutput } from "../../files/descriptor-output.js";
import { printable, printableLines } from "./printable.js";
import { systemCode } from "./problem.js";

const STDOUT = 1;
const STDERR = 2;

/** A piece of a message: a text, or one that brings its own control sequences. */
export type Part = string | { readonly sequence: string };

/** When messages have colours. */
export const COLOR_MODES = ["auto", "always", "never"] as const;

export interface ConsoleSettings {
  /** Whether messages other than errors are left out. */
  quiet?: boolean;
  /** Default `auto`: on a terminal, unless NO_COLOR (no-color.org) is set. */
  color?: (typeof COLOR_MODES)[number];
}

/** Where the command writes: data on the standard output, messages on the standard error. */
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

  /** Values of the options --quiet and --color. */
  configure(settings: ConsoleSettings): void {
    this.#settings = settings;
  }

  /**
   * Writes lines of data, texts and control sequences; what acts on a terminal is escaped in texts. When nobody reads any more, it
   * is dropped in silence.
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

  /** A line of information for the user, of texts and results of `paint`. Nothing in it acts on a terminal. None if quiet. */
  message(...parts: readonly Part[]): void {
    if (this.#settings.quiet !== true) this.failure(...parts);
  }

  /** The same for an error, which is never left out. */
  failure(...parts: readonly Part[]): void {
    const transient = this.#transient;
    this.showTransient("");
    write(`${parts.map((part) => (typeof part === "string" ? printable(part) : part.sequence)).join("")}\n`);
    this.showTransient(transient);
  }

  /** Where an error comes from, line by line. */
  trace(error: unknown): void {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const text = String(stack).replace(message, () => printable(message));
    for (const line of text.split("\n")) this.failure(line);
  }

  /** A line that the next one replaces; an empty text removes it. Only where `canShowTransient`. */
  showTransient(line: string): void {
    if (line === this.#transient) return;
    write(`\r\x1b[K${line}`);
    this.#transient = line;
  }

  /** Whether messages appear on a terminal that can move its cursor. */
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

  /** Whether data have colours: by --color; by default on a terminal, unless NO_COLOR is set. */
  get paintsData(): boolean {
    const { color = "auto" } = this.#settings;
    if (color !== "auto") return color === "always";
    return process.stdout.isTTY === true && (this.#env.NO_COLOR ?? "") === "" && this.#env.TERM !== "dumb";
  }

  /** Text in a colour, where messages have colours. */
  paint(colour: keyof typeof COLOURS, text: string): Part {
    return !this.#hasColours ? text : { sequence: `\x1b[${COLOURS[colour]}m${printable(text)}\x1b[0m` };
  }
}

// SGR parameters (ECMA-48)
const COLOURS = { red: 31, yellow: 33 } as const;

// Not by process.stderr: it costs start-up time. A message that cannot be written is lost.
function write(text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(STDERR, bytes, offset);
  } catch {}
}
