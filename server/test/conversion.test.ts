import { gzipSync } from "node:zlib";
import { convert } from "asi-convert";
import { describe, expect } from "vitest";
import { fixture, form, PART, withConversions } from "./conversion-scene.js";
import { bytesOf, recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { TestService } from "./service.js";

const it = withConversions();

describe("conversion", () => {
  it("returns the CSV file of the library, byte for byte, with its file name", async ({
    conversions: { send, expectNoFiles },
  }) => {
    for (const name of ["valid/match-hr.asi", "valid/run-fix-loss.asi", "damaged/bad-checksums.asi"]) {
      const recording = fixture(name);
      const conversion = convert(recording);
      const csv = await bytesOf(conversion.body);
      const { status, headers, bytes } = await send(form([["file", recording]]));
      expect([name, status, headers.get("content-type")]).toEqual([name, 200, "text/csv; charset=utf-8"]);
      expect(headers.get("content-disposition")).toBe(`attachment; filename="${await conversion.fileName}"`);
      expect(JSON.parse(headers.get("x-asi-report") ?? "")).toEqual(await conversion.report);
      expect(Buffer.from(bytes).equals(Buffer.from(csv))).toBe(true);
    }
    await expectNoFiles();
  });

  it("decompresses a recording compressed with gzip for every format, and charges for the decompressed bytes", async ({
    conversions: { s, send, expectNoFiles },
  }) => {
    const recording = fixture("valid/match-hr.asi");
    const packed = new Uint8Array(gzipSync(recording));
    const { body, report } = convert(recording);
    const expected = Buffer.from(await bytesOf(body));
    const converted = await send(form([["file", packed, "match.asi.gz"]]));
    expect([converted.status, expected.equals(Buffer.from(converted.bytes))]).toEqual([200, true]);
    expect(JSON.parse(converted.headers.get("x-asi-report") ?? "")).toEqual(await report);
    const gpx = await send(form([["file", packed]]), {}, s, "/api/v2/files/convert/?format=gpx");
    const expectedGpx = Buffer.from(await bytesOf(convert(recording, { format: "gpx" }).body));
    expect([gpx.status, expectedGpx.equals(Buffer.from(gpx.bytes))]).toEqual([200, true]);

    const torn = packed.subarray(0, packed.length / 2);
    for (const path of [undefined, "/api/v2/files/convert/?format=tcx"]) {
      const refused = await send(form([["file", torn]]), {}, s, path);
      expect([refused.status, refused.headers.get("x-error-code")]).toEqual([400, "BAD_GZIP"]);
      expect(Object.keys(refused.json)).toEqual(["file"]);
    }
    await expectNoFiles();
  });

  it("decompresses at most the maximum size of a recording", async ({ conversions: { s, send } }) => {
    const small = await TestService.start(s.store, { convertMaxBytes: 100_000 });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 5_000);
    const bomb = Buffer.concat([recording.subarray(0, 100), new Uint8Array(50_000_000)]);
    for (const bytes of [recording.subarray(0, 100_001), bomb]) {
      const packed = new Uint8Array(gzipSync(bytes));
      expect(packed.length).toBeLessThan(100_000);
      for (const path of [undefined, "/api/v2/files/convert/?format=jsonl"])
        expect((await send(form([["file", packed]]), {}, small, path)).status).toBe(413);
    }
    const most = new Uint8Array(gzipSync(recording.subarray(0, 100_000)));
    expect((await send(form([["file", most]]), {}, small)).status).toBe(200);
    await small.stop();
  });

  it("is available to any authenticated user", async ({ conversions: { s, send, expectNoFiles } }) => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    const athlete = await s.athlete();
    expect(
      (await send(form([["file", recording]]), { Authorization: `Bearer ${athlete.token}` })).status,
    ).toBe(200);
    const refused = await send(form([["file", recording]]), { Authorization: "Bearer wrong" });
    expect([refused.status, refused.json]).toEqual([403, { detail: "Invalid or expired token." }]);
    await expectNoFiles();
  });

  it("reports an error in the file with the error code of the library", async ({
    conversions: { send, expectNoFiles },
  }) => {
    for (const [name, recording, code] of [
      ["text", new TextEncoder().encode("no recording"), "NOT_A_RECORDING"],
      ["empty", new Uint8Array(), "NOT_A_RECORDING"],
      ["header only", await recordingOf("A-1", []), "NO_SAMPLES"],
      ["zip", Buffer.concat([Buffer.from("PK\u0003\u0004"), new Uint8Array(5_000_000)]), "NOT_A_RECORDING"],
      [
        "two devices",
        Buffer.concat([
          await walk("A-1", "2024-03-01T10:00:00Z", 3),
          await walk("A-2", "2024-03-01T10:00:01Z", 3),
        ]),
        "MIXED_DEVICES",
      ],
    ] as const) {
      const { status, headers, json } = await send(form([["file", recording]]));
      expect([name, status, headers.get("x-error-code"), Object.keys(json)]).toEqual([
        name,
        400,
        code,
        ["file"],
      ]);
      expect(headers.get("content-disposition")).toBeNull();
    }
    await expectNoFiles();
  });

  it("requires exactly one part named file, which must be a file", async ({
    conversions: { send, expectNoFiles },
  }) => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 3);
    for (const [parts, message] of [
      [[], "No file was submitted."],
      [[["upload", recording]], "No file was submitted."],
      [[["file", "text"]], "The submitted data was not a file."],
      [
        [
          ["file", recording],
          ["file", recording],
        ],
        "Submit one file only.",
      ],
    ] as const) {
      const { status, json } = await send(form(parts as unknown as Parameters<typeof form>[0]));
      expect([status, json]).toEqual([400, { file: [message] }]);
    }
    const more = await send(
      form([
        ["note", "ignored"],
        ["picture", new Uint8Array(3_000_000)],
        ["file", recording],
        ["__proto", "x"],
      ]),
    );
    expect(more.status).toBe(200);
    await expectNoFiles();
  });

  it("reports a form with too many parts", async ({ conversions: { send } }) => {
    const many = Array.from({ length: 40 }, (_, i): [string, string] => [`note-${i}`, "x"]);
    const { status, json } = await send(
      form([...many, ["file", await walk("A-1", "2024-03-01T10:00:00Z", 3)]]),
    );
    expect([status, json]).toEqual([400, { detail: "The form has too many parts." }]);
  });

  it("does not copy the name of the upload into the response", async ({ conversions: { send } }) => {
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 2);
    for (const name of ['x"; filename="evil.exe', "../../etc/passwd", "a%0d%0aX-Evil: 1", "\u202egpj.asi"]) {
      const { status, headers } = await send(form([["file", recording, name]]));
      expect([status, headers.get("content-disposition")]).toEqual([
        200,
        'attachment; filename="A-1_20240301T100000_20240301T100000.csv"',
      ]);
      expect(headers.get("x-evil")).toBeNull();
    }
  });

  it("refuses a file that is too large, even if it is damaged", async ({ conversions: { s, send } }) => {
    const small = await TestService.start(s.store, { convertMaxBytes: 100_000 });
    const recording = await walk("A-1", "2024-03-01T10:00:00Z", 5_000);
    const { status, json } = await send(form([["file", recording]]), {}, small);
    expect([status, Object.keys(json)]).toEqual([413, ["detail"]]);
    const exact = recording.subarray(0, 100_000);
    expect((await send(form([["file", exact]]), {}, small)).status).toBe(200);
    // The file exceeds the limit before its first row.
    const late = new Uint8Array(recording.length);
    late.set(recording.subarray(0, 100));
    expect((await send(form([["file", late]]), {}, small)).status).toBe(413);
    await small.stop();
  });

  it("refuses other content types, and compressed bodies", async ({ conversions: { s, send } }) => {
    for (const type of [
      "application/json",
      "text/csv",
      "application/octet-stream",
      "multipart/mixed; boundary=b",
    ]) {
      const { status, json } = await send("{}", { "Content-Type": type });
      expect([type, status, Object.keys(json)]).toEqual([type, 415, ["detail"]]);
    }
    const packed = await send(form([["file", new Uint8Array(9)]]), { "Content-Encoding": "gzip" });
    expect(packed.status).toBe(415);
    const elsewhere = await s.send("POST", "/api/v1/managers/", { body: form([["username", "x"]]) });
    expect(elsewhere.status).toBe(415);
  });

  it("reports a malformed form as a malformed request", async ({ conversions: { send, expectNoFiles } }) => {
    const type = "multipart/form-data; boundary=b";
    for (const [contentType, body] of [
      ["multipart/form-data", `${PART}x\r\n--b--\r\n`],
      [type, `${PART}half a file`],
      [type, "--b\r\nContent-Disposition: form-data"],
      [type, "no boundary at all"],
      ["multipart/form-data; boundary=", "x"],
      [`multipart/form-data; boundary=${"b".repeat(300)}`, "x"],
    ] as const) {
      const { status } = await send(body, { "Content-Type": contentType });
      expect([contentType, body, status]).toEqual([contentType, body, 400]);
    }
    await expectNoFiles();
  });

  it("omits the list of ranges if the report is long", async ({ conversions: { send } }) => {
    const times = Array.from({ length: 200 }, (_, i) => Date.parse("2024-03-01T10:00:00Z") + i * 400_000);
    const { headers } = await send(form([["file", await recordingOf("A-1", times.map(rowAt))]]));
    const report = JSON.parse(headers.get("x-asi-report") ?? "");
    expect([report.ranges, report.ranges_left_out, report.rows.total]).toEqual([undefined, 200, 200]);
  });

  it("is limited per user", async ({ conversions: { s, send } }) => {
    const strict = await TestService.start(s.store, { throttleFilesPerMinute: 1 });
    const recording = await recordingOf("A-1", timesFrom("2024-03-01T10:00:00Z", 2).map(rowAt));
    const headers = { Authorization: `Bearer ${(await s.manager()).token}` };
    const statuses = [
      (await send(form([["file", recording]]), headers, strict)).status,
      (await send(form([["file", recording]]), headers, strict)).status,
    ];
    await strict.stop();
    expect(statuses).toEqual([200, 429]);
  });
});
