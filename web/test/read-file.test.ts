import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { AsiError, type ConvertOptions, convertSync, decode, decodeSync } from "asi-convert";
import { describe, expect, it } from "vitest";
import { isDamaged } from "../src/recording/is-damaged.js";
import { collect, readFile } from "../src/recording/read-file.js";
import { fixturePath } from "./fixtures.js";

describe("a file with too many rows for the memory of a tab", () => {
  it("is refused with the required action before the rest is read", async () => {
    const whole = readFileSync(fixturePath("valid/match-hr.asi"));
    let bytesRead = 0;
    async function* pieces() {
      for (let at = 0; at < whole.length; at += 10_000) {
        bytesRead = at;
        yield whole.subarray(at, at + 10_000);
      }
    }
    await expect(collect(decode(pieces()), 1_000)).rejects.toThrow(
      "The file has more than 1,000 rows, too many to show. Divide it first, for example with asi convert --split.",
    );
    expect(bytesRead).toBeLessThan(whole.length / 2);
  });

  it("is shown up to the limit", async () => {
    const batches = await collect(decode(readFileSync(fixturePath("valid/match-hr.asi"))), 7_200);
    expect(batches.reduce((sum, { length }) => sum + length, 0)).toBe(7_200);
  });
});

/** Returns the error for a refused file, or null if the file is read. */
const refusal = (content: BlobPart, serial: string | null = null): Promise<AsiError | null> =>
  readFile(new File([content], "chosen"), { serial, onProgress: () => {} }).then(
    () => null,
    (error: unknown) => (error instanceof AsiError ? error : expect.fail(String(error))),
  );

const fixture = (name: string) => new Uint8Array(readFileSync(fixturePath(name)));

describe("a CSV from the library", () => {
  it.for<ConvertOptions>([
    { time: "iso" },
    { delimiter: "\t" },
    { time: "excel" },
    { time: "excel", decimalMark: "," },
    { time: "local", timeZone: "Europe/Zurich" },
  ])("can be read again: %j", async (options) => {
    const { csv } = convertSync(fixture("valid/match-hr.asi"), options);
    const { samples } = decodeSync(fixture("valid/match-hr.asi"));
    const { batches } = await readFile(new File([csv as BlobPart], "match.csv"), {
      serial: null,
      onProgress: () => {},
    });
    expect(batches.flatMap((batch) => [...batch.timestampMs])).toEqual([...samples.timestampMs]);
  });
});

describe("a file that cannot be read", () => {
  it("is refused with the code of the library, in plain words", async () => {
    const names = readdirSync(fixturePath("damaged")).filter((name) => name.endsWith(".asi"));
    const refusals = await Promise.all(names.map((name) => refusal(fixture(`damaged/${name}`))));
    refusals.push(
      await refusal("<gpx></gpx"),
      await refusal(fixture("valid/match-hr.asi").subarray(5000)),
      await refusal(fixture("damaged/plain-log.asi"), "CON"),
      await refusal("timestamp,latitude,longitude,speed\n1,north,8,1\n"),
      await refusal("timestamp,latitude,longitude,speed\n1,91,8,1\n"),
    );
    const refused = refusals.filter((one) => one !== null);
    const codes = new Set(refused.map(({ code }) => code));
    expect([...codes].sort()).toEqual([
      "BAD_CSV",
      "BAD_HEADER",
      "BAD_OPTION",
      "BAD_ROW",
      "BAD_TRACK",
      "MIXED_DEVICES",
      "NOT_A_RECORDING",
      "UNSUPPORTED_VERSION",
    ]);
    for (const { message } of refused) {
      expect(message).not.toMatch(/option|input|frame|byte|strict|asi-convert|cannot be part of a file name/);
    }
  });

  it("reports the position of the error for inspection", async () => {
    expect(await refusal("timestamp,latitude,longitude,speed\n1,91,8,1\n")).toMatchObject({
      code: "BAD_ROW",
      line: 2,
    });
    const { byteOffset } = (await refusal(fixture("damaged/foreign-header.asi"))) ?? {};
    expect(byteOffset).toBeGreaterThan(0);
  });

  it("opens up to the damage, which is reported, if it is a truncated FIT file", async () => {
    const whole = fixture("valid/edges.fit");
    const cut = new File([new Uint8Array(whole.subarray(0, whole.length - 200))], "ride.fit");
    const { batches, facts } = await readFile(cut, { serial: null, onProgress: () => {} });
    const times = batches.flatMap(({ timestampMs }) => [...timestampMs]);
    expect(times.length).toBeGreaterThan(2);
    expect(facts.cutOff).toMatchObject({ byteOffset: whole.length - 200, afterMs: times.at(-1) });
    expect(isDamaged(facts)).toBe(true);
  });

  it("says that times without an offset in a CSV file are read as UTC", async () => {
    const file = new File(["timestamp,latitude,longitude,speed\n2025-05-17 16:30:00,47,8,1\n"], "excel.csv");
    const { batches, facts } = await readFile(file, { serial: null, onProgress: () => {} });
    expect(batches[0]?.timestampMs[0]).toBe(Date.UTC(2025, 4, 17, 16, 30));
    expect(facts.notes).toEqual(["Times without an offset are read as UTC."]);
  });

  it("says that a gzip file is incomplete", async () => {
    const torn = await refusal(new Uint8Array(gzipSync(fixture("valid/match-hr.asi")).subarray(0, 5000)));
    expect(torn).toMatchObject({
      code: "BAD_GZIP",
      message: "The gzip file is damaged or incomplete. Copy it again.",
    });
  });
});

it("a recording compressed with gzip is the same as the recording", async () => {
  const options = { serial: null, onProgress: () => {} };
  const bytes = fixture("valid/match-hr.asi");
  const packed = await readFile(new File([new Uint8Array(gzipSync(bytes))], "match-hr.asi.gz"), options);
  const plain = await readFile(new File([new Uint8Array(bytes)], "match-hr.asi"), options);
  expect(packed.facts).toEqual(plain.facts);
  const rowsOf = ({ batches }: typeof plain) => batches.reduce((rows, { length }) => rows + length, 0);
  expect(rowsOf(packed)).toBe(rowsOf(plain));
  expect(Buffer.from(await packed.unpacked.arrayBuffer()).equals(bytes)).toBe(true);
});
