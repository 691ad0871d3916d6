import { encodingOf } from "../text-encoding.js";
import { ElementReader } from "./element-reader.js";
import { KnownPoints, MAX_POINT_DEPTH } from "./known-points.js";
import { TextPieces } from "./text-pieces.js";
import { errorAtLine, type TrackParser } from "./track-parser.js";
import type { TrackPoint, TrackRows } from "./track-rows.js";

// Maximum depth of elements. In tracks, they are nested about eight levels deep.
const MAX_DEPTH = 64;
// A text, tag or comment is buffered until it is complete, so its length is limited.
const MAX_TOKEN_LENGTH = 1 << 20;

/** Reads GPX and TCX. */
export class XmlTrack implements TrackParser {
  /** A document that is not well-formed is refused completely, because the missing part is unknown. */
  readonly damage = null;
  readonly #reader: ElementReader;
  readonly #known = new KnownPoints();
  readonly #pieces: TextPieces;
  #isBegun = false;
  /** Number of lines in the white space before the first tag. */
  #skippedLines = 0;
  #charactersSinceTag = 0;

  /** @param first the first bytes of the file, from which the encoding is detected */
  constructor(rows: TrackRows, first: Uint8Array) {
    this.#pieces = new TextPieces(encodingOf(first));
    this.#reader = new ElementReader(rows, MAX_DEPTH, (message) => this.#fail(message));
  }

  /** The format; null before the root element. */
  get format(): "gpx" | "tcx" | null {
    return this.#reader.kind?.format ?? null;
  }

  push(bytes: Uint8Array): void {
    const text = this.#pieces.decode(bytes);
    // XML allows no white space before the declaration, but Strava writes it
    const kept = this.#isBegun ? text : text.trimStart();
    this.#isBegun ||= kept !== "";
    const skipped = text.slice(0, text.length - kept.length);
    this.#charactersSinceTag += skipped.length;
    this.#skippedLines += skipped.split(/\r\n|[\r\n]/).length - 1;
    this.#write(kept);
  }

  end(): void {
    this.#write(this.#pieces.end());
    this.#reader.end();
  }

  #write(text: string): void {
    const tagsBefore = this.#reader.tags;
    for (let at = 0; at < text.length; ) at = this.#writePart(text, at);
    this.#charactersSinceTag = this.#reader.tags > tagsBefore ? 0 : this.#charactersSinceTag + text.length;
    if (this.#charactersSinceTag > MAX_TOKEN_LENGTH) {
      this.#fail(`a tag, text or comment is longer than ${MAX_TOKEN_LENGTH} characters.`);
    }
  }

  /**
   * Parses the text up to the end of the next point. Then reads as many of the points after it as possible by their shape.
   *
   * @returns the position after them
   */
  #writePart(text: string, from: number): number {
    const { kind } = this.#reader;
    if (kind === null) {
      // the root element determines the name of point elements
      const end = after(">", text, from);
      this.#reader.write(text.slice(from, end));
      return end;
    }
    const begin = this.#known.areFrequent ? text.indexOf(`<${kind.point}`, from) : -1;
    const end = begin < 0 ? text.length : after(`</${kind.point}>`, text, begin);
    this.#reader.write(text.slice(from, end));
    if (begin < 0 || !this.#isBetweenPoints()) return end;
    this.#known.learn(text.slice(begin, end), kind.root);
    return this.#known.read(text, end, this.#add);
  }

  #isBetweenPoints(): boolean {
    const { isAfterTag, handler, depth } = this.#reader;
    return isAfterTag && handler?.isInPoint === false && depth > 0 && depth <= MAX_DEPTH - MAX_POINT_DEPTH;
  }

  readonly #add = (point: TrackPoint): void => this.#reader.handler?.add(point);

  #fail(message: string): never {
    throw errorAtLine(this.#skippedLines + this.#known.lines + this.#reader.line, message);
  }
}

/** Returns the position after the first occurrence of `end` from `from`; the end of the text if there is none. */
function after(end: string, text: string, from: number): number {
  const at = text.indexOf(end, from);
  return at < 0 ? text.length : at + end.length;
}
