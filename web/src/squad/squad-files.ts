import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isSameRecording } from "asi-convert/squad";
import type { SheetKind } from "asi-convert/squad-sheets";
import { ReadingError } from "../recording/calls.js";
import { type OpenRecording, shifted } from "../recording/squad/squad-recording.js";
import { stableList } from "../view/stable-list.js";
import { type FileState, isOfSystem, readSheetFile, type SheetFile, type SquadFile } from "./squad-file.js";
import type { StoredSession } from "./stored-session.js";
import type { SquadWorkers } from "./workers.js";

/** What follows files. */
interface Followers {
  /** Called with each roster and each file of periods. */
  onSheet(kind: SheetKind): Promise<void> | void;
  /** Called when all files are read, together with the end of reading. */
  onShown(): void;
}

/** The files of a squad, or the ranges of a session in the service, with their states and the queue from which workers read them. */
export class SquadFiles {
  readonly files: Signal<readonly SquadFile[]> = signal([]);
  readonly isReading: Signal<boolean> = signal(false);
  /** All recordings that were read, including those from other sessions. */
  readonly recordings: ReadonlySignal<readonly OpenRecording[]>;
  readonly failed: ReadonlySignal<readonly SquadFile[]>;
  readonly #sheets: ReadonlySignal<readonly SquadFile[]>;
  readonly #workers: SquadWorkers;
  readonly #stored: StoredSession | null;
  readonly #followers: Followers;
  #lastFile = 0;
  #queue: number[] = [];
  #reading: Promise<void> | null = null;
  #cancelling = new AbortController();

  constructor(workers: SquadWorkers, stored: StoredSession | null, followers: Followers) {
    this.#workers = workers;
    this.#stored = stored;
    this.#followers = followers;
    // the progress of reading changes a file, but not these
    this.recordings = stableList(() =>
      this.files.value.flatMap(({ state }) => (state.name === "recording" ? state.recording : [])),
    );
    this.failed = stableList(() => this.files.value.filter(({ state }) => state.name === "failed"));
    this.#sheets = stableList(() => this.files.value.filter(({ state }) => state.name === "sheet"));
  }

  /** Reads additional files. Duplicates are omitted. @param lost stored files whose content is lost */
  async add(files: readonly File[], lost: ReadonlySet<File> = new Set()): Promise<void> {
    const added = files
      .filter((file) => !isOfSystem(file))
      .map(
        (file): SquadFile => ({
          id: ++this.#lastFile,
          file,
          range: null,
          state: lost.has(file) ? LOST : { name: "waiting" },
        }),
      );
    await this.#read(added);
  }

  /** Reads the ranges of the session in the service. */
  async addRanges(): Promise<void> {
    const added = [...(this.#stored?.ranges ?? [])].map(
      ([name, range]): SquadFile => ({
        id: ++this.#lastFile,
        file: new File([], name),
        range,
        state: { name: "waiting" },
      }),
    );
    await this.#read(added);
  }

  async #read(added: readonly SquadFile[]): Promise<void> {
    this.files.value = [...this.files.peek(), ...added];
    const wanted = added.filter(({ state }) => state !== LOST);
    // Rosters and periods come first. Names and times then do not change when the recordings are read.
    this.#queue.push(...wanted.toSorted((a, b) => sheetFirst(a) - sheetFirst(b)).map(({ id }) => id));
    this.#reading ??= this.#readQueue();
    await this.#reading;
  }

  /** Replaces the file with the corners of the pitch, or removes it if `null` is passed. */
  setCorners(file: File | null): void {
    const others = this.files.peek().filter(({ state }) => state.name !== "corners");
    if (file !== null) others.push({ id: CORNERS_ID, file, range: null, state: { name: "corners" } });
    this.files.value = others;
  }

  /** Stops reading. Completed files remain. */
  stopReading(): void {
    this.#cancelling.abort();
    this.#cancelling = new AbortController();
    this.#queue = [];
    this.files.value = this.files
      .peek()
      .filter(({ state }) => state.name !== "waiting" && state.name !== "reading");
  }

  /** Removes a file with all its data. */
  remove(id: number): void {
    const found = this.files.peek().find((one) => one.id === id);
    if (found?.state.name === "recording") this.#workers.forget(found.state.recording);
    this.files.value = this.files.peek().filter((one) => one.id !== id);
  }

  removeRecording(recordingId: number): void {
    const file = this.#fileOf(recordingId);
    if (file !== undefined) this.remove(file.id);
  }

  /** Replaces a file. */
  async replace(id: number, file: File): Promise<void> {
    this.remove(id);
    await this.add([file]);
  }

  /** Corrects the clock of a recording. @param shiftMs the difference to the times in the file */
  shiftClock(recordingId: number, shiftMs: number): void {
    const file = this.#fileOf(recordingId);
    if (file?.state.name !== "recording") return;
    this.#setState(file.id, { name: "recording", recording: shifted(file.state.recording, shiftMs) });
  }

  /** Returns the last file of a kind, or null if there is none. Follows the signals that it reads. */
  sheet(kind: SheetKind): (SheetFile & { fileName: string }) | null {
    const found = this.#sheets.value.findLast(({ state }) => state.name === "sheet" && state.kind === kind);
    if (found?.state.name !== "sheet") return null;
    return { ...found.state, fileName: found.file.name };
  }

  /** Cancels reading, and ends the workers. */
  close(): void {
    this.#cancelling.abort();
    this.#workers.end();
  }

  #fileOf(recordingId: number): SquadFile | undefined {
    return this.files
      .peek()
      .find(({ state }) => state.name === "recording" && state.recording.id === recordingId);
  }

  async #readQueue(): Promise<void> {
    this.isReading.value = true;
    const work = async (worker: number) => {
      for (let id = this.#queue.shift(); id !== undefined; id = this.#queue.shift()) {
        await this.#readFile(id, worker);
      }
    };
    try {
      do {
        await Promise.all(Array.from({ length: this.#workers.count }, (_, worker) => work(worker)));
        // files may have been added in the meantime
      } while (this.#queue.length > 0);
    } finally {
      this.#reading = null;
      batch(() => {
        this.isReading.value = false;
        this.#followers.onShown();
      });
    }
  }

  async #readFile(id: number, worker: number): Promise<void> {
    const { signal } = this.#cancelling;
    const found = this.files.peek().find((one) => one.id === id);
    if (found === undefined) return;
    const { file, range } = found;
    const sheet = await readSheetFile(file);
    if (sheet === "no reader") {
      this.#setState(id, { name: "left out", why: "Load the page again to read it." });
      return;
    }
    if (sheet !== null) {
      this.#setState(id, sheet.kind === "corners" ? { name: "corners" } : { name: "sheet", ...sheet });
      return this.#followers.onSheet(sheet.kind);
    }
    const stored = this.#stored;
    if (stored !== null && range === null) {
      this.#setState(id, {
        name: "left out",
        why: "Load it under Recordings. Add periods.csv or pitch.csv here.",
      });
      return;
    }
    this.#setState(id, { name: "reading", bytes: 0 });
    try {
      const read = () =>
        this.#workers.read(found, worker, {
          signal,
          onProgress: (bytes) => this.#setState(id, { name: "reading", bytes }),
        });
      const recording = await (stored === null ? read() : stored.afterSigningIn(read));
      const same = this.files
        .peek()
        .find(({ state }) => state.name === "recording" && isSameRecording(recording, state.recording));
      // Workers end in any order. Of equal files, the one that was chosen first stays.
      if (same !== undefined && same.id < id) {
        this.#workers.forget(recording);
        this.#setState(id, sameAs(same.file));
        return;
      }
      if (same?.state.name === "recording") {
        this.#workers.forget(same.state.recording);
        this.#setState(same.id, sameAs(file));
      }
      this.#setState(id, { name: "recording", recording });
    } catch (error) {
      if (signal.aborted) return;
      this.#setState(
        id,
        range === null ? failedState(file, error) : { name: "left out", why: messageOf(error) },
      );
    }
  }

  #setState(id: number, state: FileState): void {
    this.files.value = this.files.peek().map((one) => (one.id === id ? { ...one, state } : one));
  }
}

/** Ids of selected files begin with 1. */
const CORNERS_ID = 0;

const LOST: FileState = {
  name: "failed",
  code: "NOT_KEPT",
  message: "This browser no longer has the file. Choose it again.",
};

const sameAs = ({ name }: File): FileState => ({ name: "left out", why: `The same as ${name}.` });

const sheetFirst = ({ file }: SquadFile): number => (RECORDING_NAME.test(file.name) ? 1 : 0);

const RECORDING_NAME = /\.(asi|ubx|fit|gpx|tcx)(\.gz)?$/i;

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function failedState(file: File, error: unknown): FileState {
  const code = error instanceof ReadingError ? error.failure.code : null;
  if (code === "NOT_A_RECORDING" && !RECORDING_NAME.test(file.name)) {
    return { name: "left out", why: "Not a recording, roster or period file." };
  }
  return { name: "failed", code, message: messageOf(error) };
}
