import { type Signal, signal } from "@preact/signals";
import { ReadingError } from "./calls.js";
import type { DeviceRange } from "./fetch-range.js";
import type { RecordingService } from "./messages.js";
import type { Recording } from "./recording.js";

type Origin = Recording["track"]["origin"];

/** A file or a range that could not be read. */
export interface Problem {
  /** The name of the file or range. */
  name: string;
  /** The file, or null for a range of the service. */
  file: File | null;
  code: string | null;
  message: string;
  /** The line of the error in a text, counted from 1, or null if there is none. */
  line: number | null;
  /** The byte offset of the error, or null if the error concerns the whole file. */
  byteOffset: number | null;
}

/** A file or a range that is being read. */
export interface Reading {
  fileName: string;
  /** Progress, 0 to 1. */
  share: number;
}

export interface OpenOptions {
  /** Whether the files are added to the open ones instead of replacing them. */
  isAdding?: boolean;
  /** Serial number for logs of receivers, which have no header. */
  serial?: string | null;
}

/** The open recordings, and the progress of pending ones. */
export class Workspace {
  readonly opened: Signal<readonly Recording[]> = signal([]);
  readonly reading: Signal<Reading | null> = signal(null);
  /** Number of files and ranges in the queue. */
  readonly waiting: Signal<number> = signal(0);
  readonly problems: Signal<readonly Problem[]> = signal([]);
  readonly reader: RecordingService;
  #cancelling = new AbortController();
  /** Number of queued and running tasks, and the end of the last one. */
  #turns = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(reader: RecordingService) {
    this.reader = reader;
  }

  /**
   * Reads files one after another, and shows them instead of the open ones. Files that are opened in the meantime wait in the queue, and
   * are then added.
   * @returns as for `openRanges`
   */
  open(files: readonly File[], { isAdding = false, serial = null }: OpenOptions = {}): Promise<boolean> {
    return this.#openAll(files, isAdding, (file, origin, signal) => this.#read(file, serial, origin, signal));
  }

  /**
   * Fetches ranges from the service, and shows them instead of the open recordings.
   * @returns whether one of them is shown; otherwise `problems` contains the reason, or the user has cancelled
   */
  openRanges(ranges: readonly DeviceRange[], { isAdding = false }: OpenOptions = {}): Promise<boolean> {
    return this.#openAll(ranges, isAdding, (range, origin, signal) => this.#fetch(range, origin, signal));
  }

  async #openAll<Source>(
    sources: readonly Source[],
    isAdding: boolean,
    read: (source: Source, origin: Origin | null, signal: AbortSignal) => Promise<Recording | null>,
  ): Promise<boolean> {
    if (sources.length === 0) return false;
    return this.#inTurn(sources.length, (signal, isLater) => {
      if (!isLater) this.problems.value = [];
      return this.#readAll(sources, isAdding || isLater, signal, read);
    });
  }

  /**
   * Queues `work` after pending tasks.
   * @returns the result of `work`; false if it was cancelled before it started
   */
  async #inTurn(
    count: number,
    work: (signal: AbortSignal, isLater: boolean) => Promise<boolean>,
  ): Promise<boolean> {
    const { signal } = this.#cancelling;
    const before = this.#lastTurn;
    const isLater = this.#turns > 0;
    const take = async () => {
      if (isLater) {
        this.waiting.value += count;
        await before;
        this.waiting.value -= count;
        if (signal.aborted) return false;
      }
      return work(signal, isLater);
    };
    this.#turns += 1;
    const turn = take().finally(() => {
      this.#turns -= 1;
    });
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  async #readAll<Source>(
    sources: readonly Source[],
    isAdding: boolean,
    signal: AbortSignal,
    read: (source: Source, origin: Origin | null, signal: AbortSignal) => Promise<Recording | null>,
  ): Promise<boolean> {
    const kept = isAdding ? this.opened.peek() : [];
    const added: Recording[] = [];
    try {
      for (const source of sources) {
        if (signal.aborted) break;
        const recording = await read(source, (kept[0] ?? added[0])?.track.origin ?? null, signal);
        if (recording !== null) added.push(recording);
      }
    } finally {
      this.reading.value = null;
    }
    if (signal.aborted) {
      for (const { id } of added) this.reader.ask("close", { id });
      return false;
    }
    if (added.length === 0) return false;
    const replaced = isAdding ? [] : this.opened.peek();
    this.opened.value = [...kept, ...added];
    for (const { id } of replaced) this.reader.ask("close", { id });
    return true;
  }

  /** Opens generated recordings, one for each number. */
  async openDemonstration(numbers: readonly number[]): Promise<void> {
    await this.#inTurn(numbers.length, async (signal, isLater) => {
      const files: File[] = [];
      try {
        for (const number of numbers) {
          if (signal.aborted) return false;
          const share = files.length / numbers.length;
          this.reading.value = { fileName: "the demonstration", share };
          files.push(await this.reader.ask("demonstrate", { number }));
        }
      } finally {
        this.reading.value = null;
      }
      if (signal.aborted) return false;
      if (!isLater) this.problems.value = [];
      return this.#readAll(files, isLater, signal, (file, origin) => this.#read(file, null, origin, signal));
    });
  }

  /** Stops reading and clears the queue. Open recordings stay open. */
  cancel(): void {
    this.#cancelling.abort();
    this.#cancelling = new AbortController();
  }

  #read(
    file: File,
    serial: string | null,
    origin: Origin | null,
    signal: AbortSignal,
  ): Promise<Recording | null> {
    return this.#reading(file.name, file, file.size, signal, (onProgress) =>
      this.reader.ask("open", { file, serial, origin }, { onProgress, signal }),
    );
  }

  #fetch(range: DeviceRange, origin: Origin | null, signal: AbortSignal): Promise<Recording | null> {
    const name = `${range.device.name}, ${new Date(range.startMs).toISOString().slice(0, 10)}`;
    return this.#reading(name, null, range.size, signal, (onProgress) =>
      this.reader.ask("fetchRange", { range, origin }, { onProgress, signal }),
    );
  }

  /** @param size unit of the progress: bytes or samples */
  async #reading(
    name: string,
    file: File | null,
    size: number,
    signal: AbortSignal,
    read: (onProgress: (done: number) => void) => Promise<Recording>,
  ): Promise<Recording | null> {
    this.reading.value = { fileName: name, share: 0 };
    try {
      return await read((done) => {
        this.reading.value = { fileName: name, share: size === 0 ? 1 : Math.min(1, done / size) };
      });
    } catch (error) {
      if (signal.aborted) return null;
      this.problems.value = [...this.problems.peek(), problemOf(name, file, error)];
      return null;
    }
  }

  /** Closes data from the service and stops reading after the user has signed out. */
  closeFetched(): void {
    // Runs first. Otherwise, a range that is being fetched would still be shown.
    this.cancel();
    this.problems.value = [];
    for (const { id, facts } of this.opened.peek()) if (facts.kind === "service") this.close(id);
  }

  close(id: number): void {
    this.opened.value = this.opened.peek().filter((recording) => recording.id !== id);
    this.reader.ask("close", { id });
  }
}

function problemOf(name: string, file: File | null, error: unknown): Problem {
  const problem = { name, file, code: null, message: String(error), line: null, byteOffset: null };
  if (!(error instanceof ReadingError)) return problem;
  const { byteOffset, ...failure } = error.failure;
  // an error at the first byte concerns the whole file
  return { ...problem, ...failure, byteOffset: byteOffset === 0 ? null : byteOffset };
}
