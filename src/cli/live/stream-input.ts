/** The bytes of a recording, which can be read from any offset that the service requests. */
export interface StreamInput {
  /** Name of the recording, by which the service identifies it. */
  readonly recording: string;
  /**
   * Reads from an offset to the end, as the bytes arrive.
   * @throws DescribedError if the bytes are no longer available; system errors
   */
  read(offset: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Called when all bytes before this offset are stored. These bytes are not read again. */
  acknowledge(offset: number): void;
  /** Whether the recording must end with the command, because it cannot be continued later. */
  readonly endsWithCommand: boolean;
  /** Ends the recording after the bytes that have been read. */
  end(): void;
  close(): void;
}
