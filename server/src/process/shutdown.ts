/** Tracks the unfinished parts of a shutdown, to report a part that does not end. */
export class Shutdown {
  readonly #parts = new Set<string>();

  /** Names of the parts that have not ended. */
  get parts(): string[] {
    return [...this.#parts];
  }

  /** Waits for a part, if any. */
  async waitFor(part: string, ended: Promise<unknown> | undefined): Promise<void> {
    this.#parts.add(part);
    try {
      await ended;
    } finally {
      this.#parts.delete(part);
    }
  }
}
