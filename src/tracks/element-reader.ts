import { SaxesParser, type SaxesTagPlain } from "saxes";
import { shortened } from "../arguments.js";
import type { ElementHandler, Fail, PointTaker } from "./element-handler.js";
import { GpxPoints } from "./gpx-points.js";
import { TcxPoints } from "./tcx-points.js";

// Parses XML with saxes, which expands the five predefined entities and character references, but no entities that a file
// declares.

/** A track format, with the names of its root and point elements. */
interface Kind {
  format: "gpx" | "tcx";
  root: string;
  point: string;
  handler: new (rows: PointTaker, fail: Fail) => ElementHandler;
}

const KINDS: readonly Kind[] = [
  { format: "gpx", root: "gpx", point: "trkpt", handler: GpxPoints },
  { format: "tcx", root: "TrainingCenterDatabase", point: "Trackpoint", handler: TcxPoints },
];

const MAX_QUOTE_LENGTH = 120;

/** Passes the elements of an XML document to the handler of its format. */
export class ElementReader {
  /** The format; null before the root element. */
  kind: Kind | null = null;
  /** The handler for the format; null before the root element. */
  handler: ElementHandler | null = null;
  /** Number of elements that are open. */
  depth = 0;
  /** Number of start and end tags. */
  tags = 0;
  readonly #rows: PointTaker;
  readonly #parser = new SaxesParser({ xmlns: false });
  readonly #fail: Fail;
  readonly #maxDepth: number;
  #written = 0;
  /** Position after the last tag. */
  #tagEnd = 0;

  constructor(rows: PointTaker, maxDepth: number, fail: Fail) {
    this.#rows = rows;
    this.#maxDepth = maxDepth;
    this.#fail = fail;
    const parser = this.#parser;
    parser.on("opentag", (tag) => this.#open(tag));
    parser.on("closetag", ({ name }) => this.#close(name));
    parser.on("text", (text) => this.handler?.text(text));
    parser.on("cdata", (text) => this.handler?.text(text));
    parser.on("error", ({ message }) => fail(`it is not well-formed: ${plain(message)}.`));
  }

  /** Line of the current position, from 1. */
  get line(): number {
    return this.#parser.line;
  }

  /** Whether the written text ends with a tag. */
  get isAfterTag(): boolean {
    return this.#tagEnd === this.#written;
  }

  write(text: string): void {
    this.#parser.write(text);
    this.#written += text.length;
  }

  end(): void {
    this.#parser.close();
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    this.#endTag();
    this.depth += 1;
    if (this.depth > this.#maxDepth) this.#fail(`elements are nested more than ${this.#maxDepth} deep.`);
    const local = localName(name);
    this.handler ??= this.#handlerFor(local);
    this.handler.open(local, attributes, this.depth);
  }

  #handlerFor(root: string): ElementHandler {
    const kind = KINDS.find((one) => one.root === root);
    if (kind === undefined)
      return this.#fail(`<${shortened(root)}> is the root, neither <gpx> nor <TrainingCenterDatabase>.`);
    this.kind = kind;
    return new kind.handler(this.#rows, this.#fail);
  }

  #close(name: string): void {
    this.#endTag();
    this.handler?.close(localName(name), this.depth);
    this.depth -= 1;
  }

  #endTag(): void {
    this.tags += 1;
    this.#tagEnd = this.#parser.position;
  }
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

// Removes the position, which is already part of the error, and the full stop.
function plain(message: string): string {
  return shortened(message.replace(/^\d+:\d+: /, "").replace(/\.$/, ""), MAX_QUOTE_LENGTH);
}
