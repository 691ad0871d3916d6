import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { paced } from "./paced.js";
import type { StreamInput } from "./stream-input.js";

/**
 * This many bytes name the recording. They contain the header and the first rows, whose times differ from those of any other recording of
 * the device.
 */
const NAMED_BY_BYTES = 4096;

/** A file that can be read again from any offset, also when the command is run again. */
export class FileInput implements StreamInput {
  readonly recording: string;
  readonly endsWithCommand = false;
  readonly #path: string;
  readonly #serial: string;
  readonly #speed: number | null;
  /**
   * The time when the first row was sent, and the time of that row. Both are kept when the connection is lost, so that the replay catches
   * up.
   */
  readonly #pace = { startMs: null as number | null, firstRowMs: 0 };

  private constructor(path: string, serial: string, speed: number | null, recording: string) {
    this.#path = path;
    this.#serial = serial;
    this.#speed = speed;
    this.recording = recording;
  }

  /** @param speed speed of the replay; null to send as fast as possible */
  static async open(
    path: string,
    serial: string,
    speed: number | null,
    recording?: string,
  ): Promise<FileInput> {
    const file = await open(path);
    try {
      return new FileInput(path, serial, speed, recording ?? (await nameOf(file)));
    } finally {
      await file.close();
    }
  }

  read(offset: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const bytes: AsyncIterable<Uint8Array> = createReadStream(this.#path, { start: offset, signal });
    if (this.#speed === null) return bytes;
    return paced(bytes, { serial: this.#serial, speed: this.#speed, pace: this.#pace, signal });
  }

  acknowledge(): void {}

  end(): void {}

  close(): void {}
}

async function nameOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(NAMED_BY_BYTES), 0, NAMED_BY_BYTES, 0);
  return createHash("sha256").update(buffer.subarray(0, bytesRead)).digest("hex").slice(0, 32);
}
