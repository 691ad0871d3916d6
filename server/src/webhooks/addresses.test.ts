import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./addresses.js";

describe("public addresses", () => {
  it.each([
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "223.255.255.255",
    "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
    "[2606:4700::1111]",
    // Public IPv4 inside IPv6.
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
  ])("%s is one", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "",
    "localhost",
    "example.org",
    "1.2.3.4.5",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "fe80::1%eth0",
  ])("%s is none", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
