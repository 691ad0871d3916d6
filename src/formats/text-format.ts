import type { RowTemplate } from "../row-text/template.js";
import type { FormatContext, FormatWriter, OpenFormat } from "./format.js";

/** Texts around the rows. Without `range`, ranges do not show. */
export interface Frame {
  /** The beginning of a file. */
  readonly before?: string | ((context: FormatContext) => string);
  readonly range?: { readonly before: string; readonly after: string; readonly between?: string };
  /** The end of a file. */
  readonly after?: string;
}

/** A format whose rows are written as they come: data, no code. */
export interface TextFormat extends Frame {
  readonly row: RowTemplate;
}

export function textFormat(format: TextFormat): OpenFormat {
  return (context) => {
    const frame = new FrameText(format, context);
    return {
      ...(format.range !== undefined && { startRange: () => frame.startRange() }),
      *rows(batch, from, to) {
        yield* frame.due();
        yield* rowPieces(context, format.row, batch, from, to);
      },
      end: () => frame.end(),
    };
  };
}

/** What stands around the rows of one file, each text in its place. */
export class FrameText {
  readonly #frame: Frame;
  #isFirstRange = true;
  #due: string;

  constructor(frame: Frame, context: FormatContext) {
    const { before = "" } = frame;
    this.#frame = frame;
    this.#due = typeof before === "string" ? before : before(context);
  }

  startRange(): readonly Uint8Array[] {
    const { before, after, between = "" } = this.#frame.range ?? NO_RANGE;
    this.#due += (this.#isFirstRange ? "" : after + between) + before;
    this.#isFirstRange = false;
    return [];
  }

  /** What is to be written before the next row. */
  due(): readonly Uint8Array[] {
    if (this.#due === "") return [];
    const bytes = encodeText(this.#due);
    this.#due = "";
    return [bytes];
  }

  end(): readonly Uint8Array[] {
    return [encodeText((this.#frame.range?.after ?? "") + (this.#frame.after ?? ""))];
  }
}

const NO_RANGE = { before: "", after: "", between: "" };

/** Rows as text, in as many pieces as it takes. */
export function* rowPieces(
  { rowWriter }: FormatContext,
  template: RowTemplate,
  ...[batch, from, to]: Parameters<FormatWriter["rows"]>
): Generator<Uint8Array> {
  for (let next = from; next < to; ) {
    const { bytes, end } = rowWriter.write(template, batch, next, to);
    next = end;
    yield bytes;
  }
}

const utf8 = new TextEncoder();

export function encodeText(text: string): Uint8Array {
  return utf8.encode(text);
}
