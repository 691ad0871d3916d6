import { LocalRows } from "../rows/row-text/local-rows.js";
import type { RowTemplate } from "../rows/row-text/template.js";
import type { FormatContext, FormatWriter, OpenFormat } from "./format.js";

/** The fixed texts around the rows of a file. Without `range`, the file does not represent ranges. */
export interface BoilerplateTexts {
  /** The beginning of a file. */
  readonly before?: string | ((context: FormatContext) => string);
  readonly range?: { readonly before: string; readonly after: string; readonly between?: string };
  /** The end of a file. */
  readonly after?: string;
}

/** A format that consists of texts and a row template. It writes each row immediately. */
export interface TextFormat extends BoilerplateTexts {
  readonly row: RowTemplate | LocalRows;
}

export function textFormat(format: TextFormat): OpenFormat {
  return (context) => {
    const boilerplate = new Boilerplate(format, context);
    return {
      ...(format.range !== undefined && { startRange: () => boilerplate.startRange() }),
      *rows(batch, from, to) {
        yield* boilerplate.takePending();
        for (let next = from; next < to; ) {
          const { row } = format;
          const { template, end } =
            row instanceof LocalRows ? row.next(batch, next, to) : { template: row, end: to };
          yield* rowPieces(context, template, batch, next, end);
          next = end;
        }
      },
      end: () => boilerplate.end(),
    };
  };
}

/** Writes the fixed texts of one file, each before the row that follows it. */
export class Boilerplate {
  readonly #texts: BoilerplateTexts;
  /** The end of the current range; null before the first one. */
  #endOfRange: string | null = null;
  #pending: string;

  constructor(texts: BoilerplateTexts, context: FormatContext) {
    const { before = "" } = texts;
    this.#texts = texts;
    this.#pending = typeof before === "string" ? before : before(context);
  }

  startRange(): readonly Uint8Array[] {
    const { before, after, between = "" } = this.#texts.range ?? NO_RANGE;
    this.#pending += (this.#endOfRange === null ? "" : after + between) + before;
    this.#endOfRange = after;
    return [];
  }

  /** Returns and clears the text that precedes the next row. */
  takePending(): readonly Uint8Array[] {
    if (this.#pending === "") return [];
    const bytes = encodeText(this.#pending);
    this.#pending = "";
    return [bytes];
  }

  end(): readonly Uint8Array[] {
    return [encodeText(this.#pending + (this.#endOfRange ?? "") + (this.#texts.after ?? ""))];
  }
}

const NO_RANGE = { before: "", after: "", between: "" };

/** Writes rows as text, in as many pieces as necessary. */
export function* rowPieces(
  { rowWriter }: Pick<FormatContext, "rowWriter">,
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
