/** Loads whose commits are repeatedly interrupted between the sample servers and the database of the service. */
import { describe, expect, it } from "vitest";
import { cutCommits } from "../cut-commits.js";

const ROUNDS = Number(process.env.CUT_ROUNDS ?? 50);

describe.runIf(process.env.TEST_DATABASE === "postgres")(
  "kill -9 of the database between two commits",
  () => {
    it(`neither loses nor repeats a sample or a job in ${ROUNDS} rounds`, async () => {
      // Some kills come too late, after the complete commit. Most must be in time, or at least one in few rounds.
      // Otherwise this test proves nothing.
      expect(await cutCommits(ROUNDS)).toBeGreaterThan(ROUNDS < 20 ? 0 : ROUNDS / 2);
    });
  },
);
