import { describe, expect, it } from "vitest";
import { announceWaiting } from "./announce-waiting.js";

describe("long work", () => {
  it("is reported with its reason until it ends", async () => {
    const said: string[] = [];
    let end: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    const say = (line: string) => {
      said.push(line);
      if (said.length === 2) end();
    };
    await announceWaiting("the database of DATABASE_URL", () => done, { everyMs: 1, say });
    expect(said[0]).toBe("asi-server is still waiting for the database of DATABASE_URL (0 s so far)");
  });

  it("is not reported if it ends soon", async () => {
    const said: string[] = [];
    expect(await announceWaiting("it", async () => 7, { say: (line) => said.push(line) })).toBe(7);
    expect(said).toEqual([]);
  });
});
