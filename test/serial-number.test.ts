/** Tests the serial number from a caller, and the texts of a header. */
import { describe, expect, it } from "vitest";
import { type AsiError, convert, decode, decodeRows, encode, inspect, repair } from "../src/index.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { conversionError, thrown, wholeText } from "./whole.js";

const header = asiInf();
const row = navPvt(civilTime(1000));

describe("a serial number from the caller", () => {
  it("overrides those of headers, including invalid ones and those of two devices", async () => {
    const bytes = joined([asiInf({ serial: "A/B" }), row, asiInf({ serial: "OTHER" }), row]);
    const { body: csv, fileName, info } = convert(bytes, { serial: "MINE" });
    expect((await wholeText(csv)).split("\n")).toHaveLength(4);
    expect(await fileName).toBe("MINE_19700101T000001_19700101T000001.csv");
    expect((await info).serial).toBe("MINE");
  });

  it("does not override the version or the length of a header", async () => {
    const serial = "MINE";
    expect(await conversionError(asiInf({ formatVersion: 2 }), { serial })).toMatchObject({
      code: "UNSUPPORTED_VERSION",
    });
    expect(await conversionError(asiInf({ payloadBytes: 65 }), { serial })).toMatchObject({
      code: "BAD_HEADER",
    });
  });

  it.for(["", "-A", ".A", "A B", "A/B", "A\\B", "A\n", "Ä", "A:B", "..", "A\0"])(
    "is refused immediately: %j",
    (serial) => {
      for (const attempt of [convert, decode, decodeRows, repair]) {
        const error = thrown(() => attempt(joined([header, row]), { serial }));
        expect(error).toMatchObject({ code: "BAD_OPTION" });
        expect((error as AsiError).message).toContain(JSON.stringify(serial));
      }
    },
  );

  it.for(["CON", "nul", "Com1", "LPT9", "aux.", "NUL.1", "prn..x", "COM0.asi"])(
    "is refused if Windows reserves the name for a device: %s",
    async (serial) => {
      for (const attempt of [convert, decode, decodeRows, repair]) {
        expect(thrown(() => attempt(joined([header, row]), { serial }))).toMatchObject({
          code: "BAD_OPTION",
          message: expect.stringMatching(/device name on Windows/),
        });
      }
      expect(thrown(() => encode([], { serial }))).toMatchObject({ code: "BAD_OPTION" });
      expect(await conversionError(joined([asiInf({ serial }), row]))).toMatchObject({ code: "BAD_HEADER" });
    },
  );

  it.for(["CONTROL", "COM", "COM10", "NUL-1", "AUX_2", "A.CON", "LPTX"])(
    "may be similar to the name of a device: %s",
    async (serial) => {
      expect((await inspect(joined([header, row]), { serial })).info.serial).toBe(serial);
      expect((await inspect(joined([asiInf({ serial }), row]))).info.serial).toBe(serial);
    },
  );

  it("has at most the 16 characters that a header can hold", async () => {
    for (const attempt of [convert, decode, decodeRows, repair]) {
      const error = thrown(() => attempt(joined([header, row]), { serial: "A".repeat(17) }));
      expect(error).toMatchObject({ code: "BAD_OPTION", message: expect.stringMatching(/at most 16/) });
    }
    expect(
      await convert(row, { serial: "A".repeat(16) })
        .body.getReader()
        .read(),
    ).toMatchObject({ done: false });
  });
});

describe("the texts of a header", () => {
  it("show non-printable and non-ASCII characters as replacement characters", async () => {
    const bytes = asiInf({ deviceName: "\u001f ~\u007fA", deviceType: "x".repeat(12), firmwareVersion: "" });
    expect((await inspect(joined([bytes, row]))).info).toMatchObject({
      deviceName: "\ufffd ~\ufffdA",
      deviceType: "x".repeat(12),
      firmwareVersion: "",
    });
  });

  it("may be followed by a period of up to 65,535 ms", async () => {
    const rows = [{ timestamp: 0, latitude: 0, longitude: 0, speed: 0 }];
    for (const periodMs of [0, 255, 256, 65_535]) {
      const recording = encode(rows, { serial: "X", periodMs });
      expect((await inspect(recording)).info.periodMs).toBe(periodMs);
    }
  });
});
