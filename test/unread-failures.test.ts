import { expect, it } from "vitest";
import { runChild } from "./child.js";

it("an error that was reported in one place is not an unhandled rejection elsewhere", async () => {
  const { stdout, stderr, status } = await runChild("failures-unread", {
    nodeArgs: ["--unhandled-rejections=strict"],
  });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^(\d+) of \1 failed, quietly\n$/);
  expect(status).toBe(0);
});
