import fc from "fast-check";
import { expect, it } from "vitest";
import { playerOfRecording } from "../../src/squad/index.js";
import { meetsWildcards, type WildcardToken } from "../../src/squad/wildcards.js";

const tokensOf = (pattern: string, onStep: () => void = () => undefined): WildcardToken[] =>
  [...pattern].map((wanted) => {
    if (wanted === "*") return "*";
    return (character) => {
      onStep();
      return wanted === "?" || character === wanted;
    };
  });

it("a star matches any text and ? one character, as in a regular expression", () => {
  const text = (letters: string) =>
    fc.array(fc.constantFrom(...letters), { maxLength: 8 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text("ab*?"), text("ab"), (pattern, name) => {
      const expected = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(name);
      expect(meetsWildcards(tokensOf(pattern), [...name])).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

it("takes at most as many steps as the product of the lengths of pattern and name", () => {
  const [pattern, name] = [`*${"a".repeat(60)}b`, "a".repeat(200)];
  let steps = 0;
  const tokens = tokensOf(pattern, () => {
    steps += 1;
  });
  expect(meetsWildcards(tokens, [...name])).toBe(false);
  expect(steps).toBeLessThanOrEqual(pattern.length * name.length);
});

it("? in a roster is one character, even outside the basic multilingual plane", () => {
  const player = { name: "Kunz", number: null, position: null, serials: [], files: ["?-kunz*"] };
  const roster = { players: [player] } as never;
  expect(playerOfRecording(roster, { serial: "TRK-1", fileName: "🏃-Kunz-1.asi" })?.name).toBe("Kunz");
  expect(playerOfRecording(roster, { serial: "TRK-1", fileName: "17-Kunz.asi" })).toBeNull();
});
