import { describe, expect, it } from "vitest";
import { makeMatch } from "../fixtures/index.js";
import { AsiCsvStream, AsiDecoderStream, convert, decode, inspect } from "../src/index.js";
import { pieces } from "./drive.js";
import { fixture } from "./fixture-files.js";
import { ascii, asiInf, joined, navPvt } from "./frames.js";
import { expectSame } from "./same.js";
import { chunks, later, streamOf, Watched } from "./watched-source.js";
import { all, asiError, csvRows, rejection, wholeBytes, wholeColumns, wholeText } from "./whole.js";

const golden = fixture("valid/hour-without-hr");

describe("the batches of a recording", () => {
  it("arrive in order if they are requested concurrently", async () => {
    const iterator = decode(new Watched(chunks.slice(0, 5)).iterable())[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 7 }, () => iterator.next()));
    expect(results.map(({ done, value }) => (done === true ? null : value.timestampMs[0]))).toEqual([
      0,
      10_000,
      20_000,
      30_000,
      40_000,
      null,
      null,
    ]);
  });

  it("do not change when later batches are read", async () => {
    const batches = await all(decode(chunks));
    expect(batches.map(({ timestampMs }) => timestampMs[99])).toEqual(
      chunks.map((_, i) => i * 10_000 + 9_900),
    );
  });

  it("are absent for a recording without rows", async () => {
    expect(await all(decode(asiInf()))).toEqual([]);
  });
});

describe("transform streams", () => {
  it("return the CSV, its name, the header and the report", async () => {
    const stream = new AsiCsvStream();
    const csv = streamOf(pieces(golden.bytes, 5000)).pipeThrough(stream);
    expectSame(await wholeText(csv), golden.csv, "csv");
    expect(await stream.fileName).toBe(golden.expectation.fileName);
    expect(await stream.report).toEqual(golden.expectation.report);
    expect((await stream.info).serial).toBe(golden.expectation.serial);
  });

  it("return batches, the header and the report", async () => {
    const stream = new AsiDecoderStream();
    const batches = await all(streamOf(pieces(golden.bytes, 5000)).pipeThrough(stream));
    const { timestampMs } = wholeColumns(batches);
    expectSame(
      timestampMs,
      csvRows(golden.csv ?? "").map(({ timestamp }) => timestamp),
      "columns",
    );
    expect(await stream.report).toEqual(golden.expectation.report);
    expect((await stream.info).serial).toBe(golden.expectation.serial);
  });

  it("accept the options of decode and convert", async () => {
    const options = { serial: "MINE", columns: ["timestamp"], from: 9000, to: 9100 } as const;
    const stream = new AsiCsvStream(options);
    expect(await wholeText(streamOf(chunks).pipeThrough(stream))).toBe("timestamp\n9.000\n9.100\n");
    expect(await stream.fileName).toBe("MINE_19700101T000009_19700101T000009.csv");
  });

  it("report an input that is not a recording to the writer", async () => {
    const stream = new AsiCsvStream();
    const writer = stream.writable.getWriter();
    const reading = asiError(wholeBytes(stream.readable));
    const writing = rejection(
      (async () => {
        for (;;) await writer.write(navPvt());
      })(),
    );
    const error = await reading;
    expect(error).toMatchObject({ code: "NOT_A_RECORDING", byteOffset: 0 });
    expect(await writing).toBe(error);
    expect(await rejection(writer.closed)).toBe(error);
  });
});

describe("simultaneous conversions", () => {
  it("do not affect each other, in any order of reads", async () => {
    const matches = Array.from({ length: 7 }, (_, i) =>
      makeMatch({ seed: i + 1, durationS: 60, serial: `AS-${i}` }),
    );
    const running = matches.map(({ bytes }, i) => {
      const conversion = convert(pieces(bytes, 1000 + 701 * i), i % 2 === 0 ? {} : { engine: "scalar" });
      return { conversion, reader: conversion.body.getReader(), parts: [] as Uint8Array[] };
    });
    const open = new Set(running);
    while (open.size > 0) {
      await Promise.all(
        [...open].map(async (one) => {
          const { done, value } = await one.reader.read();
          if (done) open.delete(one);
          else one.parts.push(value);
        }),
      );
    }
    for (const [i, { conversion, parts }] of running.entries()) {
      const match = matches[i];
      expectSame(joined(parts), match?.csv(), `match ${i}`);
      expect(await conversion.fileName).toBe(match?.fileName);
      expect(await conversion.report).toEqual(match?.report);
    }
  });

  it("are not affected by one that was cancelled or failed in the middle", async () => {
    for (let round = 0; round < 5; round++) {
      const abandoned = convert(later(pieces(golden.bytes, 3000)), { delimiter: ";" });
      const reader = abandoned.body.getReader();
      await reader.read();
      const cancelling = reader.cancel();
      const failing = rejection(inspect(later([asiInf(), asiInf({ serial: "OTHER" })])));
      const results = await Promise.all(
        [golden, fixture("valid/ublox7"), fixture("damaged/torn-frames")].map(async ({ bytes, csv }) => {
          expectSame(await wholeText(convert(later(pieces(bytes, 20_000))).body), csv, "csv");
        }),
      );
      await Promise.all([cancelling, failing, ...results]);
    }
  });
});

describe("a recording without rows", () => {
  it("fails with NO_SAMPLES before the first byte of output, in any layout and stream", async () => {
    const empty = joined([asiInf(), navPvt({ fixType: 0 }), ascii("text")]);
    for (const csv of [
      convert(empty).body,
      convert(pieces(empty, 7)).body,
      convert(empty, { columns: ["hr"], lineEnd: "\r\n" }).body,
      convert(joined([asiInf(), navPvt()]), { from: 1 }).body,
      new Blob([empty.slice()]).stream().pipeThrough(new AsiCsvStream()),
    ]) {
      const reader = csv.getReader();
      expect(await asiError(reader.read())).toMatchObject({ code: "NO_SAMPLES" });
    }
  });
});
