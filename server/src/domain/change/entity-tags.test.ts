import { describe, expect, it } from "vitest";
import { matchesStrongly, matchesWeakly } from "./entity-tags.js";

const etag = '"a1"';

describe("a list of entity tags", () => {
  it.each(['"a1"', '"x", "a1"', '"x","a1" ,"y"', 'W/"x", "a1"', "*", " * "])(
    "%s contains the tag",
    (list) => {
      expect(matchesStrongly(list, etag)).toBe(true);
      expect(matchesWeakly(list, etag)).toBe(true);
    },
  );

  it.each(['W/"a1"', '"x", W/"a1"'])("%s contains the tag only in the weak comparison", (list) => {
    expect(matchesStrongly(list, etag)).toBe(false);
    expect(matchesWeakly(list, etag)).toBe(true);
  });

  it.each(["", "a1", '"a1', '"a"', '"A1"', '"xa1"', '"a1 "', '"*"', '"x", *'])(
    "%s does not contain the tag",
    (list) => {
      expect(matchesStrongly(list, etag)).toBe(false);
      expect(matchesWeakly(list, etag)).toBe(false);
    },
  );
});
