import { describe, expect, it } from "vitest";
import { isLiteralAddress, isNeverCalled, isPublicAddress } from "./addresses.js";

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
  ])("%s is a public address", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "",
    "localhost",
    "example.org",
    "1.2.3.4.5",
    "127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.0",
    "224.0.0.1",
    "0.0.0.0",
    "::1",
    "[::1]",
    "fc00::1",
    "2001:db8::1",
    // These addresses are not assigned for global unicast.
    "4000::1",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    // Only these 96 bits are the prefix of the translator.
    "64:ff9b:0:0:0:1:808:808",
    "fe80::1%eth0",
    // Brackets must enclose the whole address.
    "[2606:4700::1111",
    "x[2606:4700::1111]",
    "[2606:4700::1111]x",
  ])("%s is not a public address", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("addresses that are never called, for any setting", () => {
  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "[fe80::a9fe:a9fe]",
    "fe80::1%eth0",
    "::ffff:169.254.169.254",
    "::169.254.169.254",
    "[::a9fe:a9fe]",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::1",
    // Translators within a network.
    "[64:ff9b:1::a9fe:a9fe]",
    "[::ffff:0:a9fe:a9fe]",
    "fd00:ec2::254",
    "[fd00:0ec2:0:0::254]",
    "fd20:ce::254",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
  ])("%s", (address) => {
    expect([isNeverCalled(address), isPublicAddress(address)]).toEqual([true, false]);
  });

  it.each(["127.0.0.1", "::1", "10.0.0.1", "192.168.0.1", "fd00::1", "8.8.8.8", "example.org", ""])(
    "not %s",
    (address) => {
      expect(isNeverCalled(address)).toBe(false);
    },
  );
});

it("recognizes the host of a URL as an address or a name", () => {
  expect(["8.8.8.8", "127.0.0.1", "[::1]", "[2606:4700::1111]"].every(isLiteralAddress)).toBe(true);
  expect(["localhost", "example.org", "8.8.8.8.example", ""].some(isLiteralAddress)).toBe(false);
});
