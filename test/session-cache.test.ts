import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SessionTask, SessionWork } from "../src/cli/run/session-work.js";
import { SQUAD_COLUMNS } from "../src/squad/index.js";
import { scratchFolder } from "./asi-process.js";

/** The cache of a program that has only some of the figures. */
async function cacheOf(keys: readonly string[]) {
  vi.resetModules();
  vi.doMock("../src/squad/index.js", () => ({
    SQUAD_COLUMNS: SQUAD_COLUMNS.filter(({ key }) => keys.includes(key)),
  }));
  return import("../src/cli/run/session-cache.js");
}

function taskIn(folder: string): SessionTask {
  const path = join(folder, "a.asi");
  writeFileSync(path, "a recording");
  return {
    folder,
    inputs: [{ kind: "file", name: path, path, bytes: 11 }],
    roster: null,
    periods: null,
    timeZone: undefined,
    preset: undefined,
    params: {},
    zones: undefined,
    hr: undefined,
    recipes: [],
    optionalFigures: [],
    profile: false,
    isMatch: null,
  };
}

const work: SessionWork = {
  played: [],
  takenForMatches: [],
  messages: [],
  present: [],
  counted: [],
  contents: [],
  status: 0,
};

const notCached = async (): Promise<SessionWork> => {
  throw new Error("not cached");
};

describe("the cache of a session", () => {
  afterEach(() => {
    vi.doUnmock("../src/squad/index.js");
    vi.resetModules();
  });

  it("is not used by a version whose figures differ from those of the version that wrote it", async () => {
    const task = taskIn(scratchFolder());
    const all = SQUAD_COLUMNS.map(({ key }) => key);
    const earlier = all.filter((key) => key !== "trimp");
    await (await cacheOf(earlier)).cachedWork(task, async () => work);
    expect(await (await cacheOf(earlier)).cachedWork(task, notCached)).toEqual(work);
    await expect((await cacheOf(all)).cachedWork(task, notCached)).rejects.toThrow("not cached");
  });

  it("keeps the results of the latest four combinations of options", async () => {
    const { cachedWork } = await cacheOf([]);
    const task = taskIn(scratchFolder());
    const resultOf = (limit: number) => ({ ...work, messages: [[`${limit}`]] }) as unknown as SessionWork;
    const withLimit = (limit: number) => ({ ...task, params: { sprint_threshold: limit } });
    for (const limit of [5, 6, 7, 8, 9]) await cachedWork(withLimit(limit), async () => resultOf(limit));
    const kept = [6, 7, 8, 9].map((limit) => cachedWork(withLimit(limit), notCached));
    expect(await Promise.all(kept)).toEqual([6, 7, 8, 9].map(resultOf));
    await expect(cachedWork(withLimit(5), notCached)).rejects.toThrow("not cached");
    writeFileSync(join(task.folder, ".asi-squad-cache.json"), '{"results":[null]}');
    await expect(cachedWork(withLimit(9), notCached)).rejects.toThrow("not cached");
  });

  it("does not store results for a file that changed while it was read", async () => {
    const { cachedWork } = await cacheOf([]);
    const folder = scratchFolder();
    const path = join(folder, "player.asi");
    writeFileSync(path, "half of the recording");
    const task = { ...taskIn(folder), inputs: [{ kind: "file" as const, name: path, path, bytes: 21 }] };
    await cachedWork(task, async () => {
      writeFileSync(path, "the whole recording, which is longer");
      return work;
    });
    await expect(cachedWork(task, notCached)).rejects.toThrow("not cached");
  });

  it("is not used from a copied folder, because its author may have written other figures", async () => {
    const { cachedWork } = await cacheOf([]);
    const task = taskIn(scratchFolder());
    utimesSync(join(task.folder, "a.asi"), 1_000, 1_000);
    await cachedWork(task, async () => work);
    const folder = scratchFolder();
    cpSync(task.folder, folder, { recursive: true });
    const path = join(folder, "a.asi");
    utimesSync(path, 1_000, 1_000);
    const copied = { ...task, folder, inputs: [{ kind: "file" as const, name: path, path, bytes: 11 }] };
    await expect(cachedWork(copied, notCached)).rejects.toThrow("not cached");
  });

  it("replaces a link that has its name, and neither reads nor writes the target", async () => {
    const { cachedWork } = await cacheOf([]);
    const task = taskIn(scratchFolder());
    const cache = join(task.folder, ".asi-squad-cache.json");
    await cachedWork(task, async () => work);
    const target = join(scratchFolder(), "another-file");
    writeFileSync(target, readFileSync(cache));
    rmSync(cache);
    symlinkSync(target, cache);
    const before = readFileSync(target, "utf8");
    await expect(cachedWork(task, notCached)).rejects.toThrow("not cached");
    await cachedWork(task, async () => work);
    expect(lstatSync(cache).isSymbolicLink()).toBe(false);
    expect(readFileSync(target, "utf8")).toBe(before);
    expect(await cachedWork(task, notCached)).toEqual(work);
  });

  it.skipIf(process.platform === "win32")("does not wait for a named pipe that has its name", async () => {
    const { cachedWork } = await cacheOf([]);
    const task = taskIn(scratchFolder());
    execFileSync("mkfifo", [join(task.folder, ".asi-squad-cache.json")]);
    await cachedWork(task, async () => work);
    expect(await cachedWork(task, notCached)).toEqual(work);
  });
});
