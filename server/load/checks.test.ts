import { describe, expect, it } from "vitest";
import { type Page, wrongFigures, wrongLatest, wrongPage, wrongRanges } from "./checks.js";
import { MATCH_SAMPLES, type Match, newSession, type Sample, sampleOf, stopMsOf } from "./truth.js";

const session = newSession(1);
const match: Match = { startMs: Date.UTC(2026, 5, 1, 10), session };

/** The page of 100 samples after the first ten, as a correct service returns it. */
const asked = { first: 10, count: MATCH_SAMPLES - 10, limit: 100 };
const page = (): Page<Sample> & { results: Sample[] } => ({
  count: MATCH_SAMPLES - 10,
  page: 1,
  next: 2,
  previous: null,
  results: Array.from({ length: 100 }, (_, i) => sampleOf(match, 10 + i)),
});

describe("a page of samples", () => {
  it("is correct if it contains every sample of the recording once, in order", () => {
    expect(wrongPage(page(), match, asked)).toBeNull();
  });

  it.each<[string, (page: Page<Sample> & { results: Sample[] }) => unknown]>([
    ["a sample twice", ({ results }) => results.splice(50, 1, ...results.slice(49, 50))],
    [
      "two samples in the wrong order",
      ({ results }) => results.splice(20, 2, ...results.slice(20, 22).reverse()),
    ],
    ["one sample too few", ({ results }) => results.pop()],
    [
      "a speed that differs by 1 mm/s",
      ({ results }) => Object.assign(results[99] ?? {}, { "gnss.speed": 999.001 }),
    ],
    [
      "no heart rate where there is one",
      ({ results }) => results.map((one) => Object.assign(one, { "ecg.hr": null })),
    ],
    ["no further page", (answer) => Object.assign(answer, { next: null })],
    ["another count", (answer) => Object.assign(answer, { count: answer.count - 1 })],
  ])("is wrong with %s", (_, spoil) => {
    const answer = page();
    spoil(answer);
    expect(wrongPage(answer, match, asked)).toEqual(expect.any(String));
  });
});

describe("the latest samples", () => {
  const latest = () => Array.from({ length: 300 }, (_, i) => sampleOf(match, MATCH_SAMPLES - 1 - i));

  it("are correct from the latest to the earliest", () => {
    expect(wrongLatest(latest(), match, 300)).toBeNull();
  });

  it("are incorrect in ascending order", () => {
    expect(wrongLatest(latest().reverse(), match, 300)).toMatch(/^sample 0/);
  });
});

describe("ranges", () => {
  const range = {
    start: new Date(match.startMs).toISOString(),
    stop: new Date(stopMsOf(match)).toISOString(),
    size: MATCH_SAMPLES,
  };
  const listed = (...results: (typeof range)[]) => ({
    count: results.length,
    page: 1,
    next: null,
    previous: null,
    results,
  });

  it("are correct with one range per match, and incorrect with a duplicate range or a missing sample", () => {
    expect(wrongRanges(listed(range), [match])).toBeNull();
    expect(wrongRanges(listed(range, range), [match])).toEqual(expect.any(String));
    expect(wrongRanges(listed({ ...range, size: MATCH_SAMPLES - 1 }), [match])).toEqual(expect.any(String));
  });
});

describe("computed data", () => {
  const figures = {
    first_timestamp: match.startMs,
    last_timestamp: stopMsOf(match),
    total_distance: session.distance,
    hr_max: session.hrMax,
    hr_min: session.hrMin,
  } as Parameters<typeof wrongFigures>[0];

  it("are correct if the distance matches the speeds, and incorrect if it differs by a millimetre", () => {
    expect(wrongFigures(figures, match)).toBeNull();
    const total_distance = session.distance + 0.001;
    expect(wrongFigures({ ...figures, total_distance }, match)).toEqual(expect.any(String));
  });
});
