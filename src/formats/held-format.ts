import type { RowTemplate } from "../row-text/template.js";
import type { FormatContext, OpenFormat } from "./format.js";
import { HeldRows } from "./held-rows.js";
import { encodeText, type Frame, FrameText, rowPieces } from "./text-format.js";

/** Writes rows by a template; `skip`: as many bytes are left out at the beginning. */
export type WriteRows = (template: RowTemplate, skip?: number) => Iterable<Uint8Array>;

/** A format that needs to know rows ahead: it gets those of a range, or `mostRows` of them, together. */
export interface HeldFormat extends Frame {
  readonly mostRows?: number;
  part(rows: HeldRows, write: WriteRows, isFirst: boolean): Iterable<string | Uint8Array>;
}

export function heldFormat({ mostRows, part, ...frame }: HeldFormat): OpenFormat {
  return (context) => {
    const held = new HeldRows();
    const frameText = new FrameText(frame, context);
    const write: WriteRows = (template, skip) => heldPieces(context, template, held, skip);
    let isFirst = true;
    function* writePart(): Generator<Uint8Array> {
      if (held.length === 0) return;
      yield* frameText.due();
      for (const piece of part(held, write, isFirst)) {
        yield typeof piece === "string" ? encodeText(piece) : piece;
      }
      isFirst = false;
      held.clear();
    }
    return {
      *startRange() {
        yield* writePart();
        frameText.startRange();
      },
      *rows(batch, from, to) {
        for (let next = held.take(batch, from, to, mostRows); next < to; ) {
          yield* writePart();
          next = held.take(batch, next, to, mostRows);
        }
      },
      *end() {
        yield* writePart();
        yield* frameText.end();
      },
    };
  };
}

function* heldPieces(
  context: FormatContext,
  template: RowTemplate,
  held: HeldRows,
  skip = 0,
): Generator<Uint8Array> {
  let left = skip;
  for (const { batch, length } of held.batches()) {
    for (const piece of rowPieces(context, template, batch, 0, length)) {
      yield left > 0 ? piece.subarray(left) : piece;
      left = 0;
    }
  }
}
