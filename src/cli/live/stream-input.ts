/** The bytes of a recording, from any offset that the service may ask for. */
export interface StreamInput {
  /** Name of the recording, under which the service knows how far it is stored. */
  readonly recording: string;
  /**
   * Reads from an offset to the end, as the bytes come.
   * @throws DescribedError if these bytes are no longer there; errors of the system
   */
  read(offset: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The bytes before this offset are stored, and not read again. */
  acknowledge(offset: number): void;
  /** Whether the recording ends with the command, because nobody can read on later. */
  readonly endsWithCommand: boolean;
  /** Ends the recording with the bytes that have been read. */
  end(): void;
  close(): void;
}
