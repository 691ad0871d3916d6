import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { AsiError } from "asi-convert";
import type { FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { JSON_MAX_BYTES } from "../body/bodies.js";
import { readJson } from "../body/json.js";
import { JsonScan } from "../body/json-scan.js";
import { receiveBody } from "../body/receive-body.js";
import { Base64Text, tooLarge } from "./base64-text.js";
import { asLibraryError, isGzip, unpackedGzip } from "./gzip.js";

/** Placeholder for the recording in the parsed JSON. */
const STAND_IN = "...";

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** A body with a member that was decoded as it arrived. */
export interface RecordingBody {
  /** Body with a placeholder for the member if it is a text. */
  json: unknown;
  recording: Uint8Array;
}

/**
 * Reads a JSON object with a recording in base64 as a member. Decodes the recording in pieces, which does not block the
 * event loop and takes little more memory than the recording. A gzip file is decompressed, up to the same size.
 * @throws ServiceError like `readJson` and `Base64Text`
 */
export async function receiveRecording(
  request: FastifyRequest,
  payload: Readable,
  limits: { field: string; maxBytes: number; bodyBytes: number },
): Promise<RecordingBody> {
  const length = Number(request.headers["content-length"] ?? 0);
  const reader = new RecordingReader(limits.field, limits.maxBytes, Math.ceil((length / 4) * 3));
  const digest = request.ctx.idempotency === undefined ? undefined : createHash("sha256");
  await receiveBody(
    request,
    payload,
    limits.bodyBytes,
    (chunk) => {
      digest?.update(chunk);
      reader.write(chunk);
    },
    3 / 4,
  );
  if (digest !== undefined) request.rawBody = digest.digest();
  const body = await reader.end();
  if (!isGzip(body.recording)) return body;
  const recording = await unpackedRecording(body.recording, limits, (bytes) => request.bodyShare?.add(bytes));
  return { ...body, recording };
}

/** @param hold called with the number of bytes in memory; throws if there are too many */
async function unpackedRecording(
  packed: Uint8Array,
  { field, maxBytes }: { field: string; maxBytes: number },
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of unpackedGzip(Readable.from([packed]), maxBytes, () => tooLarge(maxBytes))) {
      hold(piece.length);
      pieces.push(piece);
    }
  } catch (cause) {
    const error = asLibraryError(cause);
    if (error instanceof AsiError) throw errors.field(field, error.message, error.code);
    throw error;
  }
  return Buffer.concat(pieces);
}

/** Separates the recording from the rest of the body. The parser checks the syntax of the rest at the end. */
class RecordingReader {
  readonly #field: Buffer;
  readonly #newText: () => Base64Text;
  readonly #around: number[] = [];
  /**
   * Use one instance for all texts of the field. The last text counts, and separate instances would each take memory
   * for the whole body.
   */
  #text: Base64Text | undefined;
  /** Recording while it is being read. */
  #recording: Base64Text | undefined;
  #decoded: Uint8Array | undefined;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Start of the last text of the outermost object in the rest of the body. */
  #textStart = 0;
  /** Whether the last text was the name of the field. If so, its value is next. */
  #isField = false;

  constructor(field: string, maxBytes: number, expectedBytes: number) {
    this.#field = Buffer.from(field);
    this.#newText = () => new Base64Text(field, maxBytes, expectedBytes);
  }

  write(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      if (this.#recording !== undefined) {
        at = this.#recording.write(chunk, at);
        if (at < chunk.length) this.#endRecording();
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (this.#isField && byte === QUOTE && !this.#isInText) {
        this.#isField = false;
        this.#text ??= this.#newText();
        this.#text.restart();
        this.#recording = this.#text;
        continue;
      }
      this.#around.push(byte);
      if (this.#isInText) this.#inText(byte);
      else this.#outsideText(byte);
    }
    if (this.#around.length > JSON_MAX_BYTES) throw errors.tooLarge("The request body is too large.");
  }

  async end(): Promise<RecordingBody> {
    if (this.#recording !== undefined) throw errors.malformed("JSON parse error.");
    const around = Buffer.from(this.#around);
    new JsonScan(JSON_MAX_BYTES).write(around);
    return { json: await readJson(around), recording: this.#decoded ?? new Uint8Array() };
  }

  #endRecording(): void {
    this.#decoded = this.#recording?.end();
    this.#recording = undefined;
    this.#around.push(...Buffer.from(JSON.stringify(this.#decoded?.length === 0 ? "" : STAND_IN)));
  }

  #inText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  #outsideText(byte: number): void {
    if (isSpace(byte)) return;
    this.#isField = false;
    if (byte === QUOTE) {
      this.#isInText = true;
      this.#textStart = this.#around.length;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#depth++;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) this.#depth--;
    else if (byte === COLON) this.#isField = this.#depth === 1 && this.#isFieldName();
  }

  #isFieldName(): boolean {
    const text = this.#around.slice(this.#textStart, this.#textStart + this.#field.length + 1);
    return Buffer.from(text).equals(Buffer.concat([this.#field, Buffer.of(QUOTE)]));
  }
}
