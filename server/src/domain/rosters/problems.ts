import { errors, type FieldErrors, MAX_FIELD_ERRORS } from "../change/errors.js";

/** The problems of a file by line, which are reported together. */
export class Problems {
  readonly #byLine = new Map<number, string[]>();

  /** Returns these problems in another object, to which more can be added. */
  copy(): Problems {
    const copied = new Problems();
    for (const [line, texts] of this.#byLine) copied.#byLine.set(line, [...texts]);
    return copied;
  }

  add(line: number, message: string): void {
    const known = this.#byLine.get(line);
    if (known === undefined) this.#byLine.set(line, [message]);
    // A line may have thousands of wrong serial numbers.
    else if (known.length < MAX_FIELD_ERRORS) known.push(message);
  }

  /** @throws ServiceError `invalid` with the line of each problem */
  throwIfAny(): void {
    if (this.#byLine.size === 0) return;
    const lines = [...this.#byLine].sort(([a], [b]) => a - b).slice(0, MAX_FIELD_ERRORS);
    const fields: FieldErrors = Object.fromEntries(lines.map(([line, texts]) => [`line ${line}`, texts]));
    throw errors.invalid(fields);
  }
}
