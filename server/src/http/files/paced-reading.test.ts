import { Readable } from "node:stream";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { readPaced } from "./paced-reading.js";

const asIs = (error: Error) => error;
const pieces = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));

it("passes on all pieces in order", async () => {
  const taken: string[] = [];
  await readPaced(pieces("one", "two", "three"), (piece) => void taken.push(`${piece}`), asIs);
  expect(taken).toEqual(["one", "two", "three"]);
});

it("waits for the promise of each piece before the next", async () => {
  const events: string[] = [];
  await readPaced(
    pieces("one", "two"),
    async (piece) => {
      events.push(`${piece} taken`);
      for (let turn = 0; turn < 5; turn++) await nextEventLoopTurn();
      events.push(`${piece} written`);
    },
    asIs,
  );
  expect(events).toEqual(["one taken", "one written", "two taken", "two written"]);
});

it("ends with a specific error for an aborted stream, after the last piece is written", async () => {
  const recording = new Readable({ read() {} });
  recording.push("one");
  let isWritten = false;
  const reading = readPaced(
    recording,
    async () => {
      recording.destroy(new Error("reset"));
      for (let turn = 0; turn < 5; turn++) await nextEventLoopTurn();
      isWritten = true;
    },
    ({ message }) => new Error(`broken off: ${message}`),
  );
  await expect(reading).rejects.toThrow("broken off: reset");
  expect(isWritten).toBe(true);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("disk full"))],
])("ends at the first piece that %s, and reads no further", async (_, take) => {
  const recording = pieces("one", "two");
  const calls = vi.fn(take);
  await expect(readPaced(recording, calls, asIs)).rejects.toThrow("disk full");
  expect(recording.destroyed).toBe(true);
  expect(calls).toHaveBeenCalledTimes(1);
});

it("handles other events between slow pieces", async () => {
  const happened: string[] = [];
  const recording = new Readable({ read() {} });
  for (const name of ["one", "two", "three"]) recording.push(name);
  recording.push(null);
  await readPaced(
    recording,
    (piece) => {
      happened.push(`${piece}`);
      setImmediate(() => happened.push("event"));
      for (const begin = performance.now(); performance.now() - begin < 6; );
    },
    asIs,
  );
  expect(happened).toEqual(["one", "event", "two", "event", "three"]);
});
