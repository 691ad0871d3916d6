import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SpooledFile, SpoolMemory } from "./spool.js";

const MIB = 1024 * 1024;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "asi-spool-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function* chunks(...all: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of all) yield Buffer.from(chunk);
}

const textOf = (content: Readable | Buffer) => (Buffer.isBuffer(content) ? `${content}` : text(content));

describe.each([
  ["on disk", 0],
  ["in memory", 16 * MIB],
])("a spooled file %s", (where, memoryBytes) => {
  const spooled = async () => {
    const file = new SpooledFile(join(folder, "1"), new SpoolMemory(memoryBytes));
    expect(await file.write(chunks("timestamp,", "latitude"))).toBe(18);
    expect(existsSync(file.path)).toBe(where === "on disk");
    return file;
  };

  it("can be read to its end after it has been removed", async () => {
    const file = await spooled();
    const content = await file.read();
    await file.remove();
    expect(await textOf(content)).toBe("timestamp,latitude");
    expect(existsSync(file.path)).toBe(false);
  });

  it("causes an immediate error, not an error of the response, if it is removed before it is read", async () => {
    const file = await spooled();
    await file.remove();
    await expect(file.read()).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("the memory of spooled files", () => {
  it("is released when a file is removed, even if it is removed twice, and when its upload fails", async () => {
    const memory = new SpoolMemory(1000);
    const file = new SpooledFile(join(folder, "1"), memory);
    await file.write(chunks(new Uint8Array(400), new Uint8Array(500)));
    expect(memory.free).toBe(100);
    await file.remove();
    await file.remove();
    expect(memory.free).toBe(1000);

    const broken = new SpooledFile(join(folder, "2"), memory);
    async function* breaksOff() {
      yield new Uint8Array(900);
      throw new Error("Client closed request");
    }
    await expect(broken.write(breaksOff())).rejects.toThrow("Client closed request");
    await broken.remove();
    expect(memory.free).toBe(1000);
  });

  it("is not used by a file that is removed while it is being written", async () => {
    const memory = new SpoolMemory(1000);
    const file = new SpooledFile(join(folder, "1"), memory);
    async function* removedInBetween() {
      yield new Uint8Array(400);
      await file.remove();
      yield new Uint8Array(400);
    }
    await file.write(removedInBetween());
    expect(memory.free).toBe(1000);
    expect(existsSync(file.path)).toBe(false);
  });

  it.each([
    ["a file that does not fit into the remaining memory", 1000, 600],
    ["a file of more than 4 MiB", 64 * MIB, 3 * MIB],
  ])("is not used for %s, which is stored on disk", async (_, memoryBytes, chunkBytes) => {
    const memory = new SpoolMemory(memoryBytes);
    const file = new SpooledFile(join(folder, "1"), memory);
    const parts = ["a", "b", "c"].map((letter) => letter.repeat(chunkBytes));
    expect(await file.write(chunks(...parts))).toBe(3 * chunkBytes);
    expect(memory.free).toBe(memoryBytes);
    expect((await textOf(await file.read())) === parts.join("")).toBe(true);
    await file.remove();
    expect(existsSync(file.path)).toBe(false);
  });
});

it("delays the source of a file on disk only for writes of 1 MiB, not for each chunk", async () => {
  const file = new SpooledFile(join(folder, "1"), new SpoolMemory(0));
  const waits: boolean[] = [];
  const bytes = await file.fill(async (add) => {
    for (let i = 0; i < 9; i++) {
      const added = add([new Uint8Array(MIB / 4).fill(i)]);
      waits.push(added !== undefined);
      await added;
    }
  });
  expect(bytes).toBe((9 * MIB) / 4);
  // The first one opens the file.
  expect(waits).toEqual([true, false, false, true, false, false, false, true, false]);
  const content = Buffer.concat(await ((await file.read()) as Readable).toArray());
  expect([...Array(9).keys()].map((i) => content[i * (MIB / 4)])).toEqual([...Array(9).keys()]);
  await file.remove();
});
