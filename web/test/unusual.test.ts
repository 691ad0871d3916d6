import { describe, expect, it } from "vitest";
import { impossible, unusual } from "../src/app/athletes/unusual.js";

const NOW_MS = Date.UTC(2026, 10, 23);
const NOTHING = { birth_date: null, weight: null, height: null };
const sentences = (profile: object) =>
  unusual({ ...NOTHING, ...profile }, NOW_MS).map(({ sentence }) => sentence);
const refused = (profile: object) =>
  impossible({ ...NOTHING, ...profile }, NOW_MS).map(({ name, sentence }) => [name, sentence]);

describe("a value in a profile", () => {
  it("needs a confirmation if it is probably a typing error", () => {
    expect(sentences({ birth_date: "2025-01-01" })).toEqual([
      "According to the date of birth, the athlete is 1 year old.",
    ]);
    expect(sentences({ birth_date: "1912-01-01" })).toEqual([
      "According to the date of birth, the athlete is 114 years old.",
    ]);
    expect(sentences({ height: 0.6 })).toEqual(["The height is 60 cm."]);
    expect(sentences({ weight: 7.5 })).toEqual(["The weight is 7.5 kg."]);
  });

  it("is refused if it is impossible, such as a future date of birth or a height in metres or feet", () => {
    expect(refused({ birth_date: "2090-01-01" })).toEqual([
      ["birth_date", "The date of birth is in the future."],
    ]);
    expect(refused({ height: 0.0182 })).toEqual([
      ["height", "Height is in centimetres. Enter 182 for 1.82 m."],
    ]);
    expect(refused({ height: 0.059 })).toEqual([["height", "Height is in centimetres."]]);
    expect(refused({ birth_date: "1998-04-23", height: 1.82, weight: 7.5 })).toEqual([]);
  });

  it("needs no confirmation if it is usual or missing", () => {
    expect(sentences({ birth_date: "1998-04-23", height: 1.82, weight: 71.5 })).toEqual([]);
    expect(sentences({})).toEqual([]);
  });
});
