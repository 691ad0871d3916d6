/** Tests loads whose commits are repeatedly interrupted between the sample servers and the database of the service. */
import { describe, expect, it } from "vitest";
import { cutCommits } from "../cut-commits.js";

const ROUNDS = Number(process.env.CUT_ROUNDS ?? 50);

describe.runIf(process.env.TEST_DATABASE === "postgres")(
  "kill -9 of the database between two commits",
  () => {
    it(`neither loses nor repeats a sample or a job in ${ROUNDS} rounds`, async () => {
      // Some kills come after the complete commit, which is too late. Most kills must be in time, or at least one in few rounds, or
      // this test would prove nothing.
      expect(await cutCommits(ROUNDS)).toBeGreaterThan(ROUNDS < 20 ? 0 : ROUNDS / 2);
    });
  },
);
