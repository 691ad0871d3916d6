import type { Readable } from "node:stream";
import type { MultipartFile } from "@fastify/multipart";
import { AsiError, convert, type FormatName, RecordingReader, type Report } from "asi-convert";
import type { FastifyRequest } from "fastify";
import { errors, ServiceError } from "../../domain/change/errors.js";
import { asLibraryError, unpacked } from "./gzip.js";
import { inPieces, readPaced } from "./paced-reading.js";
import type { SpooledFile } from "./spool.js";

/** Name of the file in a form. */
export const FIELD = "file";

/** Maximum size of other parts of the form, which are ignored. */
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 20, files: 5, parts: 25, headerPairs: 50 };

/** Buffer size of the form parser and the stream after it. The default of 16 KiB pauses the connection at every chunk. */
export const WAITING = { highWaterMark: 1024 * 1024, fileHwm: 1024 * 1024 };

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
 * Receives the one file of the form and converts it in one pass as it arrives. Refuses an invalid recording at the
 * first byte that shows the error. The converted file is stored until the end, when its name and the status of the
 * response are known. A gzip file is decompressed, up to the maximum size of recordings. A CSV is smaller than the
 * recording, because each row is shorter than its frame. Files of other formats can be larger; they are limited to four
 * times the maximum size of a recording.
 *
 * @param file storage for the converted file
 * @throws ServiceError on the field `file`: missing, given twice, or not a recording (with the library's code); `too_large`
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
    for await (const part of readForm(
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
    // If the result is known early, read the rest, because the client is still sending and reads the response later.
    request.raw.unpipe();
    request.raw.resume();
  }
  if (converted === undefined) throw errors.field(FIELD, problem);
  return converted;
}

const TOO_MANY = /^FST_(PARTS|FILES|FIELDS)_LIMIT$/;

/** Yields the output of the parser. An error of the parser means that the form is invalid. */
export async function* readForm<T>(parsed: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* parsed;
  } catch (error) {
    throw formError(error);
  }
}

function formError(cause: unknown): Error {
  const error = asLibraryError(cause);
  if (error instanceof Error && "code" in error && TOO_MANY.test(String(error.code))) {
    return errors.malformed("The form has too many parts.");
  }
  // Errors of the compressed data, or of this service.
  if (error instanceof AsiError || error instanceof ServiceError) return error;
  if (error instanceof Error && "statusCode" in error) return error;
  return errors.malformed("The form could not be read because it is malformed or truncated.");
}

async function convertPart(
  { file: received }: MultipartFile,
  file: SpooledFile,
  format: FormatName,
  maxBytes: number,
): Promise<Converted> {
  try {
    const recording = await unpacked(received, maxBytes, () => tooLarge(maxBytes));
    const converted = await (format === "csv"
      ? convertToCsv(recording, file)
      : convertToFormat(recording, file, format, MAX_GROWTH * maxBytes));
    if (received.truncated) throw tooLarge(maxBytes);
    if (converted === null) throw noSample();
    return converted;
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    // A file truncated at the limit may only fail because of the truncation.
    if (received.truncated) throw tooLarge(maxBytes);
    if (error.code === "NO_SAMPLES") throw noSample();
    throw errors.field(FIELD, error.message, error.code);
  }
}

/**
 * Uses a single loop, because streams and promises per piece would take as long as the conversion.
 * @returns null for a recording without a sample
 */
async function convertToCsv(recording: Readable, file: SpooledFile): Promise<Converted | null> {
  const reader = new RecordingReader({ output: "csv" });
  try {
    const bytes = await file.fill(async (add) => {
      await readPaced(recording, (piece) => add(reader.push(piece)), formError);
      await add(reader.finish());
    });
    const { fileName, report } = reader.result;
    return fileName === null ? null : { fileName, bytes, mediaType: "text/csv", report };
  } finally {
    reader.close();
  }
}

async function convertToFormat(
  recording: Readable,
  file: SpooledFile,
  format: FormatName,
  maxBytes: number,
): Promise<Converted> {
  const { body, mediaType, fileName, report } = convert(inPieces(readForm<Buffer>(recording)), { format });
  const bytes = await file.write(atMost(maxBytes, body));
  return { fileName: await fileName, bytes, mediaType, report: await report };
}

const noSample = () => errors.field(FIELD, "The recording has no samples.", "NO_SAMPLES");

/** A row of TCX, the longest of all formats, has about 380 bytes, and its frame 100. */
export const MAX_GROWTH = 4;

/** Yields the bytes of a converted file, unless there are too many for the disk. */
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

const tooLarge = (maxBytes: number) => errors.tooLarge(`The file can have at most ${maxBytes} bytes.`);
