import { describe, expect, it } from "vitest";
import { UsageError } from "../../config/usage-error.js";
import type { Connection } from "../placement/placement.js";
import { requireMajor } from "./server-version.js";

const server = (number: number, version: string): Connection => ({
  query: async <R>() => ({ rows: [{ number, version } as R] }),
});

describe("the version of a server", () => {
  it("is refused with a message that names both versions if it is too old", async () => {
    const refused = requireMajor(server(140_012, "14.12"), 15, "The service");
    await expect(refused).rejects.toBeInstanceOf(UsageError);
    await expect(refused).rejects.toThrow(
      "The service requires PostgreSQL 15 or later, but the server is PostgreSQL 14.12. Upgrade the server first.",
    );
  });

  it("is accepted for every minor version, including the first", async () => {
    await requireMajor(server(150_000, "15.0"), 15, "The service");
    await requireMajor(server(180_004, "18.4"), 15, "The service");
  });
});
