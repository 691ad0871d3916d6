import { expect, it } from "vitest";
import { recentEntries } from "./recent-entries.js";

it("keeps the most recently used entries, up to the maximum", () => {
  const entries = recentEntries<number>(2);
  entries.set("a", 1);
  entries.set("b", 2);
  entries.get("a");
  entries.set("c", 3);
  expect([...entries.keys()].toSorted()).toEqual(["a", "c"]);
});
