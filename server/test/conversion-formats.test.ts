import { convert, FORMAT_NAMES, type FormatName } from "asi-convert";
import { describe, expect } from "vitest";
import { fixture, form, ON_DISK, PART, withConversions } from "./conversion-scene.js";
import { bytesOf, recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { TestService } from "./service.js";

const it = withConversions(ON_DISK);

const pathOf = (format: string) => `/api/v2/files/convert/?format=${format}`;

const MEDIA_TYPES: Readonly<Record<FormatName, string>> = {
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
  gpx: "application/gpx+xml",
  tcx: "application/vnd.garmin.tcx+xml",
  fit: "application/vnd.ant.fit",
  geojson: "application/geo+json",
  geojsonl: "application/x-ndjson",
  jsonl: "application/x-ndjson",
  kml: "application/vnd.google-earth.kml+xml",
};

describe("conversion to a format", () => {
  it.for(FORMAT_NAMES)(
    "returns the %s file of the library, byte for byte, with its file name",
    async (format, { conversions: { s, send, expectNoFiles } }) => {
      for (const name of ["valid/run-fix-loss.asi", "damaged/bad-checksums.asi"]) {
        const recording = fixture(name);
        const conversion = convert(recording, { format });
        const expected = await bytesOf(conversion.body);
        const { status, headers, bytes } = await send(form([["file", recording]]), {}, s, pathOf(format));
        expect([status, headers.get("content-type")]).toEqual([200, MEDIA_TYPES[format]]);
        const fileName = await conversion.fileName;
        expect(fileName.endsWith(`.${format}`)).toBe(true);
        expect(headers.get("content-disposition")).toBe(`attachment; filename="${fileName}"`);
        expect(headers.get("content-length")).toBe(`${expected.length}`);
        expect(JSON.parse(headers.get("x-asi-report") ?? "")).toEqual(await conversion.report);
        expect(Buffer.from(bytes).equals(Buffer.from(expected))).toBe(true);
      }
      await expectNoFiles();
    },
  );

  it("refuses an unknown format, and lists the known formats", async ({ conversions: { s, send } }) => {
    for (const query of ["?format=xlsx", "?format=GPX", "?format=", ""]) {
      const path = `/api/v2/files/convert/${query}`;
      const { status, json } = await send(form([["file", fixture("valid/edges.asi")]]), {}, s, path);
      expect([query, status, Object.keys(json)]).toEqual([query, 400, ["format"]]);
    }
    const { json } = await send(form([["file", fixture("valid/edges.asi")]]), {}, s, pathOf("xlsx"));
    expect(json.format[0]).toContain("csv, parquet, gpx, tcx, fit, geojson, geojsonl, jsonl, kml");
  });

  it("refuses the recordings that the conversion to CSV refuses, and recordings that the format does not support", async ({
    conversions: { s, send, expectNoFiles },
  }) => {
    const old = await recordingOf("A-1", timesFrom("1990-01-01T00:00:00Z", 3).map(rowAt));
    for (const [recording, code] of [
      [new TextEncoder().encode("no recording"), "NOT_A_RECORDING"],
      [await recordingOf("A-1", []), "NO_SAMPLES"],
      [old, "FORMAT_LIMIT"],
    ] as const) {
      const { status, headers, json } = await send(form([["file", recording]]), {}, s, pathOf("fit"));
      expect([status, headers.get("x-error-code"), Object.keys(json)]).toEqual([400, code, ["file"]]);
    }
    await expectNoFiles();
  });

  it("refuses a recording that is too large, and a recording whose converted file would be too large", async ({
    conversions: { s, send, spooled },
  }) => {
    const small = await TestService.start(s.store, { ...ON_DISK, convertMaxBytes: 20_000 });
    const large = await walk("A-1", "2024-03-01T10:00:00Z", 1_000);
    const atOnce = await send(form([["file", large]]), {}, small, pathOf("jsonl"));
    expect([atOnce.status, Object.keys(atOnce.json)]).toEqual([413, ["detail"]]);
    // Each row is a separate lap.
    const lonely = await recordingOf(
      "A-1",
      Array.from({ length: 160 }, (_, i) => rowAt(Date.UTC(2024, 2, 1) + i * 400_000)),
    );
    expect(lonely.length).toBeLessThan(20_000);
    const grown = await send(form([["file", lonely]]), {}, small, pathOf("tcx"));
    expect([grown.status, grown.json.detail]).toEqual([413, expect.stringContaining("80000 bytes")]);
    expect((await send(form([["file", lonely]]), {}, small, pathOf("csv"))).status).toBe(200);
    await expect.poll(() => spooled(small)).toEqual([]);
    await small.stop();
  });

  it("keeps the rows of only one recording per address in memory; other requests wait, and formats that do not keep rows are not delayed", async ({
    conversions: { s, open, send, spooled },
  }) => {
    // This service waits for uploads that have stopped halfway.
    const patient = await TestService.start(s.store, { ...ON_DISK, transferGraceMs: 60_000 });
    const others = [await s.manager(), await s.manager()];
    const begin = async (token: string) => {
      const connection = await open(patient);
      connection.socket.write(
        `POST ${pathOf("fit")} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 900000\r\n` +
          `Content-Type: multipart/form-data; boundary=b\r\n\r\n${PART}`,
      );
      return { ...connection, token };
    };
    const uploads = await Promise.all(others.map(({ token }) => begin(token)));
    const recording = fixture("valid/edges.asi");
    const status = async (format: FormatName) =>
      (await send(form([["file", recording]]), {}, patient, pathOf(format))).status;
    const waiting = status("tcx");
    expect(await status("gpx")).toBe(200);
    for (const { socket, closed } of uploads) {
      socket.destroy();
      await closed;
    }
    expect(await waiting).toBe(200);
    await expect.poll(() => spooled(patient)).toEqual([]);
    await patient.stop();
  });
});
