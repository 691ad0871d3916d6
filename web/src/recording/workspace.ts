import { type Signal, signal } from "@preact/signals";
import { ReadingError, type RecordingWorker } from "./client.js";
import type { Recording } from "./recording.js";

/** A file that could not be read. */
export interface Problem {
  fileName: string;
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

/** The recordings that are open, and what is going on with others. */
export class Workspace {
  readonly opened: Signal<readonly Recording[]> = signal([]);
  readonly reading: Signal<Reading | null> = signal(null);
  readonly problems: Signal<readonly Problem[]> = signal([]);
  readonly worker: RecordingWorker;

  constructor(worker: RecordingWorker) {
    this.worker = worker;
  }

  /** Reads files one after the other, and shows them instead of those that are open, or beside them with `isAdding`. */
  async open(files: readonly File[], { isAdding = false } = {}): Promise<void> {
    if (files.length === 0 || this.reading.peek() !== null) return;
    this.problems.value = [];
    const kept = isAdding ? this.opened.peek() : [];
    const read: Recording[] = [];
    try {
      for (const file of files) {
        const origin = (kept[0] ?? read[0])?.track.origin ?? null;
        const recording = await this.#read(file, origin);
        if (recording !== null) read.push(recording);
      }
    } finally {
      this.reading.value = null;
    }
    if (read.length === 0) return;
    const replaced = isAdding ? [] : this.opened.peek();
    this.opened.value = [...kept, ...read];
    for (const { id } of replaced) this.worker.ask("close", { id });
  }

  async #read(file: File, origin: Recording["track"]["origin"] | null): Promise<Recording | null> {
    this.reading.value = { fileName: file.name, share: 0 };
    try {
      return await this.worker.ask("open", { file, origin }, (bytes) => {
        this.reading.value = { fileName: file.name, share: file.size === 0 ? 1 : bytes / file.size };
      });
    } catch (error) {
      this.problems.value = [...this.problems.peek(), problemOf(file.name, error)];
      return null;
    }
  }

  close(id: number): void {
    this.opened.value = this.opened.peek().filter((recording) => recording.id !== id);
    this.worker.ask("close", { id });
  }
}

function problemOf(fileName: string, error: unknown): Problem {
  if (!(error instanceof ReadingError)) return { fileName, code: null, message: String(error), place: "" };
  const { code, message, byteOffset, line } = error.failure;
  const place =
    line !== null ? `line ${line}` : byteOffset !== null ? `byte ${byteOffset.toLocaleString("en-GB")}` : "";
  return { fileName, code, message, place };
}
