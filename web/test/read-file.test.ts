import { readFileSync } from "node:fs";
import { decode } from "asi-convert";
import { describe, expect, it } from "vitest";
import { collect } from "../src/recording/read-file.js";
import { fixturePath } from "./fixtures.js";

describe("a file with more rows than a tab has memory for", () => {
  it("is refused with what to do, before the rest of it is read", async () => {
    const whole = readFileSync(fixturePath("valid/match-hr.asi"));
    let bytesRead = 0;
    async function* pieces() {
      for (let at = 0; at < whole.length; at += 10_000) {
        bytesRead = at;
        yield whole.subarray(at, at + 10_000);
      }
    }
    await expect(collect(decode(pieces()), 1_000)).rejects.toThrow(
      "The file has more than 1,000 rows, too many to show. Divide it first, as with: asi convert --split.",
    );
    expect(bytesRead).toBeLessThan(whole.length / 2);
  });

  it("is shown up to the limit", async () => {
    const batches = await collect(decode(readFileSync(fixturePath("valid/match-hr.asi"))), 7_200);
    expect(batches.reduce((sum, { length }) => sum + length, 0)).toBe(7_200);
  });
});
