import { readFileSync } from "node:fs";
import { convertSync, decodeSync } from "asi-convert";
import { describe, expect, it } from "vitest";
import { readFile } from "../src/recording/read-file.js";
import { save } from "../src/recording/save.js";
import { fixturePath } from "./fixtures.js";

describe("a download", () => {
  it("of a receiver's log has its rows, in each format and as a recording", async () => {
    const bytes = readFileSync(fixturePath("valid/ublox7-plain.asi"));
    const file = new File([bytes], "receiver.ubx");
    const { facts, batches } = await readFile(file, { serial: "ROVER-1", onProgress: () => {} });
    const [rows] = batches;
    if (rows === undefined || batches.length > 1)
      throw new Error("The log is expected to fit into one batch.");
    const about = { ...facts, rows: rows.length, ranges: [], isReordered: false };
    const csv = await save(about, file, rows, "csv", null);
    const expected = convertSync(bytes, { serial: "ROVER-1" });
    expect(csv.fileName).toBe(expected.fileName);
    expect(await csv.blob.text()).toBe(new TextDecoder().decode(expected.csv));
    const recording = await save(about, file, rows, "asi", null);
    expect(recording.fileName).toBe("receiver.asi");
    const { samples, info } = decodeSync(new Uint8Array(await recording.blob.arrayBuffer()));
    expect(info.serial).toBe("ROVER-1");
    expect(samples.timestampMs).toEqual(rows.timestampMs);
  });
});
