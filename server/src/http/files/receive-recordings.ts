import { PassThrough } from "node:stream";
import { AsiError } from "asi-convert";
import type { FastifyRequest } from "fastify";
import { errors, ServiceError } from "../../domain/change/errors.js";
import { tooLarge } from "./base64-text.js";
import { asLibraryError, unpacked } from "./gzip.js";
import { inPieces } from "./paced-reading.js";
import { FIELD, readForm, WAITING } from "./receive.js";

/** Maximum number of files in a form. */
export const MAX_FILES = 100;

const LIMITS = { fieldNameSize: 100, fieldSize: 1024, headerPairs: 50 };

/** A file of a request: its result, or the reason why it was refused. */
export type Received<T> = { name: string | null } & (
  | { accepted: T; refused?: undefined }
  | { refused: ServiceError }
);

/**
 * Receives recordings one after another, as they arrive: all files of a form, or the body itself. A file that is refused does not
 * affect the others. A gzip file is decompressed, up to the maximum size of recordings.
 * @param accept reads a recording
 * @returns the files in order
 * @throws ServiceError on the whole request: no file, too many files, unknown fields
 */
export async function receiveRecordings<T>(
  request: FastifyRequest,
  maxBytes: number,
  accept: (recording: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Received<T>[]> {
  const read = (file: AsyncIterable<Buffer>, name: string | null) =>
    receiveFile(file, name, maxBytes, accept);
  try {
    if (!request.isMultipart()) return [await read(readForm<Buffer>(request.raw), null)];
    const received: Received<T>[] = [];
    // One byte above the maximum size shows that the file is too large.
    const parts = request.parts({ limits: { ...LIMITS, fileSize: maxBytes + 1 }, ...WAITING });
    for await (const part of readForm(parts)) {
      if (part.type === "field" || part.fieldname !== FIELD) throw unknownPart(part);
      if (received.length === MAX_FILES) throw tooManyFiles();
      received.push(await read(readForm<Buffer>(part.file), part.filename));
    }
    if (received.length === 0) throw errors.field(FIELD, "No file was submitted.");
    return received;
  } finally {
    // If the request is refused early, read the rest, because the client is still sending and reads the response later.
    request.raw.unpipe();
    request.raw.resume();
  }
}

const unknownPart = ({ type, fieldname }: { type: "field" | "file"; fieldname: string }) =>
  type === "field" && fieldname === FIELD
    ? errors.field(FIELD, "The submitted data was not a file.")
    : errors.invalid({ [fieldname]: ["Unknown field."] });

const tooManyFiles = () =>
  errors.field(
    FIELD,
    `A request may have at most ${MAX_FILES} files. The first ${MAX_FILES} are processed; send the others in another request.`,
    "too_many_files",
  );

/** Reads the file to its end even if it is refused, because the next file follows. */
async function receiveFile<T>(
  file: AsyncIterable<Buffer>,
  name: string | null,
  maxBytes: number,
  accept: (recording: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Received<T>> {
  const passed = new PassThrough();
  // The reader gets the error.
  passed.on("error", () => undefined);
  const accepted = unpacked(passed, maxBytes, () => tooLarge(maxBytes)).then((recording) =>
    accept(inPieces(recording)),
  );
  // A file that is refused early is read to its end.
  accepted.finally(() => passed.destroy()).catch(() => undefined);
  try {
    let bytes = 0;
    for await (const chunk of file) {
      bytes += chunk.length;
      if (bytes > maxBytes) passed.destroy(tooLarge(maxBytes));
      if (!passed.destroyed && !passed.write(chunk)) await drained(passed);
    }
    passed.end();
  } catch (error) {
    // The client has disconnected, or the form is malformed.
    passed.destroy(error as Error);
    await accepted.catch(() => undefined);
    throw error;
  }
  try {
    return { name, accepted: await accepted };
  } catch (error) {
    return { name, refused: refusalOf(error) };
  }
}

/** Resolves when the stream accepts more data or is no longer read. */
function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.on("drain", done).on("close", done);
  });
}

/** Returns the refusal of a file. @throws errors that the file has not caused */
function refusalOf(cause: unknown): ServiceError {
  const error = asLibraryError(cause);
  if (error instanceof AsiError) return errors.file(error.code, error.message);
  if (error instanceof ServiceError) return error;
  throw error;
}

/** Returns the error for a request without an accepted file. */
export function allRefused(files: readonly { refused: ServiceError }[]): ServiceError {
  const [first] = files;
  if (first === undefined) throw new Error("There is no file");
  const { kind, code, retryAfterMs } = first.refused;
  const isSame = files.every(({ refused }) => refused.code === code);
  const fields = files.map(({ refused }, index) => [`${FIELD}.${index}`, refused] as const);
  return new ServiceError(
    isSame ? kind : "invalid",
    isSame ? code : "no_recording_accepted",
    Object.fromEntries(
      fields.map(([field, { body }]) => [field, [String((body as { detail: string }).detail)]]),
    ),
    isSame ? retryAfterMs : undefined,
    Object.fromEntries(fields.map(([field, refused]) => [field, refused.code])),
  );
}
