import { SaxesParser, type SaxesTagPlain } from "saxes";
import { shortened } from "../arguments.js";
import type { ElementHandler, Fail } from "./element-handler.js";
import { GpxPoints } from "./gpx-points.js";
import { TcxPoints } from "./tcx-points.js";
import { encodingOf } from "./track-kind.js";
import { errorAtLine, type TrackParser } from "./track-parser.js";
import type { TrackRows } from "./track-rows.js";

// saxes expands only the five predefined entities and character references, but no entities declared in a file.

const HANDLERS: Readonly<
  Record<string, { format: "gpx" | "tcx"; handler: new (rows: TrackRows, fail: Fail) => ElementHandler }>
> = {
  gpx: { format: "gpx", handler: GpxPoints },
  TrainingCenterDatabase: { format: "tcx", handler: TcxPoints },
};

// Elements of tracks are nested about eight levels deep.
const MAX_DEPTH = 64;
// A text, tag or comment is buffered until it is complete, so its length is limited.
const MAX_TOKEN_LENGTH = 1 << 20;
const MAX_QUOTE_LENGTH = 120;

/** Reads GPX and TCX. */
export class XmlTrack implements TrackParser {
  /** A document that is not well-formed is refused completely, because its missing part is unknown. */
  readonly damage = null;
  readonly #rows: TrackRows;
  readonly #parser = new SaxesParser({ xmlns: false });
  readonly #decoder: TextDecoder;
  #handler: ElementHandler | null = null;
  #format: "gpx" | "tcx" | null = null;
  #depth = 0;
  #isBegun = false;
  /** Number of lines in the white space before the first tag. */
  #skippedLines = 0;
  #charactersSinceEvent = 0;

  /** @param first the first bytes of the file, from which the encoding is detected */
  constructor(rows: TrackRows, first: Uint8Array) {
    this.#rows = rows;
    this.#decoder = new TextDecoder(encodingOf(first));
    const parser = this.#parser;
    parser.on("opentag", (tag) => this.#open(tag));
    parser.on("closetag", ({ name }) => this.#close(name));
    parser.on("text", (text) => this.#handler?.text(text));
    parser.on("cdata", (text) => this.#handler?.text(text));
    parser.on("error", ({ message }) => this.#fail(`it is not well-formed: ${plain(message)}.`));
  }

  /** Null before the root element. */
  get format(): "gpx" | "tcx" | null {
    return this.#format;
  }

  push(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    // XML allows no white space before its declaration, but Strava writes it
    const kept = this.#isBegun ? text : text.trimStart();
    this.#isBegun ||= kept !== "";
    const skipped = text.slice(0, text.length - kept.length);
    this.#charactersSinceEvent += skipped.length;
    this.#skippedLines += skipped.split(/\r\n|[\r\n]/).length - 1;
    this.#write(kept);
  }

  end(): void {
    this.#write(this.#decoder.decode());
    this.#parser.close();
  }

  #write(text: string): void {
    this.#charactersSinceEvent += text.length;
    this.#parser.write(text);
    if (this.#charactersSinceEvent > MAX_TOKEN_LENGTH) {
      this.#fail(`a tag, text or comment is longer than ${MAX_TOKEN_LENGTH} characters.`);
    }
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    this.#charactersSinceEvent = 0;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#fail(`elements are nested more than ${MAX_DEPTH} deep.`);
    const local = localName(name);
    this.#handler ??= this.#handlerFor(local);
    this.#handler.open(local, attributes, this.#depth);
  }

  #handlerFor(root: string): ElementHandler {
    const kind = Object.hasOwn(HANDLERS, root) ? HANDLERS[root] : undefined;
    if (kind === undefined)
      this.#fail(`<${shortened(root)}> is the root, neither <gpx> nor <TrainingCenterDatabase>.`);
    this.#format = kind.format;
    return new kind.handler(this.#rows, (message) => this.#fail(message));
  }

  #close(name: string): void {
    this.#charactersSinceEvent = 0;
    this.#handler?.close(localName(name), this.#depth);
    this.#depth -= 1;
  }

  #fail(message: string): never {
    throw errorAtLine(this.#skippedLines + this.#parser.line, message);
  }
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

// Removes the position, which is part of the error already, and the full stop.
function plain(message: string): string {
  return shortened(message.replace(/^\d+:\d+: /, "").replace(/\.$/, ""), MAX_QUOTE_LENGTH);
}
