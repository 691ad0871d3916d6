import { setImmediate } from "node:timers/promises";
import type { MultipartFile } from "@fastify/multipart";
import { AsiError, convert, type Report } from "asi-convert";
import type { FastifyRequest } from "fastify";
import { errors } from "../../domain/errors.js";
import type { SpooledFile } from "./spool.js";

const FIELD = "file";

/** Whatever else the form holds is read over; this much of it. */
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 20, files: 5, parts: 25, headerPairs: 50 };

/** Bytes that may wait in the form's parser, and behind it: with its own 16 KiB it stops the connection at every piece. */
const WAITING = { highWaterMark: 1024 * 1024, fileHwm: 1024 * 1024 };

/** A recording that was converted. */
export interface Converted {
  /** Name of the CSV. */
  fileName: string;
  /** Size of the CSV. */
  bytes: number;
  report: Report;
}

/**
 * Receives the form's one file and converts it while it arrives: one pass, and a recording that cannot be converted is
 * refused at the first byte that tells. The CSV waits on disk, because its name and the answer's status are known only
 * at its end; it is smaller than the recording, each row being shorter than its frame.
 *
 * @param csv where the CSV is written
 * @throws ServiceError on the field `file`: missing, twice, no recording (the library's code); `too_large`
 */
export async function receiveAndConvert(
  request: FastifyRequest,
  csv: SpooledFile,
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
        converted = await convertPart(part, csv, maxBytes);
      }
    }
  } finally {
    // The client is still sending when the answer is known early; it reads the answer when it is done.
    request.raw.unpipe();
    request.raw.resume();
  }
  if (converted === undefined) throw errors.field(FIELD, problem);
  return converted;
}

const TOO_MANY = /^FST_(PARTS|FILES|FIELDS)_LIMIT$/;

/** What the parser gives; where it fails, the form is at fault. */
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

/** Hostile bytes of this many are converted in a few milliseconds. */
const PIECE_BYTES = 64 * 1024;

/** Lets the event loop turn after each piece: the parser gives all that waits as one, and others would wait for that. */
async function* inPieces(recording: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  for await (const bytes of recording) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield bytes.subarray(at, at + PIECE_BYTES);
      await setImmediate();
    }
  }
}

async function convertPart(
  { file: recording }: MultipartFile,
  csv: SpooledFile,
  maxBytes: number,
): Promise<Converted> {
  try {
    const conversion = convert(inPieces(legible<Buffer>(recording)));
    const bytes = await csv.write(conversion.csv);
    if (recording.truncated) throw tooLarge(maxBytes);
    return { fileName: await conversion.fileName, bytes, report: await conversion.report };
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    // A file cut off at the limit may fail for that alone.
    if (recording.truncated) throw tooLarge(maxBytes);
    if (error.code === "NO_SAMPLES") throw errors.field(FIELD, "The recording has no sample.", error.code);
    throw errors.field(FIELD, error.message, error.code);
  }
}

const tooLarge = (maxBytes: number) => errors.tooLarge(`The file may have at most ${maxBytes} bytes.`);
