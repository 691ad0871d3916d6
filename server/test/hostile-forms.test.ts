import { beforeAll, describe, expect, it } from "vitest";
import { CARELESS, processorTimeOf } from "./processor-time.js";
import { service, type TestService } from "./service.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const post = (path: string, body: string) =>
  s.send("POST", path, { body, headers: { "Content-Type": "application/x-www-form-urlencoded" } });

describe("a form", () => {
  it("takes time in proportion to its length if it repeats one field", async () => {
    const costOf = async (path: string, body: string) => {
      const { ms } = await processorTimeOf(async () => {
        for (let i = 0; i < 5; i++) expect((await post(path, body)).status).toBe(400);
      });
      return ms;
    };
    for (const path of ["/oauth2/token/", "/oauth2/authorize/"]) {
      const harmlessMs = await costOf(path, `a=${"x".repeat(60_000)}`);
      for (const body of [
        "a&".repeat(5_000),
        "a=b&".repeat(10_000),
        `${"a".repeat(60_000)}=1`,
        "&".repeat(60_000),
      ]) {
        expect((await costOf(path, body)) / harmlessMs, body.slice(0, 4)).toBeLessThan(CARELESS);
      }
    }
  });

  it("has at most 50 fields", async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `field-${i}=x`).join("&");
    const most = await post("/oauth2/token/", `grant_type=other&${fields(49)}`);
    expect([most.status, most.body.error]).toEqual([400, "unsupported_grant_type"]);
    const more = await post("/oauth2/token/", `grant_type=other&${fields(50)}`);
    expect([more.status, more.body]).toEqual([400, { detail: "The form has more than 50 fields." }]);
  });

  it("has at most 64 KiB", async () => {
    const { status, body } = await post("/oauth2/token/", `grant_type=${"x".repeat(70_000)}`);
    expect([status, body]).toEqual([413, { detail: "The request body is too large." }]);
  });
});
