import { AsiError } from "../errors.js";
import { inputAsOutput, realPath } from "../files/output-file.js";
import { type Input, nameOf } from "./inputs.js";

/**
 * Which output belongs to which input of one call: two of them never write the same file, and none writes over an input,
 * `--force` or not. The first in the order of the inputs gets it, however many are worked on at a time.
 */
export class Claims {
  readonly #inputs: readonly Input[];
  readonly #owners = new Map<string, Input>();
  #realInputs: Set<string> | null = null;
  // Fulfilled when the input of that number, and all before it, have claimed or will not.
  readonly #turns: Promise<void>[] = [];
  readonly #pass: (() => void)[] = [];

  constructor(inputs: readonly Input[]) {
    this.#inputs = inputs;
    let before = Promise.resolve();
    for (const _ of inputs) {
      const passed = new Promise<void>((resolve) => this.#pass.push(resolve));
      before = before.then(() => passed);
      this.#turns.push(before);
    }
  }

  /** Waits for the claims of the inputs before this one. Throws `FILE_EXISTS` when one of the paths is taken or an input. */
  async claim(index: number, paths: readonly string[]): Promise<void> {
    await this.#turns[index - 1];
    const real = paths.map(realPath);
    for (const [i, path] of real.entries()) {
      if (this.#inputPaths().has(path)) throw inputAsOutput(paths[i] ?? path);
      const owner = this.#owners.get(path);
      if (owner !== undefined) {
        throw new AsiError(
          "FILE_EXISTS",
          `${paths[i]} is what ${nameOf(owner)} has been converted to in the same call; convert them one by one with -o, or into different folders with --out-dir.`,
        );
      }
    }
    const input = this.#inputs[index];
    for (const path of real) if (input !== undefined) this.#owners.set(path, input);
    this.settle(index);
  }

  #inputPaths(): Set<string> {
    this.#realInputs ??= new Set(
      this.#inputs.flatMap((input) => (input.kind === "file" ? [realPath(input.path)] : [])),
    );
    return this.#realInputs;
  }

  /** This input will not claim any more. */
  settle(index: number): void {
    this.#pass[index]?.();
  }
}
