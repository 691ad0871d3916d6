import { describe, expect, it } from "vitest";
import { addressKey } from "./address-key.js";

describe("the throttle key of an address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/56"],
    ["2001:db8:1:ff::", "2001:db8:1::/56"],
    ["2001:DB8:1:102:ffff:ffff:ffff:ffff", "2001:db8:1:100::/56"],
    ["2001:db8:2:3::1", "2001:db8:2::/56"],
    ["2002:c000:207:1234::1", "192.0.2.7"],
    ["::1", "::/56"],
    ["fe80::1%eth0", "fe80::/56"],
    ["unknown", "unknown"],
  ])("of %s is %s", (ip, key) => {
    expect(addressKey(ip)).toBe(key);
  });
});
