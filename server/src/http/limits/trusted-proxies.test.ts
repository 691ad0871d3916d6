import { describe, expect, it } from "vitest";
import { trustedProxies } from "./trusted-proxies.js";

describe("trusted proxies", () => {
  it("are empty by default", () => {
    expect(trustedProxies([])("127.0.0.1")).toBe(false);
  });

  it.each([
    ["10.1.2.3", "10.1.2.3", "10.1.2.4"],
    ["10.1.2.3", "::ffff:10.1.2.3", "::ffff:10.1.2.4"],
    ["10.0.0.0/8", "10.9.9.9", "11.0.0.1"],
    ["2001:db8::/32", "2001:db8:1::5", "10.0.0.1"],
    ["2001:db8::1", "2001:0db8:0::1", "2001:db8::2"],
    ["loopback", "::1", "10.0.0.1"],
    ["linklocal", "169.254.3.4", "127.0.0.1"],
    ["uniquelocal", "192.168.1.1", "192.0.2.1"],
    ["uniquelocal", "fd00::1", ""],
  ])("given as %s include %s, but not %s", (entry, proxy, other) => {
    const isProxy = trustedProxies(["203.0.113.1", entry]);
    expect([isProxy(proxy), isProxy(other)]).toEqual([true, false]);
  });
});
