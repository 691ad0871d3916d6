import { describe, expect, it, vi } from "vitest";
import type { AddressLookup } from "../../change/address-lookup.js";
import { NoPublicAddressError, receiverAddresses } from "./receiver.js";

const lookupOf = (...addresses: string[]) => vi.fn<AddressLookup>(async () => addresses);
const failing: AddressLookup = async () => {
  throw new Error("ENOTFOUND");
};
const find = (url: string, lookup: AddressLookup, allowPrivate = false) =>
  receiverAddresses(new URL(url), { lookup, allowPrivate });

describe("the addresses of a receiver", () => {
  it("are the addresses of its name if all of them are public", async () => {
    expect(await find("https://a.example/", lookupOf("8.8.8.8", "2606:4700::1111"))).toEqual([
      "8.8.8.8",
      "2606:4700::1111",
    ]);
  });

  it("are refused with the same message if one is private, if there is none, and if the lookup fails", async () => {
    for (const lookup of [lookupOf("8.8.8.8", "10.0.0.1"), lookupOf(), failing]) {
      const refused = find("https://a.example/", lookup);
      await expect(refused).rejects.toBeInstanceOf(NoPublicAddressError);
      await expect(refused).rejects.toMatchObject({
        name: "NoPublicAddressError",
        message: "The host has no public address.",
      });
    }
  });

  it("can be private if allowed; a lookup error is then returned", async () => {
    expect(await find("http://a.example/", lookupOf("10.0.0.1"), true)).toEqual(["10.0.0.1"]);
    await expect(find("http://a.example/", failing, true)).rejects.toThrow("ENOTFOUND");
  });

  it("are never link-local or cloud metadata addresses, even if private addresses are allowed", async () => {
    const NEVER = "Link-local and cloud metadata addresses are never called.";
    for (const host of ["169.254.169.254", "0xa9fea9fe", "[fe80::1]", "[::ffff:a9fe:a9fe]"]) {
      await expect(find(`http://${host}/latest/`, lookupOf(), true)).rejects.toThrow(NEVER);
    }
    const rebound = lookupOf("127.0.0.1", "169.254.169.254");
    await expect(find("http://a.example/", rebound, true)).rejects.toThrow(NEVER);
    await expect(find("http://a.example/", rebound)).rejects.toThrow("The host has no public address.");
  });

  it("are not looked up if they are in the URL", async () => {
    const lookup = lookupOf("8.8.8.8");
    expect(await find("https://8.8.4.4:8443/x", lookup)).toEqual(["8.8.4.4"]);
    expect(await find("https://[2606:4700::1111]/", lookup)).toEqual(["2606:4700::1111"]);
    await expect(find("http://127.0.0.1/", lookup)).rejects.toBeInstanceOf(NoPublicAddressError);
    await expect(find("http://[::1]/", lookup)).rejects.toBeInstanceOf(NoPublicAddressError);
    expect(await find("http://[::1]/", lookup, true)).toEqual(["::1"]);
    expect(lookup).not.toHaveBeenCalled();
  });

  it("are looked up for the account until the signal is aborted", async () => {
    const lookup = lookupOf("8.8.8.8");
    const { signal } = new AbortController();
    const url = new URL("https://a.example/");
    await receiverAddresses(url, { lookup, allowPrivate: false, account: 7, signal });
    expect(lookup).toHaveBeenLastCalledWith("a.example", { account: 7, signal });
    await receiverAddresses(url, { lookup, allowPrivate: false });
    expect(lookup).toHaveBeenLastCalledWith("a.example", { account: 0 });
  });
});
