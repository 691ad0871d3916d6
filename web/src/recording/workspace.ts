import { type Signal, signal } from "@preact/signals";
import type { RecordingReader } from "./messages.js";
import { ReadingError } from "./reading-error.js";
import type { Recording } from "./recording.js";

/** A file that could not be read. */
export interface Problem {
  file: File;
  code: string | null;
  message: string;
  /** "at byte 1,234", or empty. */
  place: string;
}

/** A file that is being read. */
export interface Reading {
  fileName: string;
  /** 0 to 1. */
  share: number;
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
    if (files.length === 0 || this.reading.peek() !== null) return;
    this.problems.value = [];
    const kept = isAdding ? this.opened.peek() : [];
    const read: Recording[] = [];
    try {
      for (const file of files) {
        const origin = (kept[0] ?? read[0])?.track.origin ?? null;
        const recording = await this.#read(file, serial, origin);
        if (recording !== null) read.push(recording);
      }
    } finally {
      this.reading.value = null;
    }
    if (read.length === 0) return;
    const replaced = isAdding ? [] : this.opened.peek();
    this.opened.value = [...kept, ...read];
    for (const { id } of replaced) this.reader.ask("close", { id });
  }

  /** Opens made-up recordings, one for each number. */
  async openDemonstration(numbers: readonly number[]): Promise<void> {
    const files: File[] = [];
    try {
      for (const number of numbers) {
        const share = files.length / numbers.length;
        this.reading.value = { fileName: "the demonstration", share };
        files.push(await this.reader.ask("demonstrate", { number }));
      }
    } finally {
      this.reading.value = null;
    }
    await this.open(files);
  }

  async #read(
    file: File,
    serial: string | null,
    origin: Recording["track"]["origin"] | null,
  ): Promise<Recording | null> {
    this.reading.value = { fileName: file.name, share: 0 };
    try {
      return await this.reader.ask("open", { file, serial, origin }, (bytes) => {
        this.reading.value = { fileName: file.name, share: file.size === 0 ? 1 : bytes / file.size };
      });
    } catch (error) {
      this.problems.value = [...this.problems.peek(), problemOf(file, error)];
      return null;
    }
  }

  close(id: number): void {
    this.opened.value = this.opened.peek().filter((recording) => recording.id !== id);
    this.reader.ask("close", { id });
  }
}

function problemOf(file: File, error: unknown): Problem {
  if (!(error instanceof ReadingError)) return { file, code: null, message: String(error), place: "" };
  const { code, message, byteOffset, line } = error.failure;
  const place =
    line !== null ? `line ${line}` : byteOffset !== null ? `byte ${byteOffset.toLocaleString("en-GB")}` : "";
  return { file, code, message, place };
}
