import { mkdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { linePrinter, reasonOf } from "./print.js";

describe("the reason for an error", () => {
  it("is printed as a message without a stack for a file system error", () => {
    let refused: unknown;
    try {
      mkdirSync("/dev/null/data");
    } catch (error) {
      refused = error;
    }
    expect(reasonOf(refused)).toBe(
      "The file system refuses this: not a directory, mkdir '/dev/null/data'. Check the type, the owner and the permissions of this path.",
    );
  });

  it("includes the location in the code for an unexpected error", () => {
    expect(reasonOf(new Error("a bug"))).toMatch(/^Error: a bug\n +at /);
  });
});

describe("lines as CSV", () => {
  let written = "";

  beforeEach(() => {
    written = "";
    const write = (text: string, done: () => void): boolean => {
      written += text;
      done();
      return true;
    };
    vi.spyOn(process.stdout, "write").mockImplementation(write as typeof process.stdout.write);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("contain no cells that a spreadsheet would evaluate as formulas, and quote separators", async () => {
    const printer = linePrinter("csv", ["id", "operator", "after"]);
    await printer.part([
      { id: 1, operator: "=cmd|' /C calc'!A0", after: { name: "=1+1, 2" } },
      { id: 2, operator: 'tess "t" (as asi)', after: null },
      { id: 3, operator: "a;=1", after: { name: 'a;"=1+1;b', days: [1, -2] } },
    ]);
    await printer.end();
    expect(written).toBe(
      `id,operator,after\r\n1,'=cmd|' /C calc'!A0,"{""name"":""=1+1, 2""}"\r\n2,"tess ""t"" (as asi)",\r\n` +
        `3,a;'=1,"{""name"":""a;\\""\\u003d1+1;b"",""days"":[1,-2]}"\r\n`,
    );
  });

  it("have a header even without rows", async () => {
    await linePrinter("csv", ["id", "at"]).end();
    expect(written).toBe("id,at\r\n");
  });
});
