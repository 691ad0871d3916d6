import type { MultipartFile } from "@fastify/multipart";
import { AsiError, type Inspection, inspect } from "asi-convert";
import type { FastifyRequest } from "fastify";
import { errors } from "../../domain/errors.js";
import type { SpooledFile } from "./spool.js";

const FIELD = "file";

/** Whatever else the form holds is read over; this much of it. */
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 20, files: 5, parts: 25, headerPairs: 50 };

/**
 * Receives the form's one file, scanned while it arrives: a recording that cannot be converted is refused at the first
 * byte that tells.
 * @returns what is in it
 * @throws ServiceError on the field `file`: missing, twice, no recording (the library's code); `too_large`
 */
export async function receiveRecording(
  request: FastifyRequest,
  file: SpooledFile,
  maxBytes: number,
): Promise<Inspection> {
  let inspection: Inspection | undefined;
  let problem = "No file was submitted.";
  try {
    for await (const part of legible(request.parts({ limits: { ...LIMITS, fileSize: maxBytes } }))) {
      if (part.type === "field") {
        if (part.fieldname === FIELD) problem = "The submitted data was not a file.";
      } else if (part.fieldname !== FIELD) {
        part.file.resume();
      } else if (inspection !== undefined) {
        throw errors.field(FIELD, "Submit one file only.");
      } else {
        inspection = await scan(part, file, maxBytes);
      }
    }
  } finally {
    // The client is still sending when the answer is known early; it reads the answer when it is done.
    request.raw.unpipe();
    request.raw.resume();
  }
  if (inspection === undefined) throw errors.field(FIELD, problem);
  return inspection;
}

/** What the parser gives; where it fails, the form is at fault. */
async function* legible<T>(parsed: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* parsed;
  } catch (error) {
    if (error instanceof Error && "statusCode" in error) throw error;
    throw errors.malformed("The form could not be read: it is broken or ends too early.");
  }
}

async function scan(
  { file: bytes }: MultipartFile,
  file: SpooledFile,
  maxBytes: number,
): Promise<Inspection> {
  try {
    const inspection = await inspect(file.keep(legible(bytes)));
    if (bytes.truncated) throw tooLarge(maxBytes);
    if (inspection.fileName === null) {
      throw errors.field(FIELD, "The recording has no sample.", "NO_SAMPLES");
    }
    return inspection;
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    // A file cut off at the limit may fail for that alone.
    if (bytes.truncated) throw tooLarge(maxBytes);
    throw errors.field(FIELD, error.message, error.code);
  }
}

const tooLarge = (maxBytes: number) => errors.tooLarge(`The file may have at most ${maxBytes} bytes.`);
