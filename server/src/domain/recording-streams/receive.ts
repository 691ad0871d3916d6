import { setImmediate as nextTurn } from "node:timers/promises";
import { AsiError, RecordingReader, type Report } from "asi-convert";
import { bucketOf, RewriteLimit, type SampleColumns } from "../../store/samples/index.js";
import { RecordingRefused, scatteredAdvice } from "../bulk-load/refusal.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { OwnedDevice } from "../ownerships/rules.js";
import { type Beginning, beginStream } from "./begin.js";
import { deletePieces } from "./delete.js";
import { storedPieces } from "./pieces.js";
import type { RecordingStream } from "./resource.js";
import { type Counts, storePiece } from "./store-piece.js";

/** Number of bytes within which the header of a recording must end. */
const HEAD_BYTES = 64 * 1024;

/** Time by which a device may be ahead of the server's clock without a warning. */
const AHEAD_MS = 10_000;

/**
 * Receives a recording piece by piece: decodes it as it arrives and stores its samples. The result equals the result of
 * a single load of the whole recording, regardless of interruptions. A new receiver first reads the stored bytes again,
 * because heart rates depend on earlier parts of the recording.
 */
export class StreamReceiver {
  readonly counts: Counts = { read: 0, stored: 0, known: 0, refused: 0, unowned: 0 };
  readonly #ctx: Context;
  readonly #owned: OwnedDevice;
  readonly #reader = new RecordingReader({ output: "columns", hr: "auto" });
  readonly #buckets = new Set<number>();
  readonly #limit: RewriteLimit;
  #stream: RecordingStream;
  /** Number of bytes that the gateway sends again. */
  #repeatedBytes: number;
  #aheadMs = 0;

  private constructor(ctx: Context, owned: OwnedDevice, stream: RecordingStream, repeatedBytes: number) {
    this.#ctx = ctx;
    this.#owned = owned;
    this.#stream = stream;
    this.#limit = new RewriteLimit(stream.bytes > 0);
    this.#repeatedBytes = repeatedBytes;
  }

  /** @throws ServiceError `recording_ended`, `offset_ahead` */
  static async begin(ctx: Context, owned: OwnedDevice, beginning: Beginning): Promise<StreamReceiver> {
    const stream = await beginStream(ctx, owned, beginning);
    return new StreamReceiver(ctx, owned, stream, stream.bytes - beginning.offset);
  }

  get storedBytes(): number {
    return this.#stream.bytes;
  }

  /** Latest time of a stored sample of the recording, ms since 1970 UTC. */
  get storedUntilMs(): number | null {
    return this.#stream.storedUntilMs;
  }

  /** How far the latest time of the last piece is ahead of the server's clock, ms; 0 if it is not. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  get recording(): string {
    return this.#stream.recording;
  }

  /**
   * Reads the stored bytes of an interrupted recording again. Call it once, before the first piece.
   * @returns false if the signal was aborted: no piece may follow
   * @throws StreamReplaced
   */
  async prepare(ended: AbortSignal): Promise<boolean> {
    for await (const piece of storedPieces(this.#ctx.queries, this.#stream)) {
      // Let other requests run between two pieces, including a request that ends this one.
      await nextTurn();
      if (ended.aborted) return false;
      this.#decode(piece);
    }
    return !ended.aborted;
  }

  /**
   * Decodes and stores a piece.
   * @throws AsiError, ServiceError, RecordingRefused, StreamReplaced: the bytes of the piece are not stored
   */
  async take(bytes: Uint8Array): Promise<void> {
    const piece = bytes.subarray(Math.min(bytes.length, this.#repeatedBytes));
    this.#repeatedBytes -= bytes.length - piece.length;
    if (piece.length === 0) return;
    const { streamMaxBytes } = this.#ctx.config;
    if (this.#stream.bytes + piece.length > streamMaxBytes) {
      throw errors.tooLarge(
        `A streamed recording can have at most ${streamMaxBytes} bytes. Begin another one.`,
      );
    }
    const batches = this.#decode(piece);
    this.#requireOwnHeader(piece.length);
    await this.#store(piece, batches, false);
  }

  /**
   * Ends the recording.
   * @returns the report of the library
   * @throws as `take`
   */
  async end(): Promise<Report> {
    const batches = this.#reader.finish();
    const { report } = this.#reader.result;
    this.#requireOwnHeader(HEAD_BYTES);
    await this.#store(new Uint8Array(), batches, true);
    return report;
  }

  /**
   * Deletes the bytes after the end of the recording, when they are no longer needed. What remains after an error is deleted when
   * the device streams another recording, or by retention.
   */
  async deleteBytes(): Promise<void> {
    await deletePieces(this.#ctx.queries, this.#owned.device.id, ({ endedAt }) => endedAt !== null);
  }

  /** Releases the decoder. May be called at any time. */
  close(): void {
    this.#reader.close();
  }

  #decode(piece: Uint8Array): SampleColumns[] {
    const batches = this.#reader.push(piece);
    const { bulkLoadMaxChunks } = this.#ctx.config;
    for (const { timestampMs, length } of batches) {
      for (let i = 0; i < length; i++) this.#buckets.add(bucketOf(timestampMs[i] ?? 0));
    }
    if (this.#buckets.size > bulkLoadMaxChunks)
      throw new RecordingRefused("too_scattered", scatteredAdvice(bulkLoadMaxChunks));
    return batches;
  }

  #requireOwnHeader(newBytes: number): void {
    const { info } = this.#reader;
    const { serialNumber } = this.#owned.device;
    if (info === null) {
      if (this.#stream.bytes + newBytes < HEAD_BYTES) return;
      throw new AsiError("NOT_A_RECORDING", `There is no header in the first ${HEAD_BYTES} bytes.`);
    }
    if (info.serial === serialNumber) return;
    throw errors.file(
      "wrong_device",
      `The recording is from device ${info.serial}, not from device ${serialNumber}.`,
    );
  }

  async #store(piece: Uint8Array, batches: SampleColumns[], ends: boolean): Promise<void> {
    const { info } = this.#reader;
    // Storing the samples reorders them.
    const latestMs = latestOf(batches);
    const parts = storePiece(this.#ctx, this.#stream, { piece, batches, ends, info }, this.#limit);
    for await (const { stream, ...counts } of parts) {
      this.#stream = stream;
      for (const key of Object.keys(counts) as (keyof Counts)[]) this.counts[key] += counts[key];
    }
    if (latestMs !== null) {
      const aheadMs = latestMs - this.#ctx.clock.now().getTime();
      this.#aheadMs = aheadMs > AHEAD_MS ? aheadMs : 0;
    }
  }
}

function latestOf(batches: readonly SampleColumns[]): number | null {
  let latest: number | null = null;
  for (const { timestampMs, length } of batches) {
    for (const ms of timestampMs.subarray(0, length)) latest = Math.max(latest ?? ms, ms);
  }
  return latest;
}
