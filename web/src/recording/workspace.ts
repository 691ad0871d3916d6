import { type Signal, signal } from "@preact/signals";
import type { DeviceRange } from "./fetch-range.js";
import type { RecordingReader } from "./messages.js";
import { ReadingError } from "./reading-error.js";
import type { Recording } from "./recording.js";

type Origin = Recording["track"]["origin"];

/** A file or a range that could not be read. */
export interface Problem {
  /** What it is called. */
  name: string;
  /** Null for a range of the service. */
  file: File | null;
  code: string | null;
  message: string;
  /** "at byte 1,234", or empty. */
  place: string;
}

/** A file or a range that is being read. */
export interface Reading {
  fileName: string;
  /** 0 to 1. */
  share: number;
  /** Null for what takes no long time. */
  cancel: (() => void) | null;
}

export interface OpenOptions {
  /** Shows the files beside those that are open, instead of in their place. */
  isAdding?: boolean;
  /** Serial number for logs of receivers, which have no header. */
  serial?: string | null;
}

/** The recordings that are open, and what is going on with others. */
export class Workspace {
  readonly opened: Signal<readonly Recording[]> = signal([]);
  readonly reading: Signal<Reading | null> = signal(null);
  readonly problems: Signal<readonly Problem[]> = signal([]);
  readonly reader: RecordingReader;

  constructor(reader: RecordingReader) {
    this.reader = reader;
  }

  /** Reads files one after the other, and shows them instead of those that are open. */
  async open(files: readonly File[], { isAdding = false, serial = null }: OpenOptions = {}): Promise<void> {
    await this.#openAll(files, isAdding, (file, origin) => this.#read(file, serial, origin));
  }

  /**
   * Fetches ranges from the service, and shows them instead of those that are open.
   * @returns whether one of them is shown; otherwise `problems` says why not, or the user has cancelled
   */
  openRanges(ranges: readonly DeviceRange[], { isAdding = false }: OpenOptions = {}): Promise<boolean> {
    return this.#openAll(ranges, isAdding, (range, origin) => this.#fetch(range, origin));
  }

  async #openAll<Source>(
    sources: readonly Source[],
    isAdding: boolean,
    read: (source: Source, origin: Origin | null) => Promise<Recording | null>,
  ): Promise<boolean> {
    if (sources.length === 0 || this.reading.peek() !== null) return false;
    this.problems.value = [];
    const kept = isAdding ? this.opened.peek() : [];
    const added: Recording[] = [];
    try {
      for (const source of sources) {
        const recording = await read(source, (kept[0] ?? added[0])?.track.origin ?? null);
        if (recording !== null) added.push(recording);
      }
    } finally {
      this.reading.value = null;
    }
    if (added.length === 0) return false;
    const replaced = isAdding ? [] : this.opened.peek();
    this.opened.value = [...kept, ...added];
    for (const { id } of replaced) this.reader.ask("close", { id });
    return true;
  }

  /** Opens made-up recordings, one for each number. */
  async openDemonstration(numbers: readonly number[]): Promise<void> {
    const files: File[] = [];
    try {
      for (const number of numbers) {
        const share = files.length / numbers.length;
        this.reading.value = { fileName: "the demonstration", share, cancel: null };
        files.push(await this.reader.ask("demonstrate", { number }));
      }
    } finally {
      this.reading.value = null;
    }
    await this.open(files);
  }

  async #read(file: File, serial: string | null, origin: Origin | null): Promise<Recording | null> {
    this.reading.value = { fileName: file.name, share: 0, cancel: null };
    try {
      return await this.reader.ask("open", { file, serial, origin }, (bytes) => {
        const share = file.size === 0 ? 1 : bytes / file.size;
        this.reading.value = { fileName: file.name, share, cancel: null };
      });
    } catch (error) {
      this.problems.value = [...this.problems.peek(), problemOf(file.name, file, error)];
      return null;
    }
  }

  async #fetch(range: DeviceRange, origin: Origin | null): Promise<Recording | null> {
    const name = `${range.device.name}, ${new Date(range.startMs).toISOString().slice(0, 10)}`;
    const controller = new AbortController();
    const show = (samples: number) => {
      const share = range.size === 0 ? 1 : Math.min(1, samples / range.size);
      this.reading.value = { fileName: name, share, cancel: () => controller.abort() };
    };
    show(0);
    try {
      return await this.reader.ask("fetchRange", { range, origin }, show, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) {
        this.problems.value = [...this.problems.peek(), problemOf(name, null, error)];
      }
      return null;
    }
  }

  close(id: number): void {
    this.opened.value = this.opened.peek().filter((recording) => recording.id !== id);
    this.reader.ask("close", { id });
  }
}

function problemOf(name: string, file: File | null, error: unknown): Problem {
  if (!(error instanceof ReadingError)) return { name, file, code: null, message: String(error), place: "" };
  const { code, message, byteOffset, line } = error.failure;
  const place =
    line !== null ? `line ${line}` : byteOffset !== null ? `byte ${byteOffset.toLocaleString("en-GB")}` : "";
  return { name, file, code, message, place };
}
