import { expect, it } from "vitest";
import { spanOfChange } from "./derive-sessions.js";

it("the times of a change extend from its first to its last instant, for any number of rows", () => {
  const spans = Array.from({ length: 300_000 }, (_, n) => ({
    startTime: new Date(1_000 + n),
    endTime: new Date(2_000 + n),
  }));
  expect(spanOfChange([...spans.reverse(), null])).toEqual({ fromMs: 1_000, toMs: 301_999 });
});
