import { describe, expect, it } from "vitest";
import { pageAddress } from "./page-address.js";

const address = (host: string, baseUrl: string | null = null) => pageAddress({ baseUrl, host, port: 8080 });

describe("the address in an email", () => {
  it("is BASE_URL or, by default, the address on which the service listens", () => {
    expect(address("0.0.0.0", "https://asi.example.org")).toBe("https://asi.example.org");
    expect(address("127.0.0.1")).toBe("http://127.0.0.1:8080");
    expect(address("::1")).toBe("http://[::1]:8080");
    expect(address("asi.internal")).toBe("http://asi.internal:8080");
  });

  it.each(["0.0.0.0", "::"])("is unknown when the service listens on %s", (host) => {
    expect(address(host)).toBeNull();
  });
});
