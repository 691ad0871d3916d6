import { describe, expect, it } from "vitest";
import { JSON_LIMITS, JsonScan } from "./json-scan.js";

const MUCH = 1_000_000;

/** Scans a text in pieces of this number of bytes. */
function scan(text: string, { around = MUCH, piece = text.length + 1 } = {}): void {
  const scanned = new JsonScan(around);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) scanned.write(bytes.subarray(at, at + piece));
}

const malformed = (detail: string) => expect.objectContaining({ kind: "malformed", body: { detail } });
const tooLarge = expect.objectContaining({
  kind: "too_large",
  body: { detail: "The request body is too large." },
});

describe("the scan of a JSON text", () => {
  it("allows at most 64 levels of arrays and objects", () => {
    const { depth } = JSON_LIMITS;
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      scan(open.repeat(depth) + close.repeat(depth));
      expect(() => scan(open.repeat(depth + 1))).toThrow(
        malformed("The body has too many levels, at most 64."),
      );
    }
  });

  it("allows many arrays and objects side by side", () => {
    scan(`[${"[],".repeat(1_000)}${"{},".repeat(1_000)}1]`);
  });

  it("allows at most 5,000 members in all objects together", () => {
    scan('{"a":1}'.repeat(5_000));
    expect(() => scan('{"a":1}'.repeat(5_001))).toThrow(
      malformed("The body has too many members, at most 5000."),
    );
  });

  it("allows at most 50,000 values in arrays and objects, including nested arrays and objects", () => {
    scan(`[${"1,".repeat(49_999)}1`);
    expect(() => scan(`[${"1,".repeat(50_000)}1`)).toThrow(
      malformed("The body has too many values, at most 50000."),
    );
    expect(() => scan(`[${"[],".repeat(25_000)}1`)).toThrow(
      malformed("The body has too many values, at most 50000."),
    );
  });

  it("allows any of these characters in strings, including after escaped quotes and backslashes", () => {
    const much = '[{,:\\"'.repeat(60_000);
    scan(`["${much}"]`);
    scan(`["${much}"]`, { piece: 7 });
    scan('["\\\\",[["\\\\\\""]]]');
    expect(() => scan(`["\\\\",${"[".repeat(64)}`)).toThrow(
      malformed("The body has too many levels, at most 64."),
    );
  });

  it("limits the bytes outside the longest string, regardless of its position and of how the text is split", () => {
    const long = `"${"x".repeat(5_000)}"`;
    for (const piece of [1, 100, 100_000]) {
      scan(`["short",${long},"short"]`, { around: 21, piece });
      expect(() => scan(`["short",${long},"short"]`, { around: 17, piece })).toThrow(tooLarge);
      // Two long strings; only one is exempt.
      expect(() => scan(`[${long},${long}]`, { around: 4_000, piece })).toThrow(tooLarge);
      expect(() => scan(" ".repeat(101), { around: 100, piece })).toThrow(tooLarge);
      scan(" ".repeat(100), { around: 100, piece });
    }
  });
});
