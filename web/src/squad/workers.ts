import { type MemberFigures, NO_FIGURES, type RecordingExtent } from "asi-convert/squad";
import type { Hooks } from "../recording/calls.js";
import { squadWorker } from "../recording/client.js";
import type { AskedMember, AskedOptions, SquadRequests } from "../recording/squad/messages.js";
import type { OpenRecording } from "../recording/squad/squad-recording.js";
import type { WorkerClient } from "../recording/worker-client.js";
import type { SquadFile } from "./squad-file.js";

/** Number of parallel readers. More readers would leave no capacity for the page on two cores. */
const WORKERS = 2;

/** The workers that read the recordings of a squad and compute its figures. Each worker has some of the recordings. */
export class SquadWorkers {
  readonly #workers = Array.from({ length: WORKERS }, (_, i) => squadWorker(`squad ${i + 1}`));
  /** The workers that have a recording. The first one has read it. */
  readonly #holders = new Map<number, number[]>();
  #nextId = 1;

  /** The number of files that can be read in parallel. */
  get count(): number {
    return this.#workers.length;
  }

  async peek(files: readonly File[]): Promise<(RecordingExtent | null)[]> {
    return Promise.all(files.map((file, i) => this.#at(i % WORKERS).ask("peek", { file })));
  }

  /** Generates all files of the match. @param onFile called for each generated recording */
  async demoFiles(timeZone: string, onFile: (share: number) => void): Promise<File[]> {
    // loaded on demand, because a generated match is rarely shown
    const { match, recordings, sheets } = (await import("./demo-sheets.js")).demoMatch(timeZone);
    const files: File[] = [];
    let next = 0;
    let made = 0;
    const work = async (worker: number) => {
      for (let number = next++; number < recordings; number = next++) {
        files[number] = await this.#at(worker).ask("demoFile", { ...match, number });
        onFile(++made / recordings);
      }
    };
    await Promise.all(this.#workers.map((_, worker) => work(worker)));
    return [...files, ...sheets];
  }

  /**
   * Reads a file in a worker.
   * @param worker a number from 0 to `count` - 1
   * @throws ReadingError
   */
  async read({ file, range }: SquadFile, worker: number, hooks: Hooks): Promise<OpenRecording> {
    const id = this.#nextId++;
    const at = this.#at(worker);
    const read = await (range === null
      ? at.ask("read", { id, file }, hooks)
      : at.ask("readRange", { id, range, fileName: file.name }, hooks));
    this.#holders.set(id, [worker]);
    return { ...read, id, file, shiftMs: 0 };
  }

  forget({ id }: OpenRecording): void {
    for (const worker of this.#holdersOf(id)) this.#at(worker).ask("forget", { id });
    this.#holders.delete(id);
  }

  /** Computes the figures of members, in their order. */
  async figures(
    members: readonly (Omit<AskedMember, "recordings"> & { recordings: readonly OpenRecording[] })[],
    options: AskedOptions,
  ): Promise<MemberFigures[]> {
    const places = await Promise.all(members.map(({ recordings }) => this.#together(recordings)));
    const figures: MemberFigures[] = members.map(() => NO_FIGURES);
    await Promise.all(
      this.#workers.map(async (worker, number) => {
        const own = places.flatMap((place, i) => (place === number ? [i] : []));
        if (own.length === 0) return;
        const asked = own
          .flatMap((i) => members[i] ?? [])
          .map(({ recordings, ...member }) => ({
            ...member,
            recordings: recordings.map(({ id, shiftMs }) => ({ id, shiftMs })),
          }));
        const answered = await worker.ask("memberFigures", { members: asked, options });
        for (const [at, one] of answered.entries()) figures[own[at] ?? 0] = one;
      }),
    );
    return figures;
  }

  end(): void {
    for (const worker of this.#workers) worker.end();
  }

  /** Returns the worker that has all of these recordings. Recordings that it lacks are sent to it first. */
  async #together(recordings: readonly OpenRecording[]): Promise<number> {
    const [first] = recordings;
    const [worker = 0] = first === undefined ? [] : this.#holdersOf(first.id);
    for (const { id, samples, shiftMs, file } of recordings) {
      const holders = this.#holdersOf(id);
      if (holders.includes(worker)) continue;
      await this.#at(worker).ask("adopt", { id, samples, shiftMs, file });
      this.#holders.set(id, [...holders, worker]);
    }
    return worker;
  }

  #holdersOf(id: number): readonly number[] {
    return this.#holders.get(id) ?? [];
  }

  #at(number: number): WorkerClient<SquadRequests> {
    const worker = this.#workers[number];
    if (worker === undefined) throw new Error(`There is no worker ${number}.`);
    return worker;
  }
}
