import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SessionTask, SessionWork } from "../src/cli/run/session-work.js";
import { SQUAD_COLUMNS } from "../src/squad/index.js";
import { scratchFolder } from "./asi-process.js";

/** The cache of a program with some of the figures. */
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
    isMatch: null,
  };
}

const work: SessionWork = { played: [], messages: [], present: [], status: 0 };

describe("the cache of a session", () => {
  afterEach(() => {
    vi.doUnmock("../src/squad/index.js");
    vi.resetModules();
  });

  it("is not used by a program whose figures differ from those of the program that wrote it", async () => {
    const task = taskIn(scratchFolder());
    const all = SQUAD_COLUMNS.map(({ key }) => key);
    const earlier = all.filter((key) => key !== "trimp");
    await (await cacheOf(earlier)).keepWork(task, work);
    expect((await cacheOf(earlier)).keptWork(task)).toEqual(work);
    expect((await cacheOf(all)).keptWork(task)).toBeNull();
  });

  it("keeps the results of the latest four combinations of options", async () => {
    const { keepWork, keptWork } = await cacheOf([]);
    const task = taskIn(scratchFolder());
    const resultOf = (limit: number) => ({ ...work, messages: [[`${limit}`]] }) as unknown as SessionWork;
    const withLimit = (limit: number) => ({ ...task, params: { sprint_threshold: limit } });
    for (const limit of [5, 6, 7, 5, 8, 9]) await keepWork(withLimit(limit), resultOf(limit));
    const kept = [5, 6, 7, 8, 9].map((limit) => keptWork(withLimit(limit)));
    expect(kept).toEqual([resultOf(5), null, resultOf(7), resultOf(8), resultOf(9)]);
    writeFileSync(join(task.folder, ".asi-squad-cache.json"), '{"results":[null]}');
    expect(keptWork(withLimit(5))).toBeNull();
  });
});
