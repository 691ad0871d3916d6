import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineSettings } from "../src/engine/engine.js";
import type { Report } from "../src/types.js";
import { arbitraryRecording } from "./arbitrary-recording.js";
import { drive, pieces } from "./drive.js";
import { everyEngine } from "./every-engine.js";
import { ascii, asiInf, civilTime, ecgHr, ecgRaw, fletcher, joined, navPvt, ubxFrame } from "./frames.js";
import { examples } from "./long-form.js";
import { mutate, randomChunks, seededRandom } from "./mutations.js";
import { expectSame } from "./same.js";

describe.for(everyEngine)("%s", ([, create]) => {
  const engine = create();

  const good = navPvt();
  const NO_DAMAGE: Report["damage"] = { badChecksums: 0, overlong: 0, overruns: 0 };

  /** The start of a frame with a claimed payload of `length` bytes. */
  function start(length: number): Uint8Array {
    return Uint8Array.of(0xb5, 0x62, 0x01, 0x07, length & 0xff, length >> 8);
  }

  /** A recording with a few frames of every type, with damage and text between them. */
  const mixed = joined([
    ascii("$GPGGA\r\n"),
    asiInf(),
    ecgHr({ timeMs: 1000, beatsPerMinute: 77, rrIntervals: [800] }),
    navPvt({ ...civilTime(1500), latitudeE7: -5, altitudeMm: -123 }),
    start(40),
    navPvt(civilTime(1600)),
    ecgRaw({ timeMs: 1000, samples: [1, -2, 3] }),
    start(9000),
    ubxFrame(0x0135, Uint8Array.of(0xb5, 0x62, 0xb5)),
    asiInf(),
    navPvt({ ...civilTime(400_000), fixType: 2 }),
    start(500),
    navPvt(civilTime(400_100)),
    Uint8Array.of(0xb5, 0x62, 0xb5),
  ]);

  describe("an invalid frame", () => {
    it.for<[string, Uint8Array[], Report["damage"], number]>([
      [
        "a torn frame hides no frame inside its span",
        [good.subarray(0, 50), good, good],
        { ...NO_DAMAGE, badChecksums: 1 },
        2,
      ],
      [
        "a frame longer than the rest of the input hides no other frame",
        [start(5000), good, good],
        { ...NO_DAMAGE, overruns: 1 },
        2,
      ],
      [
        "a frame whose head is truncated hides no frame",
        [good, start(5).subarray(0, 2)],
        { ...NO_DAMAGE, overruns: 1 },
        1,
      ],
      [
        "7 bytes of an empty frame are an overrun",
        [good, ubxFrame(0x0101, new Uint8Array(0)).subarray(0, 7)],
        { ...NO_DAMAGE, overruns: 1 },
        1,
      ],
      [
        "8193 bytes are too long, regardless of the end of the input",
        [good, start(8193)],
        { ...NO_DAMAGE, overlong: 1 },
        1,
      ],
      ["8192 bytes are not too long", [good, start(8192)], { ...NO_DAMAGE, overruns: 1 }, 1],
      [
        "a length with only one known byte is not checked",
        [good, start(0xffff).subarray(0, 5)],
        { ...NO_DAMAGE, overruns: 1 },
        1,
      ],
      [
        "a sync inside a damaged frame is counted separately",
        [start(9000), start(9001), good],
        { ...NO_DAMAGE, overlong: 2 },
        1,
      ],
      ["a lone first sync byte is no sync", [good, Uint8Array.of(0xb5)], NO_DAMAGE, 1],
      ["nor are two", [Uint8Array.of(0xb5, 0xb5), good, Uint8Array.of(0xb5, 0xb5)], NO_DAMAGE, 1],
      ["other text is no sync", [ascii("$GPTXT,b\r\n"), good, ascii("b")], NO_DAMAGE, 1],
    ])("%s", ([, parts, damage, frames]) => {
      const bytes = joined(parts);
      const { report } = drive(engine, bytes);
      expect(report.damage).toEqual(damage);
      expect(report.frames.gnss).toBe(frames);
      expect(report.bytes).toEqual({
        total: bytes.length,
        known: frames * good.length,
        unknown: 0,
        skipped: bytes.length - frames * good.length,
      });
    });

    it("is detected by a wrong checksum in either byte", () => {
      for (const fromEnd of [1, 2]) {
        const broken = good.slice();
        broken[good.length - fromEnd] = (broken[good.length - fromEnd] ?? 0) ^ 0x80;
        const { report } = drive(engine, joined([broken, good]));
        expect(report.damage).toEqual({ ...NO_DAMAGE, badChecksums: 1 });
        expect(report.frames.gnss).toBe(1);
      }
    });

    it("is detected only at the end of the input if the frame extends beyond this end", () => {
      engine.reset({
        output: "none",
        serial: null,
        needsHeader: false,
        strict: true,
        fromMs: Number.NEGATIVE_INFINITY,
        toMs: Number.POSITIVE_INFINITY,
        fillHrMs: 0,
        hr: "auto",
        quality: false,
        analysesEcg: false,
      });
      engine.write(good.subarray(0, 99), 0);
      expect(engine.step(false)).toEqual({ kind: "drained" });
      expect(engine.report()).toMatchObject({ damage: NO_DAMAGE, bytes: { total: 99, skipped: 0 } });
      expect(engine.step(true)).toEqual({ kind: "damaged", byteOffset: 0, damage: "overruns" });
    });

    it.for<[keyof Report["damage"], Uint8Array]>([
      ["badChecksums", start(10)],
      ["overlong", start(10_000)],
      ["overruns", start(1000)],
    ])("stops strict reading at its sync: %s", ([damage, broken]) => {
      const bytes = joined([good, ascii("text"), broken, good, start(20_000)]);
      const { stop, csv } = drive(engine, bytes, { strict: true });
      expect(stop).toEqual({ kind: "damaged", byteOffset: 104, damage });
      expect(csv).toBe("0.000,0.0000000,0.0000000,0.000,0.000,\n");
    });

    it("does not stop strict reading if the bytes are foreign or form an unknown frame", () => {
      const bytes = joined([ascii("text"), good, ubxFrame(0x0135, new Uint8Array(5)), Uint8Array.of(0xb5)]);
      expect(drive(engine, bytes, { strict: true }).stop).toBeNull();
    });
  });

  describe("the division of the input", { timeout: 60_000 }, () => {
    const settings: Partial<EngineSettings> = { needsHeader: true, fillHrMs: 2000 };
    const outputKinds = ["csv", "columns", "frames", "none"] as const;

    it("changes nothing if the input is cut in two at any byte", () => {
      for (const output of outputKinds) {
        const whole = drive(engine, mixed, { ...settings, output });
        expect(whole.report.damage).toEqual({ badChecksums: 1, overlong: 1, overruns: 2 });
        expect(whole.report.rows.total).toBe(4);
        for (let cut = 0; cut <= mixed.length; cut++) {
          const halves = [mixed.subarray(0, cut), mixed.subarray(cut)];
          expectSame(drive(engine, halves, { ...settings, output }), whole, `cut at ${cut}`);
        }
      }
    });

    it("changes nothing for pieces of 1 to 20 bytes", () => {
      const whole = drive(engine, mixed, settings);
      for (let size = 1; size <= 20; size++) {
        expectSame(drive(engine, pieces(mixed, size), settings), whole, `pieces of ${size}`);
      }
    });

    it("changes nothing in an input larger than the buffer of the engine, damaged everywhere", () => {
      const random = seededRandom(7);
      const parts: Uint8Array[] = [asiInf()];
      for (let i = 0; i < 12_000; i++) {
        parts.push(navPvt(civilTime(i * 100)));
        if (random(10) === 0) parts.push(start(random(9000)));
        if (random(1000) === 0) parts.push(ubxFrame(0x0135, new Uint8Array(8192)));
      }
      const long = joined(parts);
      const whole = drive(engine, long, settings);
      expect(whole.report.rows.total).toBe(12_000);
      for (let seed = 0; seed < 3; seed++) {
        expectSame(drive(engine, randomChunks(long, seededRandom(seed)), settings), whole, `seed ${seed}`);
      }
    });

    it("changes nothing in random recordings", () => {
      fc.assert(
        fc.property(
          arbitraryRecording,
          fc.integer(),
          fc.constantFrom(...outputKinds),
          (bytes, seed, output) => {
            const whole = drive(engine, bytes, { output });
            const chunks = randomChunks(bytes, seededRandom(seed));
            expectSame(drive(engine, chunks, { output }), whole, "random chunks");
          },
        ),
      );
    });
  });

  describe("the frames found and the damage counted", { timeout: 60_000 }, () => {
    it("match a literal implementation of the recording format, on random recordings", () => {
      fc.assert(
        fc.property(arbitraryRecording, (bytes) => {
          expectSame(found(bytes), foundToTheLetter(bytes), "random recording");
        }),
      );
    });

    it("match a literal implementation of the recording format, on mutated recordings", () => {
      for (let seed = 0; seed < examples(1000); seed++) {
        const bytes = mutate(mixed, seed);
        expectSame(found(bytes), foundToTheLetter(bytes), `seed ${seed}`);
      }
    });
  });

  interface Found {
    /** All frames except headers, concatenated. */
    frames: Uint8Array;
    headers: number;
    damage: Report["damage"];
    skipped: number;
  }

  function found(bytes: Uint8Array): Found {
    const { frames, report, stop } = drive(engine, bytes, { output: "frames" });
    expect(stop).toBeNull();
    expect(report.bytes.known + report.bytes.unknown + report.bytes.skipped).toBe(bytes.length);
    return {
      frames: withoutHeaders(frames),
      headers: report.frames.header,
      damage: report.damage,
      skipped: report.bytes.skipped,
    };
  }

  const isHeader = (frame: Uint8Array) => frame[2] === 0xa5 && frame[3] === 0x00;

  /** Headers that repeat the previous one are output with the other frames. */
  function withoutHeaders(frames: Uint8Array): Uint8Array {
    const kept: Uint8Array[] = [];
    for (let at = 0; at < frames.length; ) {
      const frame = frames.subarray(at, at + 8 + (frames[at + 4] ?? 0) + (frames[at + 5] ?? 0) * 256);
      if (!isHeader(frame)) kept.push(frame);
      at += frame.length;
    }
    return joined(kept);
  }

  /** The search as the recording format describes it: on the whole input at once, with a new sum for each span. */
  function foundToTheLetter(bytes: Uint8Array): Found {
    const frames: Uint8Array[] = [];
    const damage = { ...NO_DAMAGE };
    let headers = 0;
    let skipped = 0;
    for (let at = 0; at < bytes.length; ) {
      const verdict = judge(bytes, at);
      if (verdict instanceof Uint8Array) {
        at += verdict.length;
        if (isHeader(verdict)) headers += 1;
        else frames.push(verdict);
        continue;
      }
      if (verdict !== null) damage[verdict] += 1;
      at += 1;
      skipped += 1;
    }
    return { frames: joined(frames), headers, damage, skipped };
  }

  /** The frame at `at`, the damage if it is invalid, null if there is no frame. */
  function judge(bytes: Uint8Array, at: number): Uint8Array | keyof Report["damage"] | null {
    const rest = bytes.subarray(at);
    const [sync1, sync2, , , lengthLow, lengthHigh] = rest;
    if (sync1 !== 0xb5 || sync2 !== 0x62) return null;
    if (lengthLow === undefined || lengthHigh === undefined) return "overruns";
    const length = lengthLow + 256 * lengthHigh;
    if (length > 8192) return "overlong";
    if (length + 8 > rest.length) return "overruns";
    const [ckA, ckB] = fletcher(rest.subarray(2, 6 + length));
    return rest[6 + length] === ckA && rest[7 + length] === ckB
      ? rest.subarray(0, length + 8)
      : "badChecksums";
  }
});
