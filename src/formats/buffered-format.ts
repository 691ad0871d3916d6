import type { RowTemplate } from "../rows/row-text/template.js";
import type { FormatContext, OpenFormat } from "./format.js";
import { RowBuffer } from "./row-buffer.js";
import { Boilerplate, type BoilerplateTexts, encodeText, rowPieces } from "./text-format.js";

/** Writes the buffered rows by a template. `skip`: number of bytes to omit at the beginning. */
export type WriteRows = (template: RowTemplate, skip?: number) => Iterable<Uint8Array>;

/** A format that needs several rows at once: `part` gets all rows of a range, or at most `maxRows` of them. */
export interface BufferedFormat extends BoilerplateTexts {
  readonly maxRows?: number;
  part(rows: RowBuffer, write: WriteRows, isFirst: boolean): Iterable<string | Uint8Array>;
}

export function bufferedFormat({ maxRows, part, ...texts }: BufferedFormat): OpenFormat {
  return (context) => {
    const buffer = new RowBuffer();
    const boilerplate = new Boilerplate(texts, context);
    const write: WriteRows = (template, skip) => bufferedPieces(context, template, buffer, skip);
    let isFirst = true;
    function* writePart(): Generator<Uint8Array> {
      if (buffer.length === 0) return;
      yield* boilerplate.takePending();
      for (const piece of part(buffer, write, isFirst)) {
        yield typeof piece === "string" ? encodeText(piece) : piece;
      }
      isFirst = false;
      buffer.clear();
    }
    return {
      *startRange() {
        yield* writePart();
        boilerplate.startRange();
      },
      *rows(batch, from, to) {
        for (let next = buffer.append(batch, from, to, maxRows); next < to; ) {
          yield* writePart();
          next = buffer.append(batch, next, to, maxRows);
        }
      },
      *end() {
        yield* writePart();
        yield* boilerplate.end();
      },
    };
  };
}

function* bufferedPieces(
  context: FormatContext,
  template: RowTemplate,
  buffer: RowBuffer,
  skip = 0,
): Generator<Uint8Array> {
  let left = skip;
  for (const { batch, length } of buffer.batches()) {
    for (const piece of rowPieces(context, template, batch, 0, length)) {
      yield left > 0 ? piece.subarray(left) : piece;
      left = 0;
    }
  }
}
