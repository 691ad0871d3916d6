import { readFileSync } from "node:fs";
import { decodeSync } from "asi-convert";
import { describe, expect, it } from "vitest";
import { readCsv } from "../src/recording/read-csv.js";
import { fixturePath } from "./fixtures.js";

async function read(text: string, chunk = 1000) {
  async function* chunks() {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const batches = [];
  for await (const batch of readCsv(chunks())) batches.push(batch);
  return batches;
}

describe("a CSV", () => {
  it("gives the rows of the recording from which it was written, however it arrives", async () => {
    const csv = readFileSync(fixturePath("valid/edges.csv"), "utf8");
    const { samples } = decodeSync(readFileSync(fixturePath("valid/edges.asi")));
    for (const chunk of [7, 64, 1e6]) {
      const batches = await read(csv, chunk);
      for (const column of ["timestampMs", "latitudeE7", "longitudeE7", "speedMmPerS", "hr"] as const) {
        expect(batches.flatMap((batch) => [...batch[column]])).toEqual([...samples[column]]);
      }
    }
  });

  it("may have semicolons, a decimal comma, other columns and Windows line ends", async () => {
    const [batch] = await read("name;speed;longitude;latitude;timestamp\r\na;1,5;8,5;47,1;10,25\r\n");
    expect(batch).toMatchObject({
      length: 1,
      timestampMs: Float64Array.of(10_250),
      speedMmPerS: Int32Array.of(1500),
      latitudeE7: Int32Array.of(471_000_000),
      fixType: Uint8Array.of(2),
    });
  });

  it("that lacks a column, or has a wrong number, is refused with its line", async () => {
    await expect(read("timestamp,speed\n1,2\n")).rejects.toMatchObject({ code: "BAD_CSV", line: 1 });
    const wrong = "timestamp,latitude,longitude,speed\n1,2,3,4\n1,200,3,4\n";
    await expect(read(wrong)).rejects.toMatchObject({ code: "BAD_CSV", line: 3 });
    await expect(read("")).rejects.toMatchObject({ code: "BAD_CSV" });
  });

  it("with a line that is too long is refused with that line, wherever the chunks end", async () => {
    const row = "1,2,3,4\n";
    const text = `timestamp,latitude,longitude,speed\n${row}${row}${"9".repeat(12_000)}\n${row}`;
    for (const chunk of [1000, 9000, 1e6]) {
      await expect(read(text, chunk)).rejects.toMatchObject({ code: "BAD_CSV", line: 4 });
    }
  });
});
