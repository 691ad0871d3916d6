/** Takes the elements of one kind of track, as they come. Names are without their prefix. */
export interface ElementReader {
  /** @param depth of the element; the root has 1 */
  open(name: string, attributes: Readonly<Record<string, string>>, depth: number): void;
  text(text: string): void;
  close(name: string, depth: number): void;
}

/** Throws what is wrong at the line that is being read. */
export type Refuse = (message: string) => never;
