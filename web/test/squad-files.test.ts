import { expect, it } from "vitest";
import type { OpenRecording } from "../src/recording/squad/squad-recording.js";
import { SquadFiles } from "../src/squad/squad-files.js";
import type { SquadWorkers } from "../src/squad/workers.js";

/** Workers that read recordings with the same content. A reading ends when the test says so. */
class WorkersInAnyOrder {
  readonly count = 2;
  readonly forgotten: string[] = [];
  readonly #ends = new Map<string, () => void>();

  async read({ id, file }: { id: number; file: File }): Promise<Pick<OpenRecording, "id" | "file">> {
    await new Promise<void>((resolve) => this.#ends.set(file.name, resolve));
    const column = Int32Array.of(1);
    const samples = {
      length: 1,
      timestampMs: Float64Array.of(1),
      latitudeE7: column,
      longitudeE7: column,
      altitudeMm: column,
      speedMmPerS: column,
      hr: Uint8Array.of(0),
    };
    return { id, file, serial: "A", samples } as unknown as OpenRecording;
  }

  forget({ file }: OpenRecording): void {
    this.forgotten.push(file.name);
  }

  async end(name: string): Promise<void> {
    while (!this.#ends.has(name)) await new Promise(setImmediate);
    this.#ends.get(name)?.();
    await new Promise(setImmediate);
  }
}

it.each([
  ["in the order of the files", ["Keller.asi", "copy.asi"]],
  ["in the opposite order", ["copy.asi", "Keller.asi"]],
])("the first of two equal files stays if they are read %s", async (_, order) => {
  const workers = new WorkersInAnyOrder();
  const files = new SquadFiles(workers as unknown as SquadWorkers, null, {
    onSheet() {},
    onShown() {},
  });
  const added = files.add(["Keller.asi", "copy.asi"].map((name) => new File([], name)));
  for (const name of order) await workers.end(name);
  await added;
  expect(files.recordings.value.map(({ file }) => file.name)).toEqual(["Keller.asi"]);
  expect(files.files.value.map(({ state }) => state)[1]).toEqual({
    name: "left out",
    why: "The same as Keller.asi.",
  });
  expect(workers.forgotten).toEqual(["copy.asi"]);
});

/** Workers that read different recordings at once, unless the reading is cancelled. */
const quickWorkers = {
  count: 1,
  async read({ id, file }: { id: number; file: File }, _: number, { signal }: { signal: AbortSignal }) {
    if (file.size > 0) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    signal.throwIfAborted();
    const samples = { length: 0, timestampMs: Float64Array.of() };
    return { id, file, serial: String(id), shiftMs: 0, startMs: 1000, damagedAfterMs: [], samples };
  },
  forget() {},
} as unknown as SquadWorkers;

const namesIn = (files: SquadFiles) => files.recordings.value.map(({ file }) => file.name);

it("files that are added after the end of reading are read, even before the last reading has ended", async () => {
  const files = new SquadFiles(quickWorkers, null, { onSheet() {}, onShown() {} });
  const endless = files.add([new File(["rows"], "endless.asi")]);
  await expect.poll(() => files.files.value[0]?.state.name).toBe("reading");
  files.stopReading();
  const added = files.add([new File([], "added.asi")]);
  await Promise.all([endless, added]);
  expect(namesIn(files)).toEqual(["added.asi"]);
});

it("a clock that is shifted twice to the same difference is shifted once", async () => {
  const files = new SquadFiles(quickWorkers, null, { onSheet() {}, onShown() {} });
  await files.add([new File([], "Keller.asi")]);
  const id = files.recordings.value[0]?.id ?? 0;
  const times = () => files.recordings.value.map(({ shiftMs, startMs }) => [shiftMs, startMs]);
  files.shiftClock(id, 3000);
  files.shiftClock(id, 3000);
  expect(times()).toEqual([[3000, 4000]]);
  files.shiftClock(id, 0);
  expect(times()).toEqual([[0, 1000]]);
});
