import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SpooledFile } from "./spool.js";

describe("a spooled file", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "asi-spool-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const spooled = async () => {
    const file = new SpooledFile(join(folder, "1"));
    await file.write([
      Buffer.from("timestamp,"),
      Buffer.from("latitude"),
    ] as unknown as AsyncIterable<Uint8Array>);
    return file;
  };

  it("is read to its end when its client leaves and it is removed", async () => {
    const file = await spooled();
    const content = await file.read();
    await file.remove();
    expect(await text(content)).toBe("timestamp,latitude");
  });

  it("that is removed before it is read is an error at once, not of the response", async () => {
    const file = await spooled();
    await file.remove();
    await expect(file.read()).rejects.toMatchObject({ code: "ENOENT" });
  });
});
