import { describe, expect, it } from "vitest";
import { FigureCache, type FigureQuestion } from "../src/squad/figure-cache.js";
import type { SquadWorkers } from "../src/squad/workers.js";

const OPTIONS = {} as Parameters<FigureCache["figuresOf"]>[1];

/** Returns questions about a minute of some players. */
const questions = (players: number, minute: number): FigureQuestion[] =>
  Array.from({ length: players }, (_, id) => ({
    recordings: [{ id, shiftMs: 0 }] as unknown as FigureQuestion["recordings"],
    name: `Player ${id}`,
    player: null,
    intervals: [{ startMs: minute * 60_000, endMs: minute * 60_000 + 30_000 }],
  }));

function newCache() {
  const asked: number[] = [];
  const figures = async (members: readonly FigureQuestion[]) => {
    asked.push(members.length);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return members.map(({ recordings, intervals }) => ({
      metrics: { id: recordings[0]?.id, startMs: intervals?.[0]?.startMs },
      hrCoverage: 1,
      trimp: 1,
    }));
  };
  return { cache: new FigureCache({ figures } as unknown as SquadWorkers), asked };
}

describe("the figures of an export or report", () => {
  it("are complete when parallel questions fill the cache", async () => {
    const { cache } = newCache();
    for (let minute = 0; minute < 19; minute++) await cache.figuresOf(questions(25, minute), OPTIONS);
    const third = questions(25, 3);
    // the times of one player have changed
    third[7] = { ...(third[7] as FigureQuestion), intervals: [{ startMs: 181_000, endMs: 190_000 }] };
    const [found] = await Promise.all([
      cache.figuresOf(third, OPTIONS),
      cache.figuresOf(questions(26, 99), OPTIONS),
    ]);
    expect(found.map(({ metrics }) => metrics)).toEqual(
      third.map(({ recordings, intervals }) => ({
        id: recordings[0]?.id,
        startMs: intervals?.[0]?.startMs,
      })),
    );
  });

  it("are computed once", async () => {
    const { cache, asked } = newCache();
    const first = await cache.figuresOf(questions(3, 1), OPTIONS);
    expect(await cache.figuresOf(questions(4, 1), OPTIONS)).toEqual([...first, expect.anything()]);
    expect(asked).toEqual([3, 1]);
  });
});
