import { describe, expect, it } from "vitest";
import { unusual } from "../src/app/athletes/unusual.js";

const NOW_MS = Date.UTC(2026, 10, 23);
const sentences = (profile: object) =>
  unusual({ birth_date: null, weight: null, height: null, ...profile }, NOW_MS).map(
    ({ sentence }) => sentence,
  );

describe("what a profile says", () => {
  it("is asked about where it is most often a typing error", () => {
    expect(sentences({ birth_date: "2090-01-01" })).toEqual(["The date of birth is in the future."]);
    expect(sentences({ birth_date: "2025-01-01" })).toEqual([
      "By the date of birth the athlete is 1 year old.",
    ]);
    expect(sentences({ height: 0.0182 })).toEqual(["The height is 1.82 cm: it is in centimetres."]);
    expect(sentences({ weight: 7.5 })).toEqual(["The weight is 7.5 kg."]);
  });

  it("is taken without a question where it is usual, or not there", () => {
    expect(sentences({ birth_date: "1998-04-23", height: 1.82, weight: 71.5 })).toEqual([]);
    expect(sentences({})).toEqual([]);
  });
});
