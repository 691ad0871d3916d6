import { Console, type Part } from "../terminal/console.js";
import { printable } from "../terminal/printable.js";
import { DescribedError } from "../terminal/problem.js";

/** A larger output cannot be used as the result of a tool. */
const MAX_CHARACTERS = 64_000_000;

const textOf = (part: Part) => (typeof part === "string" ? part : "");

/** Captures the output of a command that runs for a tool. */
export class CapturedConsole extends Console {
  #data: string[] = [];
  #characters = 0;
  /** Messages and errors, each on one line. */
  readonly messages: string[] = [];

  override async data(...parts: readonly Part[]): Promise<void> {
    const text = parts.map(textOf).join("");
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) {
      const message = "The result is too large. Request fewer files.";
      throw new DescribedError({ error: { code: "RESULT_TOO_LARGE", message } });
    }
    this.#data.push(text);
  }

  override failure(...parts: readonly Part[]): void {
    this.messages.push(printable(parts.map(textOf).join("")).trim());
  }

  override showTransient(): void {}

  override get canShowTransient(): boolean {
    return false;
  }

  /** Returns the printed JSON lines as objects. */
  objects(): unknown[] {
    return this.#data
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }
}
