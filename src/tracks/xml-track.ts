import { SaxesParser, type SaxesTagPlain } from "saxes";
import { shortened } from "../arguments.js";
import type { ElementReader, Refuse } from "./element-reader.js";
import { GpxPoints } from "./gpx-points.js";
import { TcxPoints } from "./tcx-points.js";
import { encodingOf } from "./track-kind.js";
import { badLine, type TrackParser } from "./track-parser.js";
import type { TrackRows } from "./track-rows.js";

// saxes knows the five entities of XML and characters by number, and no others: what a file declares is not expanded.

const READERS: Readonly<
  Record<string, { format: "gpx" | "tcx"; reader: new (rows: TrackRows, refuse: Refuse) => ElementReader }>
> = {
  gpx: { format: "gpx", reader: GpxPoints },
  TrainingCenterDatabase: { format: "tcx", reader: TcxPoints },
};

// Tracks nest their elements about eight deep.
const DEEPEST = 64;
// A text, tag or comment is kept until it is complete, so it must end at some time.
const LONGEST_CHARACTERS = 1 << 20;
const LONGEST_QUOTE = 120;

/** Reads GPX and TCX. */
export class XmlTrack implements TrackParser {
  readonly #rows: TrackRows;
  readonly #parser = new SaxesParser({ xmlns: false });
  readonly #decoder: TextDecoder;
  #reader: ElementReader | null = null;
  #format: "gpx" | "tcx" | null = null;
  #depth = 0;
  #charactersSinceEvent = 0;

  /** @param first the first bytes of the file: they tell the encoding */
  constructor(rows: TrackRows, first: Uint8Array) {
    this.#rows = rows;
    this.#decoder = new TextDecoder(encodingOf(first));
    const parser = this.#parser;
    parser.on("opentag", (tag) => this.#open(tag));
    parser.on("closetag", ({ name }) => this.#close(name));
    parser.on("text", (text) => this.#reader?.text(text));
    parser.on("cdata", (text) => this.#reader?.text(text));
    parser.on("error", ({ message }) => this.#refuse(`it is not well-formed: ${plain(message)}.`));
  }

  /** Null before the root element. */
  get format(): "gpx" | "tcx" | null {
    return this.#format;
  }

  push(bytes: Uint8Array): void {
    this.#write(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): void {
    this.#write(this.#decoder.decode());
    this.#parser.close();
  }

  #write(text: string): void {
    this.#charactersSinceEvent += text.length;
    this.#parser.write(text);
    if (this.#charactersSinceEvent > LONGEST_CHARACTERS) {
      this.#refuse(`a tag, text or comment is longer than ${LONGEST_CHARACTERS} characters.`);
    }
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    this.#charactersSinceEvent = 0;
    this.#depth += 1;
    if (this.#depth > DEEPEST) this.#refuse(`elements are nested more than ${DEEPEST} deep.`);
    const local = localName(name);
    this.#reader ??= this.#readerFor(local);
    this.#reader.open(local, attributes, this.#depth);
  }

  #readerFor(root: string): ElementReader {
    const kind = Object.hasOwn(READERS, root) ? READERS[root] : undefined;
    if (kind === undefined)
      this.#refuse(`<${shortened(root)}> is the root, neither <gpx> nor <TrainingCenterDatabase>.`);
    this.#format = kind.format;
    return new kind.reader(this.#rows, (message) => this.#refuse(message));
  }

  #close(name: string): void {
    this.#charactersSinceEvent = 0;
    this.#reader?.close(localName(name), this.#depth);
    this.#depth -= 1;
  }

  #refuse(message: string): never {
    throw badLine(this.#parser.line, message);
  }
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

// Without the place in front, which the error tells by itself, and the full stop behind.
function plain(message: string): string {
  return shortened(message.replace(/^\d+:\d+: /, "").replace(/\.$/, ""), LONGEST_QUOTE);
}
