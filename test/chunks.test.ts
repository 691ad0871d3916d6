import { describe, expect, it } from "vitest";
import { makeMatch } from "../fixtures/index.js";
import type { OutputKind } from "../src/engine/engine.js";
import { createEngine } from "../src/engine/engines.js";
import {
  type ConvertOptions,
  convert,
  decode,
  type EngineName,
  inspect,
  type RecordingInfo,
  type Report,
  repair,
} from "../src/index.js";
import { drive, pieces } from "./drive.js";
import { fixture } from "./fixture-files.js";
import { ascii, asiInf, civilTime, ecgHr, ecgRaw, joined, navPvt, ubxFrame } from "./frames.js";
import { inLongForm } from "./long-form.js";
import { mutate, randomChunks, seededRandom } from "./mutations.js";
import { expectSame } from "./same.js";
import { all, wholeBytes, wholeColumns, wholeText } from "./whole.js";

const engines: EngineName[] = ["simd", "scalar", "plain"];
const outputKinds: OutputKind[] = ["csv", "columns", "frames", "none"];

/** A small recording with each type of frame, each type of damage, text, and two ranges. */
const small = joined([
  ascii("$GPTXT,start\r\n"),
  asiInf(),
  ecgHr({ timeMs: 900, beatsPerMinute: 71, rrIntervals: [900, 910] }),
  navPvt({ ...civilTime(1000), latitudeE7: -1, longitudeE7: 1_234_567_890, altitudeMm: -1, speedMmPerS: 5 }),
  navPvt({ ...civilTime(1100), payloadBytes: 84, fixType: 2 }),
  navPvt(civilTime(1200)).subarray(0, 41), // torn
  ecgHr({ timeMs: 1250, beatsPerMinute: 140 }),
  navPvt(civilTime(1300)),
  Uint8Array.of(0xb5, 0x62, 0x01, 0x07, 0xff, 0xff), // overlong
  ecgRaw({ samples: [1, -2, 3] }),
  ubxFrame(0x0135, ascii("satellites")),
  asiInf(),
  navPvt({ ...civilTime(400_000), fixType: 0 }),
  Uint8Array.of(0xb5, 0xb5),
  navPvt(civilTime(400_000)),
  Uint8Array.of(0xb5, 0x62, 0x01), // the end is truncated
]);

/** The library's results for a recording: bytes, header, report and name. */
interface Conversion {
  csv: string;
  fileName: string;
  info: RecordingInfo;
  report: Report;
}

async function converted(chunks: Iterable<Uint8Array>, options: ConvertOptions = {}): Promise<Conversion> {
  const { body: csv, fileName, info, report } = convert(chunks, options);
  return { csv: await wholeText(csv), fileName: await fileName, info: await info, report: await report };
}

function halves(bytes: Uint8Array, cut: number): Uint8Array[] {
  return [bytes.subarray(0, cut), bytes.subarray(cut)];
}

describe.for(engines)("a small recording, divided at any byte and read by the %s engine", (engine) => {
  it("results in the same CSV, name, header and report", async () => {
    const whole = await converted([small], { engine });
    expect(whole.report.rows).toEqual({ total: 4, withHr: 2, twoD: 1 });
    expect(whole.report.damage).toEqual({ badChecksums: 1, overlong: 1, overruns: 1 });
    for (let cut = 0; cut <= small.length; cut++) {
      expectSame(await converted(halves(small, cut), { engine }), whole, `cut at ${cut}`);
    }
  });

  it("results in the same columns, frames, inspection and repaired recording", async () => {
    const read = async (chunks: Uint8Array[]) => ({
      columns: wholeColumns(await all(decode(chunks, { engine }))),
      inspection: await inspect(chunks, { engine }),
      repaired: await wholeBytes(repair(chunks, { engine }).recording),
    });
    const whole = await read([small]);
    for (let cut = 0; cut <= small.length; cut++) {
      expectSame(await read(halves(small, cut)), whole, `cut at ${cut}`);
    }
  });

  it("stops strict reading at the same damage, with the same output before it", () => {
    for (const output of outputKinds) {
      const whole = drive(createEngine(engine), small, { output, strict: true });
      expect(whole.stop).toMatchObject({ kind: "damaged" });
      const reused = createEngine(engine);
      for (let cut = 0; cut <= small.length; cut++) {
        const { stop, csv } = drive(reused, halves(small, cut), { output, strict: true });
        expectSame({ stop, csv }, { stop: whole.stop, csv: whole.csv }, `cut at ${cut}`);
      }
    }
  });
});

describe.for(engines)("a recording in pieces, read by the %s engine", (engine) => {
  it("results in the same output for pieces of 1 to 130 bytes", async () => {
    const whole = await converted([small], { engine });
    for (let size = 1; size <= 130; size++) {
      expectSame(await converted(pieces(small, size), { engine }), whole, `pieces of ${size}`);
    }
  });

  it("results in the same output with empty pieces in between", async () => {
    const nothing = new Uint8Array(0);
    const whole = await converted([small], { engine });
    const chunks = [...pieces(small, 50)].flatMap((piece) => [nothing, piece, nothing]);
    expect(await converted(chunks, { engine })).toEqual(whole);
  });

  it("results in the same output for cuts at every byte of damaged recordings", () => {
    const reused = createEngine(engine);
    for (let seed = 0; seed < inLongForm(12, 4); seed++) {
      const bytes = mutate(small, seed);
      const output = outputKinds[seed % outputKinds.length] ?? "csv";
      const whole = drive(createEngine(engine), bytes, { output });
      for (let cut = 0; cut <= bytes.length; cut++) {
        expectSame(drive(reused, halves(bytes, cut), { output }), whole, `seed ${seed}, cut at ${cut}`);
      }
    }
  });
});

/** 8 MB: larger than any buffer, with some torn frames, and with frames of maximum length. */
function largeRecording(): Uint8Array {
  const random = seededRandom(11);
  const { bytes } = makeMatch({ seed: 3, durationS: 7_400, ecgRaw: false });
  const parts: Uint8Array[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const size = 1000 + random(200_000);
    parts.push(bytes.subarray(offset, offset + size));
    const claimed = random(3) === 0 ? 8192 : random(9000);
    parts.push(Uint8Array.of(0xb5, 0x62, 0xa5, 0x01, claimed & 0xff, claimed >> 8));
    if (random(2) === 0) parts.push(ubxFrame(0x0213, new Uint8Array(8192).fill(0xb5)));
    offset += size;
  }
  return joined(parts);
}

describe("random chunks of a large recording", () => {
  const large = largeRecording();

  it.for(engines)("return the same bytes and the same report with the %s engine", async (engine) => {
    const whole = await converted([large], { engine });
    expect(whole.report.bytes.total).toBeGreaterThan(7e6);
    expect(whole.report.damage.badChecksums).toBeGreaterThan(20);
    for (let seed = 0; seed < inLongForm(6, 2); seed++) {
      expectSame(await converted(randomChunks(large, seededRandom(seed)), { engine }), whole, `seed ${seed}`);
    }
    // sizes near those of the buffers, and of one frame
    for (const size of [100, 0x3fff, 0x40000, 0x40001, 0x44000, 1 << 20]) {
      expectSame(await converted(pieces(large, size), { engine }), whole, `pieces of ${size}`);
    }
  });

  it("return the same columns and the same repaired recording", async () => {
    const columns = wholeColumns(await all(decode(large)));
    const repaired = await wholeBytes(repair(large).recording);
    for (let seed = 20; seed < 23; seed++) {
      const chunks = randomChunks(large, seededRandom(seed));
      expectSame(wholeColumns(await all(decode(chunks))), columns, `seed ${seed}`);
      expectSame(await wholeBytes(repair(chunks).recording), repaired, `seed ${seed}`);
    }
  });

  it("return the golden CSV of a match", async () => {
    const { bytes, csv, expectation } = fixture("valid/match-ecg");
    for (let seed = 0; seed < inLongForm(10, 2); seed++) {
      const outcome = await converted(randomChunks(bytes, seededRandom(seed)));
      expectSame(outcome.csv, csv, `seed ${seed}`);
      expectSame(outcome.report, expectation.report, `seed ${seed}`);
    }
  });
});
