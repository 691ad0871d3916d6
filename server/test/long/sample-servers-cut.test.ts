/** Loads whose commits are cut between the servers of samples and the database of the service, again and again. */
import { describe, expect, it } from "vitest";
import { cutCommits } from "../cut-commits.js";

const ROUNDS = Number(process.env.CUT_ROUNDS ?? 50);

describe.runIf(process.env.TEST_DATABASE === "postgres")(
  "kill -9 of the database between two commits",
  () => {
    it(`${ROUNDS} times leaves every sample once and every job done`, async () => {
      // Some kills come too late: the commit was whole. Most must come in time, or this test shows nothing. Of few rounds only one.
      expect(await cutCommits(ROUNDS)).toBeGreaterThan(ROUNDS < 20 ? 0 : ROUNDS / 2);
    });
  },
);
