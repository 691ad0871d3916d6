// A cell of braille has 2 x 4 dots. These are the bits of the dots, by row and column (Unicode 16, 2800 to 28FF).
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BLANK = 0x2800;

/** A grid of dots that is drawn with braille characters. */
export class BrailleGrid {
  readonly #cells: Uint8Array[];
  readonly #columns: number;

  /**
   * @param columns width in characters
   * @param rows height in characters
   */
  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#cells = Array.from({ length: rows }, () => new Uint8Array(columns));
  }

  /** Width in dots. */
  get width(): number {
    return 2 * this.#columns;
  }

  /** Height in dots. */
  get height(): number {
    return 4 * this.#cells.length;
  }

  /** Draws a line between two dots; `y` counts from the top. */
  line(x0: number, y0: number, x1: number, y1: number): void {
    const [fromX, fromY, toX, toY] = [x0, y0, x1, y1].map(Math.round) as [number, number, number, number];
    const steps = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY), 1);
    for (let step = 0; step <= steps; step++) {
      const part = step / steps;
      this.#dot(Math.round(fromX + (toX - fromX) * part), Math.round(fromY + (toY - fromY) * part));
    }
  }

  /** Returns the rows as text, from top to bottom. */
  toRows(): string[] {
    return this.#cells.map((row) => String.fromCharCode(...Array.from(row, (dots) => BLANK + dots)));
  }

  #dot(x: number, y: number): void {
    const row = this.#cells[y >> 2];
    const dot = DOTS[y & 3]?.[x & 1];
    if (row !== undefined && dot !== undefined && x >= 0 && x >> 1 < this.#columns) {
      row[x >> 1] = (row[x >> 1] ?? 0) | dot;
    }
  }
}
