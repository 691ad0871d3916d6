import { rmSync } from "node:fs";
import { AsiError } from "../../errors.js";
import { inputAsOutput, realPath } from "../../files/output-file.js";
import { type Input, nameOf } from "./inputs.js";

/**
 * Assigns each output to one of the inputs of a call. Two inputs never write the same file, and no input overwrites another one, even with
 * `--force`. Of several inputs with the same output, the first one owns it, even if they are processed in parallel. Inputs do not wait for
 * earlier ones. A fast input loses its files if a slower, earlier input needs their names.
 */
export class OutputReservations {
  readonly #inputs: readonly Input[];
  /** Numbers of the inputs, by path. */
  readonly #owners = new Map<string, number>();
  readonly #refusals = new Map<number, AsiError>();
  readonly #ends: End[];
  #realInputs: Set<string> | null = null;

  constructor(inputs: readonly Input[]) {
    this.#inputs = inputs;
    this.#ends = inputs.map(newEnd);
  }

  /** Throws `FILE_EXISTS` if one of the paths is an input, or belongs to an earlier input. */
  async reserve(index: number, paths: readonly string[]): Promise<void> {
    const real = paths.map(realPath);
    for (let rival = this.#laterOwner(index, real, paths); rival !== null; ) {
      const isDone = await this.#ends[rival]?.promise;
      this.#takeBack(rival, index, isDone === true);
      rival = this.#laterOwner(index, real, paths);
    }
    for (const path of real) this.#owners.set(path, index);
  }

  /** Called when the processing of this input has ended; `isDone` means that its files exist. */
  settle(index: number, isDone: boolean): void {
    this.#ends[index]?.resolve(isDone);
  }

  /** Returns the reason why the files of a converted input were removed; null if they exist. */
  refusalOf(index: number): AsiError | null {
    return this.#refusals.get(index) ?? null;
  }

  // Returns the later input that owns one of the paths.
  #laterOwner(index: number, real: readonly string[], paths: readonly string[]): number | null {
    for (const [i, path] of real.entries()) {
      const name = paths[i] ?? path;
      if (this.#inputPaths().has(path)) throw inputAsOutput(name);
      const owner = this.#owners.get(path);
      if (owner === undefined) continue;
      if (owner > index) return owner;
      throw this.#taken(name, owner);
    }
    return null;
  }

  #takeBack(rival: number, index: number, isDone: boolean): void {
    for (const [path, owner] of this.#owners) {
      if (owner !== rival) continue;
      this.#owners.delete(path);
      if (!isDone) continue;
      rmSync(path, { force: true });
      if (!this.#refusals.has(rival)) this.#refusals.set(rival, this.#taken(path, index));
    }
  }

  #taken(path: string, owner: number): AsiError {
    const input = this.#inputs[owner];
    return new AsiError(
      "FILE_EXISTS",
      `${path} is the output of ${input === undefined ? "another input" : nameOf(input)} in the same call; convert them one by one with -o, or into different folders with --out-dir.`,
    );
  }

  #inputPaths(): Set<string> {
    this.#realInputs ??= new Set(
      this.#inputs.flatMap((input) => (input.kind === "file" ? [realPath(input.path)] : [])),
    );
    return this.#realInputs;
  }
}

interface End {
  promise: Promise<boolean>;
  resolve(isDone: boolean): void;
}

function newEnd(): End {
  let resolve: End["resolve"] = () => {};
  const promise = new Promise<boolean>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
