import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { AsiError, convert, decode } from "../src/index.js";
import { fixture } from "./fixture-files.js";
import { settle } from "./watched-source.js";
import { WAITS } from "./ways-of-reading.js";
import { asiError, wholeText } from "./whole.js";

describe("a wait for a result that is known only after reading does not hang", () => {
  it.for(WAITS)("$name", async ({ expected, begin }) => {
    const { promise, held } = await begin();
    const outcome = await Promise.race([
      promise.then(
        () => "fulfilled",
        (error: unknown) => (error instanceof AsiError ? error : Promise.reject(error)),
      ),
      settle().then(() => "held"),
    ]);
    if (outcome instanceof AsiError) expect(outcome.code).toBe(expected);
    else expect(outcome).toBe(expected);
    if (expected === "NOT_READ") {
      expect(outcome).toMatchObject({ message: expect.stringMatching(/is not known.* (?:Read|Iterate)/) });
    }
    expect(held).toBeDefined();
  });
});

describe("a rejected wait", () => {
  const { bytes, csv, expectation } = fixture("damaged/torn-frames");

  it("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 20; i++) {
      const { report } = i % 2 === 0 ? convert(bytes, { signal }) : decode(bytes, { signal });
      expect(await asiError(report)).toMatchObject({ code: "NOT_READ" });
    }
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("can be repeated while the rest is read", async () => {
    const conversion = convert([bytes.subarray(0, 300), bytes.subarray(300)]);
    const reader = conversion.body.getReader();
    const first = await reader.read();
    reader.releaseLock();
    expect(await asiError(conversion.fileName)).toMatchObject({ code: "NOT_READ" });
    const [rest, fileName] = await Promise.all([wholeText(conversion.body), conversion.fileName]);
    expect(new TextDecoder().decode(first.value) + rest).toBe(csv);
    expect(fileName).toBe(expectation.fileName);
  });

  it("continues when a paused reader reads", async () => {
    const conversion = convert(bytes);
    const reader = conversion.body.getReader();
    const fileName = conversion.fileName.then((name) => name);
    await settle();
    while (!(await reader.read()).done);
    expect(await fileName).toBe(expectation.fileName);
  });
});
