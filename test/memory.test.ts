import { describe, expect, it } from "vitest";
import { runChild } from "./child.js";
import { inLongForm } from "./long-form.js";

describe("memory does not grow", () => {
  // With CSV, a leak is visible with half as much input as with columns.
  const few: [string, number][] = [
    ["convert-stream", 150],
    ["decode", 300],
  ];
  const all: [string, number][] = [
    ["convert", 300],
    ["convert-scalar", 300],
    ["convert-plain", 300],
    ["convert-stream", 300],
    ["csv-stream", 300],
    ["decoder-stream", 300],
    ["decode", 300],
    ["rows", 300],
    ["inspect", 300],
    ["repair", 300],
    ["convert-layout", 300],
  ];

  it.for(inLongForm(all, few))("%s of %i MB", async ([how, megabytes]) => {
    const { stdout, stderr, status } = await runChild("flat-memory", {
      args: [how, String(megabytes)],
      // the heap is too small for a leak, and a small young generation keeps its variation low
      nodeArgs: ["--max-old-space-size=64", "--max-semi-space-size=4"],
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const { sentBytes, warmMiB, grownMiB } = JSON.parse(stdout) as Record<string, number>;
    expect(sentBytes).toBeGreaterThanOrEqual(megabytes * 1e6);
    expect(warmMiB).toBeGreaterThan(0);
    // A CSV has half the size of its recording, columns a quarter, so a leak of either would exceed this. The rest is the
    // variation of the garbage collector.
    expect(grownMiB).toBeLessThan(48);
  });
});
