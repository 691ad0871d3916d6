/** A load whose commit is cut between servers: the samples are there once, and the job ends as if nothing had happened. */
import { describe, expect, it } from "vitest";
import { cutCommits } from "./cut-commits.js";
import { isSpread } from "./sample-servers.js";

describe.runIf(isSpread)("a commit that is cut between a server of samples and the database", () => {
  it("leaves samples whose job runs again and stores the same", async () => {
    expect(await cutCommits(1)).toBeGreaterThan(0);
  });
});
