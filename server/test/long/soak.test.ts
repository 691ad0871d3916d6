import { describe, expect, it } from "vitest";
import { soak } from "../../soak/soak.js";
import { newStore } from "../service.js";

/** The first third must fill the caches. */
const MINUTES = 2;

describe("a short soak", () => {
  it("leaves memory and tables flat at its end, and gives no answer that it should not", async () => {
    let databaseUrl: string | null = null;
    if (process.env.TEST_DATABASE === "postgres") {
      const store = await newStore();
      databaseUrl = store.databaseUrl;
      await store.close();
    }
    const { requests, surprises, growing } = await soak({ minutes: MINUTES, databaseUrl });
    expect(surprises).toEqual([]);
    expect(growing).toEqual([]);
    expect(requests).toBeGreaterThan(200);
  });
});
