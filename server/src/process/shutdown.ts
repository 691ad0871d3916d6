/** The parts of the end of a process that go on, so that one that does not end can be named. */
export class Shutdown {
  readonly #parts = new Set<string>();

  /** The names of the parts that have not ended. */
  get parts(): string[] {
    return [...this.#parts];
  }

  /** Waits for a part; undefined when there is none. */
  async waitFor(part: string, ended: Promise<unknown> | undefined): Promise<void> {
    this.#parts.add(part);
    try {
      await ended;
    } finally {
      this.#parts.delete(part);
    }
  }
}
