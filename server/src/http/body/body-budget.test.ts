import { describe, expect, it } from "vitest";
import { BodyBudget } from "./body-budget.js";

const MIB = 1024 * 1024;
const LARGE = 11 * MIB;
const open = (budget: BodyBudget, caller: string, maxBytes: number, address = `of ${caller}`) =>
  budget.open(caller, address, maxBytes);

describe("the budget of bodies", () => {
  it("stays under its limit with 150 unfinished bodies of 10.9 MB from many callers", () => {
    const budget = new BodyBudget(128 * MIB, 48 * MIB);
    const refusals = new Set<string>();
    for (let i = 0; i < 150; i++) {
      const share = open(budget, `caller-${i}`, LARGE);
      try {
        for (let bytes = 0; bytes < 10.9e6; bytes += 65_536) share.add(65_536);
      } catch (error) {
        refusals.add((error as { kind: string }).kind);
        share.release();
      }
    }
    expect(refusals).toEqual(new Set(["unavailable"]));
    expect(budget.held).toBeLessThan(128 * MIB);
    expect(budget.held).toBeGreaterThan(80 * MIB);
  });

  it("refuses one caller before it refuses others", () => {
    const budget = new BodyBudget(128 * MIB, 20 * MIB);
    const [first, second] = [open(budget, "ann", LARGE), open(budget, "ann", LARGE)];
    first.add(10 * MIB);
    second.add(10 * MIB);
    expect(() => second.add(1)).toThrow(expect.objectContaining({ kind: "throttled" }));
    open(budget, "bob", LARGE).add(10 * MIB);
  });

  it("reserves half of each part for the callers of one address together, and the rest for other addresses", () => {
    const budget = new BodyBudget(128 * MIB, 48 * MIB);
    for (const [maxBytes, halfBytes] of [
      [LARGE, 48 * MIB],
      [64 * 1024, 16 * MIB],
    ] as const) {
      const refused: unknown[] = [];
      const shares = Array.from({ length: 400 }, (_, i) => {
        const share = open(budget, `caller-${i % 50}`, maxBytes, "club");
        try {
          share.add(halfBytes / 256);
        } catch (error) {
          share.release();
          refused.push(error);
        }
        return share;
      });
      expect(refused).toEqual(Array(144).fill(expect.objectContaining({ kind: "throttled" })));
      for (let i = 0; i < 9; i++) open(budget, "bob", maxBytes, "home").add(halfBytes / 18);
      for (const share of shares) share.release();
      open(budget, "eve", maxBytes, "club").add(halfBytes / 2);
    }
  });

  it("accepts one body of any size, and small ones in addition to large ones", () => {
    const budget = new BodyBudget(4 * MIB, 2 * MIB);
    const large = open(budget, "ann", 44 * MIB);
    large.add(44 * MIB);
    expect(() => open(budget, "bob", LARGE).add(1)).toThrow(expect.objectContaining({ kind: "unavailable" }));
    open(budget, "eve", 64 * 1024).add(1000);
    large.release();
    open(budget, "joe", LARGE).add(2 * MIB);
  });

  it("is full exactly at its limit", () => {
    const budget = new BodyBudget(4 * MIB, 9 * MIB);
    open(budget, "ann", LARGE).add(2 * MIB);
    const bob = open(budget, "bob", LARGE);
    bob.add(1 * MIB);
    expect(() => bob.add(1)).toThrow(
      expect.objectContaining({
        kind: "unavailable",
        body: { detail: "The service is receiving too many bytes at once." },
      }),
    );
  });

  it("reserves a quarter for small bodies, and counts them", () => {
    const budget = new BodyBudget(4 * MIB, 9 * MIB);
    for (let i = 0; i < 16; i++) open(budget, `caller-${i}`, 64 * 1024).add(64 * 1024);
    expect(budget.held).toBe(1 * MIB);
    expect(() => open(budget, "eve", 64 * 1024).add(1)).toThrow(
      expect.objectContaining({ kind: "unavailable" }),
    );
  });

  it("releases exactly the bytes of one body", () => {
    const budget = new BodyBudget(128 * MIB, 20 * MIB);
    const first = open(budget, "ann", LARGE);
    first.add(10 * MIB);
    open(budget, "ann", LARGE).add(9 * MIB);
    first.release();
    const third = open(budget, "ann", LARGE);
    third.add(11 * MIB);
    expect(() => third.add(1)).toThrow(expect.objectContaining({ kind: "throttled" }));
  });

  it("releases bytes once", () => {
    const budget = new BodyBudget(4 * MIB, 2 * MIB);
    const share = open(budget, "ann", LARGE);
    share.add(1000);
    share.release();
    share.release();
    expect(budget.held).toBe(0);
  });
});
