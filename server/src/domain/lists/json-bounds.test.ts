import { describe, expect, it } from "vitest";
import { boundsProblem, JSON_MAX_BYTES, JSON_MAX_MEMBERS } from "./json-bounds.js";

const objectOf = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, i) => [`m${i}`, i]));

const MEMBERS = "Ensure this object has no more than 2000 members.";
const BYTES = "Ensure this object has no more than 65536 bytes as JSON.";

describe("a stored object", () => {
  it("has at most 2,000 members, including members of nested objects and of objects in arrays", () => {
    const half = JSON_MAX_MEMBERS / 2;
    expect(boundsProblem(objectOf(JSON_MAX_MEMBERS))).toBeUndefined();
    expect(boundsProblem(objectOf(JSON_MAX_MEMBERS + 1))).toBe(MEMBERS);
    expect(boundsProblem({ ...objectOf(half - 1), inner: objectOf(half) })).toBeUndefined();
    expect(boundsProblem({ ...objectOf(half), inner: objectOf(half) })).toBe(MEMBERS);
    expect(boundsProblem([objectOf(half), [objectOf(half)]])).toBeUndefined();
    expect(boundsProblem([objectOf(half), [objectOf(half + 1)]])).toBe(MEMBERS);
  });

  it("can have longer arrays, null values and texts", () => {
    expect(boundsProblem({ values: Array(5_000).fill(1), none: null, text: "abc" })).toBeUndefined();
  });

  it("has at most 65,536 bytes as JSON", () => {
    const room = JSON_MAX_BYTES - JSON.stringify({ text: "" }).length;
    expect(boundsProblem({ text: "x".repeat(room) })).toBeUndefined();
    expect(boundsProblem({ text: "x".repeat(room + 1) })).toBe(BYTES);
    expect(boundsProblem({ text: "é".repeat(room / 2 + 1) })).toBe(BYTES);
  });
});
