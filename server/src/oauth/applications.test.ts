import { describe, expect, it } from "vitest";
import { newClientId } from "./applications.js";

describe("a client id", () => {
  it('never begins with "-", which a command line would parse as an option', () => {
    const drawn = ["-first", "--second", "third-", "fourth"];
    expect(newClientId(() => drawn.shift() ?? "")).toBe("third-");
    expect(drawn).toEqual(["fourth"]);
  });

  it("is 256 random bits as base64url", () => {
    expect(newClientId()).toMatch(/^\w[\w-]{42}$/);
    expect(newClientId()).not.toBe(newClientId());
  });
});
