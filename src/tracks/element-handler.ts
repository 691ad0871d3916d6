/** Handles the elements of one track format in document order. Names have no namespace prefix. */
export interface ElementHandler {
  /** @param depth depth of the element; the depth of the root is 1 */
  open(name: string, attributes: Readonly<Record<string, string>>, depth: number): void;
  text(text: string): void;
  close(name: string, depth: number): void;
}

/** Throws `BAD_TRACK` with the current line. */
export type Fail = (message: string) => never;
