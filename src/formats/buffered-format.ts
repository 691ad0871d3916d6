import type { RowTemplate } from "../rows/row-text/template.js";
import type { SampleBatch } from "../types.js";
import type { FormatContext, OpenFormat } from "./format.js";
import { RowBuffer } from "./row-buffer.js";
import { Boilerplate, type BoilerplateTexts, encodeText, rowPieces } from "./text-format.js";

/** Writes the buffered rows with a template. `skip` is the number of bytes to omit at the start. */
export type WriteRows = (template: RowTemplate, skip?: number) => Iterable<Uint8Array>;

/**
 * A format that needs several rows at once. `part` receives all rows of a range, or at most `maxRows` of them. If only some rows
 * are written and the format has totals, `recorded` contains all rows.
 */
export interface BufferedFormat extends BoilerplateTexts {
  readonly maxRows?: number;
  readonly hasTotals?: true;
  part(part: {
    recorded: RowBuffer;
    write: WriteRows;
    isFirst: boolean;
    rows: RowBuffer;
  }): Iterable<string | Uint8Array>;
}

export function bufferedFormat({ maxRows, hasTotals, part, ...texts }: BufferedFormat): OpenFormat {
  return (context) => {
    const buffer = new RowBuffer();
    const measured = new RowBuffer();
    const boilerplate = new Boilerplate(texts, context);
    const write: WriteRows = (template, skip) => bufferedPieces(context, template, buffer, skip);
    let isFirst = true;
    function* writePart(): Generator<Uint8Array> {
      if (buffer.length === 0) return;
      yield* boilerplate.takePending();
      const recorded = measured.length === 0 ? buffer : measured;
      for (const piece of part({ rows: buffer, recorded, write, isFirst })) {
        yield typeof piece === "string" ? encodeText(piece) : piece;
      }
      isFirst = false;
      buffer.clear();
      measured.clear();
    }
    return {
      ...(hasTotals && {
        measure: (batch: SampleBatch, from: number, to: number) => void measured.append(batch, from, to),
      }),
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
