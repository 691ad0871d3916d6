/** Tests which recordings and callers `POST /api/v2/recordings/` accepts. */
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect } from "vitest";
import { walk } from "./recordings.js";
import { type Answer, TestService } from "./service.js";
import { OCTETS, PATH, START, withUploads } from "./upload-scene.js";

const it = withUploads();

/** Creates a recording that cannot be compressed. */
const noise = async (serial: string, bytes: number) =>
  Buffer.concat([await walk(serial, START, 1), randomBytes(bytes)]);

describe("an upload", () => {
  it("accepts a file as the body, which its job loads for the device in the header", async ({
    uploads: { s, ann, raw, longOwned, recordingOf, jobOf },
  }) => {
    const device = await longOwned();
    const { status, headers, body } = await raw(await recordingOf(device));
    expect(status).toBe(202);
    const [uploaded] = body.recordings;
    expect(body.recordings).toEqual([
      {
        name: null,
        device: device.id,
        serial_number: device.serial_number,
        job: { id: expect.any(Number), job_id: expect.any(String), state: "PENDING", details: {} },
        repeated: false,
        problem: null,
      },
    ]);
    const location = headers.get("location") ?? "";
    expect(location).toBe(`/api/v1/jobs/${uploaded.job.job_id}/`);
    expect((await s.get(location, ann.token)).body).toEqual(uploaded.job);
    await s.runJobs();
    expect(await jobOf(uploaded.job)).toMatchObject({
      state: "SUCCESS",
      details: { device: device.id, samples_stored: 10 },
    });
  });

  it("can contain 25 files from 25 devices in one form, each with a separate job", async ({
    uploads: { s, form, longOwned, recordingOf, jobOf, count },
  }) => {
    const devices = await Promise.all(Array.from({ length: 25 }, () => longOwned()));
    const files = await Promise.all(
      devices.map(async (device, i) => [`player ${i}.asi`, await recordingOf(device, 10 + i)] as const),
    );
    const audited = await count("audit_log WHERE operation = 'uploadRecordings'");
    const { status, headers, body } = await form(files);
    expect([status, headers.get("location")]).toEqual([202, null]);
    expect(await count("audit_log WHERE operation = 'uploadRecordings'")).toBe(audited + 25);
    expect(
      body.recordings.map(({ name, device, serial_number }: Record<string, unknown>) => [
        name,
        device,
        serial_number,
      ]),
    ).toEqual(devices.map(({ id, serial_number }, i) => [`player ${i}.asi`, id, serial_number]));
    await s.runJobs();
    for (const [i, { job }] of body.recordings.entries()) {
      expect((await jobOf(job)).details.samples_stored).toBe(10 + i);
    }
  });

  it("may be compressed with gzip, up to the maximum size of a recording", async ({
    uploads: { s, raw, form, longOwned, recordingOf, jobOf, count },
  }) => {
    const device = await longOwned();
    const recording = await recordingOf(device);
    const { body } = await raw(gzipSync(recording));
    const [{ job }] = body.recordings;
    // The hash is computed from the recording, so the compression makes no difference.
    const again = await form([["plain.asi", recording]]);
    expect(again.body.recordings[0]).toMatchObject({ job, repeated: true });
    await s.runJobs();
    expect((await jobOf(job)).details.report.bytes.total).toBe(recording.length);
    const torn = await raw(gzipSync(recording).subarray(0, 150));
    expect([torn.status, torn.body.code]).toEqual([400, "BAD_GZIP"]);
    const tooLong = Buffer.concat([recording, new Uint8Array(s.config.bulkLoadMaxBytes)]);
    const bomb = await raw(gzipSync(tooLong));
    expect([bomb.status, bomb.body.code]).toEqual([413, "too_large"]);
    expect(await count("job_bodies")).toBe(0);
  });

  it("stores every byte of a long recording, in pieces", async ({
    uploads: { s, raw, longOwned, jobOf },
  }) => {
    const device = await longOwned();
    const recording = await noise(device.serial_number, 3_000_000);
    const { body } = await raw(recording);
    await s.runJobs();
    expect(await jobOf(body.recordings[0].job)).toMatchObject({
      state: "SUCCESS",
      details: { samples_stored: 1, report: { bytes: { total: recording.length } } },
    });
  });

  it("accepts valid files among invalid ones, and reports the error of each invalid file", async ({
    uploads: { s, bob, form, longOwned, recordingOf, count },
  }) => {
    await s.runJobs();
    const [own, other, ofBob] = [await longOwned(), await longOwned(), await longOwned(bob)];
    const { status, body } = await form([
      ["text.asi", Buffer.from("no recording at all")],
      ["own.asi", await recordingOf(own)],
      ["empty.asi", new Uint8Array()],
      ["of bob.asi", await recordingOf(ofBob)],
      ["unknown.asi", await walk("NOBODYS", START, 3)],
      ["torn.asi.gz", gzipSync(await recordingOf(own, 20)).subarray(0, 150)],
      ["other.asi.gz", gzipSync(await recordingOf(other))],
    ]);
    expect(status).toBe(202);
    const outcomes = body.recordings.map(
      ({ name, device, job, problem }: Record<string, { code?: string }>) => [
        name,
        device,
        job === null,
        problem?.code,
      ],
    );
    expect(outcomes).toEqual([
      ["text.asi", null, true, "NOT_A_RECORDING"],
      ["own.asi", own.id, false, undefined],
      ["empty.asi", null, true, "NOT_A_RECORDING"],
      ["of bob.asi", null, true, "unknown_device"],
      ["unknown.asi", null, true, "unknown_device"],
      ["torn.asi.gz", null, true, "BAD_GZIP"],
      ["other.asi.gz", other.id, false, undefined],
    ]);
    expect(body.recordings[4].problem).toEqual({
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      detail: "You own no device with the serial number NOBODYS.",
      code: "unknown_device",
    });
    expect(await count("job_bodies")).toBe(2);
  });

  it("is an error if no file is accepted, with a common code or one code per file", async ({
    uploads: { s, raw, form, longOwned, recordingOf },
  }) => {
    const foreign = await walk("NOBODYS", START, 3);
    const alone = await raw(foreign);
    expect([alone.status, alone.body.code, alone.headers.get("x-error-code")]).toEqual([
      400,
      "unknown_device",
      "unknown_device",
    ]);
    const same = await form([
      ["a.asi", foreign],
      ["b.asi", foreign],
    ]);
    expect([same.status, same.body.code]).toEqual([400, "unknown_device"]);
    const mixed = await form([
      ["a.asi", foreign],
      ["b.asi", Buffer.from("nothing")],
    ]);
    expect([mixed.status, mixed.headers.get("content-type"), mixed.body.code]).toEqual([
      400,
      "application/problem+json; charset=utf-8",
      "no_recording_accepted",
    ]);
    expect(mixed.body.errors).toEqual([
      {
        field: "file.0",
        detail: "You own no device with the serial number NOBODYS.",
        code: "unknown_device",
      },
      { field: "file.1", detail: expect.stringContaining("no valid frame"), code: "NOT_A_RECORDING" },
    ]);
    const small = await TestService.start(s.store, { bulkLoadMaxBytes: 3_000 });
    const device = await longOwned();
    const [long, longer] = [await noise(device.serial_number, 3_000), await recordingOf(device, 2_000)];
    for (const large of [
      await raw(long, undefined, small),
      await form([["long.asi", long]], undefined, small),
      await form([["longer.asi", longer]], undefined, small),
    ]) {
      expect([large.status, large.body.code]).toEqual([413, "too_large"]);
    }
  });

  it("is available to managers, and not found when disabled", async ({
    uploads: { s, raw, longOwned, recordingOf },
  }) => {
    const recording = await recordingOf(await longOwned());
    const byAthlete = await raw(recording, await s.athlete());
    expect([byAthlete.status, byAthlete.body.code]).toEqual([403, "permission_denied"]);
    const nobody = await s.send("POST", PATH, { body: "x", headers: { "Content-Type": OCTETS } });
    expect([nobody.status, nobody.body.code]).toEqual([401, "not_authenticated"]);
    const without = await TestService.start(s.store, { bulkLoadEnabled: false });
    const gone = await raw(recording, undefined, without);
    expect([gone.status, gone.body.code]).toEqual([410, "gone"]);
  });

  it("counts every file, so a form cannot have more files than the limit per minute", async ({
    uploads: { s, form, longOwned, recordingOf },
  }) => {
    const limited = await TestService.start(s.store, { throttleFilesPerMinute: 4 });
    const kim = await s.manager();
    const device = await longOwned(kim);
    const files = await Promise.all(
      [1, 2, 3].map(async (rows) => [`${rows}.asi`, await recordingOf(device, rows)] as const),
    );
    const problemsOf = ({ body }: Answer) =>
      body.recordings.map(({ problem }: { problem: { code: string } | null }) => problem?.code ?? null);
    expect(problemsOf(await form(files, kim, limited))).toEqual([null, null, null]);
    expect(problemsOf(await form(files, kim, limited))).toEqual([null, "throttled", "throttled"]);
    expect((await form(files, kim, limited)).status).toBe(429);
    await s.runJobs();
  });

  it("refuses other fields, types and encodings, and more than 100 files", async ({
    uploads: { s, ann, form, longOwned, recordingOf },
  }) => {
    const recording = await recordingOf(await longOwned());
    const send = (body: BodyInit, headers: Record<string, string> = {}, query = "") =>
      s.send("POST", `${PATH}${query}`, { token: ann.token, body, headers });
    const withField = new FormData();
    withField.append("device", "7");
    const text = new FormData();
    text.append("file", "text");
    const otherName = new FormData();
    otherName.append("recording", new Blob([recording as Uint8Array<ArrayBuffer>]), "a.asi");
    const errorsOf = async (answer: ReturnType<typeof send>) => {
      const { status, body } = await answer;
      return [status, body.code, body.errors?.map(({ field }: { field: string }) => field)];
    };
    expect(await errorsOf(send(withField))).toEqual([400, "invalid", ["device"]]);
    expect(await errorsOf(send(text))).toEqual([400, "invalid", ["file"]]);
    expect(await errorsOf(send(otherName))).toEqual([400, "invalid", ["recording"]]);
    expect(await errorsOf(send(new FormData()))).toEqual([400, "invalid", ["file"]]);
    expect(await errorsOf(send("x", { "Content-Type": OCTETS }, "?device=7"))).toEqual([
      400,
      "invalid",
      ["device"],
    ]);
    for (const headers of [
      { "Content-Type": "application/json" },
      { "Content-Type": "text/plain" },
      { "Content-Type": OCTETS, "Content-Encoding": "gzip" },
    ]) {
      expect((await send("[]", headers)).status).toBe(415);
    }
    const many = await form(Array.from({ length: 101 }, (_, i) => [`${i}.asi`, recording] as const));
    expect([many.status, many.body.code]).toEqual([400, "too_many_files"]);
  });
});
