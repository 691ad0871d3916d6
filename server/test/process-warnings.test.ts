import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { takeProcessWarnings } from "./process-warnings.js";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("a test fails when its service adds too many listeners: the check sees the warning", async () => {
  const emitter = new EventEmitter();
  for (let i = 0; i < 11; i++) emitter.on("close", () => undefined);
  await nextTurn();
  expect(takeProcessWarnings()).toEqual([expect.stringContaining("MaxListenersExceededWarning")]);
});

it("a test fails when its service calls a deprecated function: the check sees the warning", async () => {
  process.emitWarning("Old", "DeprecationWarning");
  await nextTurn();
  expect(takeProcessWarnings()).toEqual([expect.stringContaining("DeprecationWarning: Old")]);
});
