import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { MultipartFile } from "@fastify/multipart";
import { AsiError, convert, type FormatName, type Report } from "asi-convert";
import type { FastifyRequest } from "fastify";
import { errors } from "../../domain/errors.js";
import type { SpooledFile } from "./spool.js";

const FIELD = "file";

/** Maximum size of other parts of the form, which are ignored. */
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 20, files: 5, parts: 25, headerPairs: 50 };

/**
 * Buffer size of the form parser and the stream after it. The default of 16 KiB pauses the connection at every chunk.
 */
const WAITING = { highWaterMark: 1024 * 1024, fileHwm: 1024 * 1024 };

/** A converted recording. */
export interface Converted {
  /** Name of the converted file. */
  fileName: string;
  /** Size of the converted file. */
  bytes: number;
  mediaType: string;
  report: Report;
}

/**
 * Receives the one file of the form and converts it in one pass while it arrives. A recording that cannot be converted is
 * refused at the first byte that shows it. The converted file is kept until then, because its name and the status of the response
 * are known only at the end. A CSV is smaller than the recording, because each row is shorter than its frame. Files of other
 * formats can be larger; they are limited to four times the maximum size of a recording.
 *
 * @param file where the converted file is kept
 * @throws ServiceError on the field `file`: missing, given twice, or not a recording (with the library's code);
 * `too_large`
 */
export async function receiveAndConvert(
  request: FastifyRequest,
  file: SpooledFile,
  format: FormatName,
  maxBytes: number,
): Promise<Converted> {
  let converted: Converted | undefined;
  let problem = "No file was submitted.";
  try {
    for await (const part of legible(
      request.parts({ limits: { ...LIMITS, fileSize: maxBytes }, ...WAITING }),
    )) {
      if (part.type === "field") {
        if (part.fieldname === FIELD) problem = "The submitted data was not a file.";
      } else if (part.fieldname !== FIELD) {
        part.file.resume();
      } else if (converted !== undefined) {
        throw errors.field(FIELD, "Submit one file only.");
      } else {
        converted = await convertPart(part, file, format, maxBytes);
      }
    }
  } finally {
    // When the response is known early, the client is still sending; it reads the response when it has finished.
    request.raw.unpipe();
    request.raw.resume();
  }
  if (converted === undefined) throw errors.field(FIELD, problem);
  return converted;
}

const TOO_MANY = /^FST_(PARTS|FILES|FIELDS)_LIMIT$/;

/** The output of the parser; a failure means that the form is invalid. */
async function* legible<T>(parsed: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* parsed;
  } catch (error) {
    if (error instanceof Error && "code" in error && TOO_MANY.test(String(error.code))) {
      throw errors.malformed("The form has too many parts.");
    }
    if (error instanceof Error && "statusCode" in error) throw error;
    throw errors.malformed("The form could not be read: it is broken or ends too early.");
  }
}

/** Even hostile input of this size is converted in a few milliseconds. */
const PIECE_BYTES = 64 * 1024;

/** How long the conversions of all uploads together hold the event loop in one turn, apart from a piece of each. */
const MAX_HOLD_MS = 5;

/** When the conversions began to work in this turn of the event loop; null before. */
let busySinceMs: number | null = null;

/** Whether other events have waited long enough. */
function isTurnDue(): boolean {
  if (busySinceMs === null) {
    busySinceMs = performance.now();
    setImmediate(() => {
      busySinceMs = null;
    });
    return false;
  }
  return performance.now() - busySinceMs >= MAX_HOLD_MS;
}

/**
 * Yields to the event loop when it has been held for a while: the parser emits all its buffered data at once, which would delay
 * other requests.
 */
async function* inPieces(recording: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  for await (const bytes of recording) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      // Those that wait continue in the next turn, each with one piece at least, so that none waits for ever.
      if (isTurnDue()) await nextEventLoopTurn();
      yield bytes.subarray(at, at + PIECE_BYTES);
    }
  }
}

async function convertPart(
  { file: recording }: MultipartFile,
  file: SpooledFile,
  format: FormatName,
  maxBytes: number,
): Promise<Converted> {
  try {
    const { body, mediaType, fileName, report } = convert(inPieces(legible<Buffer>(recording)), { format });
    const bytes = await file.write(atMost(MAX_GROWTH * maxBytes, body));
    if (recording.truncated) throw tooLarge(maxBytes);
    return { fileName: await fileName, bytes, mediaType, report: await report };
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    // A file truncated at the limit may fail only because of the truncation.
    if (recording.truncated) throw tooLarge(maxBytes);
    if (error.code === "NO_SAMPLES") throw errors.field(FIELD, "The recording has no sample.", error.code);
    throw errors.field(FIELD, error.message, error.code);
  }
}

/** A row of TCX, the longest of all formats, has about 380 bytes, and its frame 100. */
const MAX_GROWTH = 4;

/** Yields the bytes of a converted file unless they are too many for the disk. */
async function* atMost(maxBytes: number, file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of file) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw errors.tooLarge(`The converted file would have more than ${maxBytes} bytes.`);
    }
    yield piece;
  }
}

const tooLarge = (maxBytes: number) => errors.tooLarge(`The file may have at most ${maxBytes} bytes.`);
