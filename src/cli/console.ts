import { writeSync } from "node:fs";
import { DescriptorOutput } from "../files/descriptor-output.js";
import { systemCode } from "./problem.js";

const STDOUT = 1;
const STDERR = 2;

/** Where the command writes: data on the standard output, messages on the standard error. */
export class Console {
  readonly #output: DescriptorOutput;
  readonly #env: NodeJS.ProcessEnv;
  #isOutputClosed = false;
  #transient = "";

  constructor(signal: AbortSignal, env: NodeJS.ProcessEnv = process.env) {
    this.#output = new DescriptorOutput(STDOUT, signal);
    this.#env = env;
  }

  /** Writes data. When nobody reads any more, it is dropped in silence. */
  async data(text: string): Promise<void> {
    if (this.#isOutputClosed || text === "") return;
    this.showTransient("");
    try {
      await this.#output.write(new TextEncoder().encode(text));
    } catch (error) {
      if (systemCode(error) !== "EPIPE") throw error;
      this.#isOutputClosed = true;
    }
  }

  /** A line for the user. */
  message(line: string): void {
    const transient = this.#transient;
    this.showTransient("");
    write(`${line}\n`);
    this.showTransient(transient);
  }

  /** A line that the next one replaces; an empty text removes it. Only where `canShowTransient`. */
  showTransient(line: string): void {
    if (line === this.#transient) return;
    write(`\r\x1b[K${line}`);
    this.#transient = line;
  }

  /** Whether messages appear on a terminal that can move its cursor. */
  get canShowTransient(): boolean {
    return process.stderr.isTTY === true && this.#env.TERM !== "dumb";
  }

  /** Text in a colour where messages appear in colour: on a terminal, unless NO_COLOR (no-color.org) is set. */
  paint(colour: keyof typeof COLOURS, text: string): string {
    const isPlain = (this.#env.NO_COLOR ?? "") !== "" || !this.canShowTransient;
    return isPlain ? text : `\x1b[${COLOURS[colour]}m${text}\x1b[0m`;
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
