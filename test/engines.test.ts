import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostile } from "../fixtures/index.js";
import type { EngineSettings } from "../src/engine/engine.js";
import { createEngine } from "../src/engine/engines.js";
import {
  convert,
  convertSync,
  type DecodeOptions,
  decode,
  decodeSync,
  inspect,
  inspectSync,
  repair,
} from "../src/index.js";
import { arbitraryRecording } from "./arbitrary-recording.js";
import { drawnSettings, outputKinds, settingsText, withoutLead } from "./drawn-settings.js";
import { drive, type Outcome, pieces } from "./drive.js";
import { ENGINES } from "./every-engine.js";
import { cut, mutateFields } from "./field-mutations.js";
import { fixtures, fixturesWithRows } from "./fixture-files.js";
import { asiInf, civilTime, ecgHr, joined, navPvt, ubxFrame } from "./frames.js";
import { libraryOutcome } from "./library-outcome.js";
import { examples, inLongForm } from "./long-form.js";
import { mutate, randomChunks, seededRandom } from "./mutations.js";
import { Oracle } from "./oracle/index.js";
import { expectSame } from "./same.js";
import { all, wholeBytes, wholeText } from "./whole.js";

// The engines are reused for one input after another, as in the library. The state of one input must not affect the next.
const oracle = new Oracle();
const engines = ENGINES.map((name) => createEngine(name));

/** Compares all engines with the oracle for one input. `where` identifies it in the message. */
function expectAlike(
  input: Uint8Array | Uint8Array[],
  settings: Partial<EngineSettings>,
  where: string,
): Outcome {
  const expected = withoutLead(drive(oracle, input, settings));
  for (const engine of engines) {
    const actual = withoutLead(drive(engine, input, settings));
    expectSame(actual, expected, `${engine.name}, ${where}, ${settingsText(settings)}`);
  }
  return expected;
}

describe("each engine returns the result of the reference decoder", () => {
  it("for every fixture, output and option", () => {
    for (const { name, bytes, expectation } of fixtures) {
      const startMs = expectation.report?.start ?? 0;
      for (const [i, output] of outputKinds.entries()) {
        expectAlike(bytes, { output, needsHeader: expectation.options === undefined }, name);
        expectAlike(bytes, { output, strict: true }, name);
        expectAlike(bytes, { ...drawnSettings(i, startMs), output }, name);
      }
      expectAlike(bytes, { fromMs: startMs + 1000, toMs: startMs + 9000 }, name);
      expectAlike(bytes, { fillHrMs: 2500 }, name);
      expectAlike(bytes, { fillHrMs: Number.POSITIVE_INFINITY, output: "columns" }, name);
      expectAlike(bytes, { quality: true, output: "columns" }, name);
    }
  });

  it("for hostile input that consists of false syncs", () => {
    for (const size of [72, 73, 74, 77, 78, 8264, 8272, 100_000, 700_001]) {
      const { bytes, report } = hostile(size);
      expect(expectAlike(bytes, { needsHeader: true }, `${size} bytes`).report).toEqual(report);
    }
  });
});

/** The start of each type of fixture. These recordings are small enough for thousands of mutations within seconds. */
const seeds = fixturesWithRows(20_000)
  .map(({ name, bytes, expectation }) => ({ name, bytes, startMs: expectation.report?.start ?? 0 }))
  .concat(
    fixturesWithRows()
      .filter(({ name }) => name.startsWith("valid/"))
      .map(({ name, bytes, expectation }) => ({
        name,
        bytes: bytes.subarray(0, 2500),
        startMs: expectation.report?.start ?? 0,
      })),
  );

const MUTATIONS = inLongForm(40_000, 2_000);
const BLOCK = inLongForm(4_000, 1_000);

describe(`${MUTATIONS} mutated recordings`, () => {
  const blocks = Array.from({ length: MUTATIONS / BLOCK }, (_, i) => i * BLOCK);

  it.for(blocks)("have the same result with all engines: seeds from %i", (first) => {
    const met = { rows: 0, damaged: 0, stopped: 0 };
    for (let seed = first; seed < first + BLOCK; seed++) {
      const { bytes, startMs, name } = seeds[seed % seeds.length] ?? {
        bytes: joined([]),
        startMs: 0,
        name: "",
      };
      const mutated = mutate(bytes, seed);
      const random = seededRandom(seed);
      const input = random(4) === 0 ? randomChunks(mutated, random) : mutated;
      const { report, stop } = expectAlike(input, drawnSettings(seed, startMs), `${name}, seed ${seed}`);
      met.rows += report.rows.total > 0 ? 1 : 0;
      met.damaged += Object.values(report.damage).some((count) => count > 0) ? 1 : 0;
      met.stopped += stop === null ? 0 : 1;
    }
    // The mutations must leave results to compare: rows around damage in most cases, early ends in some.
    expect(met.rows).toBeGreaterThan(BLOCK / 2);
    expect(met.damaged).toBeGreaterThan(BLOCK / 2);
    expect(met.stopped).toBeGreaterThan(BLOCK / 50);
  });
});

describe(`${MUTATIONS} recordings with changed fields and valid checksums`, () => {
  const blocks = Array.from({ length: MUTATIONS / BLOCK }, (_, i) => i * BLOCK);
  const pieces = seeds.map(({ bytes, ...seed }) => ({ ...seed, pieces: cut(bytes) }));

  it.for(blocks)("have the same result with all engines: seeds from %i", (first) => {
    const met = { rows: 0, withoutRow: 0 };
    for (let number = first; number < first + BLOCK; number++) {
      const seed = pieces[number % pieces.length];
      if (seed === undefined) continue;
      const random = seededRandom(number);
      const mutated = mutateFields(seed.pieces, random);
      const input = random(4) === 0 ? randomChunks(mutated, random) : mutated;
      const settings = drawnSettings(number, seed.startMs);
      const { report } = expectAlike(input, settings, `${seed.name}, seed ${number}`);
      met.rows += report.rows.total > 0 ? 1 : 0;
      met.withoutRow += report.frames.gnss > report.rows.total ? 1 : 0;
    }
    // the changes are read, and some of them result in no row
    expect(met.rows).toBeGreaterThan(BLOCK / 2);
    expect(met.withoutRow).toBeGreaterThan(BLOCK / 4);
  });
});

describe("short frames of 0 to 12 bytes", () => {
  /** The shortest payload of each known type; an ASI-INF of any length is a header. */
  const kinds = [0x040a, 0x0107, 0xa501, 0xa502];
  const short = kinds.flatMap((kind) =>
    Array.from({ length: 13 }, (_, bytes) => ubxFrame(kind, new Uint8Array(bytes))),
  );
  const shortHeader = ubxFrame(0xa500, new Uint8Array(5));
  const torn = joined([...short.slice(0, 13)]).subarray(0, -1);
  const inputs = {
    "good ones": joined([asiInf(), navPvt(), ...short, navPvt()]),
    "good ones in front of the header": joined([...short, asiInf(), navPvt()]),
    "one with a bad checksum among them": joined([asiInf(), ...short, damaged(short[5]), ...short, navPvt()]),
    "a short header among them": joined([asiInf(), ...short, shortHeader, ...short]),
    "torn at the end": joined([asiInf(), torn]),
  };

  it.for(Object.entries(inputs))(
    "have the same result with all engines, in any chunks: %s",
    ([name, bytes]) => {
      for (const output of outputKinds) {
        for (const strict of [false, true]) {
          for (const size of [1, 2, 7, 8, 13, bytes.length]) {
            expectAlike([...pieces(bytes, size)], { output, strict }, `${name}, chunks of ${size}`);
          }
        }
      }
    },
  );

  it("are counted, and kept by asi repair", () => {
    const bytes = inputs["good ones"];
    const { report, frames } = expectAlike(bytes, { output: "frames" }, "repair");
    // The caller writes the first header.
    expect(frames).toEqual(joined([navPvt(), ...short, navPvt()]));
    // The ECG-HR of 12 bytes has no intervals.
    expect(report.frames).toMatchObject({ ecgHr: 1, unknown: short.length - 1 });
    expect(report.bytes.skipped).toBe(0);
  });

  function damaged(frame: Uint8Array = new Uint8Array()): Uint8Array {
    return frame.map((byte, i) => (i === frame.length - 1 ? byte ^ 1 : byte));
  }
});

describe("an engine that has already read another recording", () => {
  it("creates no row from a fix if all bytes of its date and time are zero", () => {
    const another = joined([asiInf(), navPvt({ ...civilTime(1_700_000_000_000) })]);
    const noTime = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, valid: 0 };
    const recording = joined([asiInf(), navPvt(noTime), navPvt({ ...noTime, flags: 0 })]);
    for (const engine of [oracle, ...engines]) {
      drive(engine, another);
      const { csv, report } = drive(engine, recording);
      expect(csv, engine.name).toBe("");
      expect(report.rows.total, engine.name).toBe(0);
      expect(report.gnssWithoutRow, engine.name).toMatchObject({ noDateOrTime: 2, noFixOk: 0 });
    }
  });
});

describe("random recordings", () => {
  const ms = fc.integer({ min: 1_700_000_000_000, max: 1_700_000_010_000 });
  const settings: fc.Arbitrary<Partial<EngineSettings>> = fc.record(
    {
      output: fc.constantFrom(...outputKinds),
      needsHeader: fc.boolean(),
      strict: fc.boolean(),
      fromMs: ms,
      toMs: ms,
      fillHrMs: fc.constantFrom(0, 1, 999, 1000, 300_000, Number.POSITIVE_INFINITY),
      quality: fc.boolean(),
    },
    { requiredKeys: ["output"] },
  );

  it("have the same result with all engines", () => {
    fc.assert(
      fc.property(arbitraryRecording, settings, (bytes, drawn) => {
        expectAlike(bytes, drawn, "random recording");
      }),
      { numRuns: examples(3_000) },
    );
  });

  it("have the same result with all engines in random chunks", () => {
    fc.assert(
      fc.property(arbitraryRecording, settings, fc.integer(), (bytes, drawn, seed) => {
        expectAlike(randomChunks(bytes, seededRandom(seed)), drawn, "random recording");
      }),
      { numRuns: examples(3_000) },
    );
  });
});

describe("rows at high rates", () => {
  /** Values at which the text of a number changes because of its sign, whole part, the tenth that coordinates
   * share, or a limit. */
  const edges = {
    latitudeE7: [0, -1_000_000, 999_999, 9_999_999, -10_000_000, 100_000_000, 900_000_000, -900_000_000],
    longitudeE7: [0, -1_000_000, 1_000_000, -9_999_999, 1_000_000_000, 1_800_000_000, -1_800_000_000],
    altitudeMm: [0, 999, -1_000, 9_999, 99_999, 999_999, -1_000_000, 999_999_999, -999_999_999],
    speedMmPerS: [0, 999, 9_999, 99_999, 999_999, 999_999_999, -1],
    nano: [0, 499_999, 999_499_999, -500_001, 500_000, 300_000_000, 999_999_999],
  };
  const ordinary = {
    latitudeE7: 465_197_000,
    longitudeE7: -66_331_000,
    altitudeMm: 372_000,
    speedMmPerS: 3_200,
    nano: 100_000_000,
  };

  it("have the same result with all engines, a few steps around every limit", () => {
    let rows = 0;
    for (let seed = 0; seed < examples(3_000); seed++) {
      const random = seededRandom(seed);
      const draw = <T>(from: readonly T[]): T => from[random(from.length)] as T;
      // one or several fields have extreme values, because a row that is far from the previous one is not part of its run
      const about = { ...ordinary };
      for (const field of Object.keys(edges) as (keyof typeof edges)[]) {
        if (random(3) === 0) about[field] = draw(edges[field]);
      }
      const startMs = draw([0, 1_700_000_000_000, 999_999_000, 253_402_300_798_000]);
      const frames: Uint8Array[] = [asiInf()];
      let nano = about.nano;
      for (let row = 0; row < 40; row++) {
        if (random(10) === 0) frames.push(ecgHr({ timeMs: startMs, beatsPerMinute: 60 + row }));
        if (random(12) === 0) nano = about.nano;
        else nano += draw([0, 0, 1, 400_000, 1_000_000, 100_000_000, -1_000_000]);
        frames.push(
          navPvt({
            ...civilTime(startMs + (random(8) === 0 ? 1_000 : 0)),
            nano,
            fixType: random(12) === 0 ? 2 : 3,
            flags: draw([0b1, 0b1, 0b1, 0b11, 0b1, 0b0]),
            latitudeE7: about.latitudeE7 + random(5) - 2,
            longitudeE7: about.longitudeE7 + random(5) - 2,
            altitudeMm: about.altitudeMm + random(5) - 2,
            speedMmPerS: about.speedMmPerS + random(5) - 2,
            satellites: random(256),
            speedAccuracyMmPerS: random(2 ** 32),
            pdopHundredths: random(2 ** 16),
          }),
        );
      }
      const output = outputKinds[seed % outputKinds.length] ?? "csv";
      rows += expectAlike(joined(frames), { output, quality: seed % 2 === 0 }, `seed ${seed}`).report.rows
        .total;
    }
    expect(rows).toBeGreaterThan(13 * examples(3_000));
  });
});

describe("the library", () => {
  it.for(ENGINES)("reports which engine read the recording: %s", async (engine) => {
    const bytes = joined([asiInf(), navPvt()]);
    const conversion = convert(bytes, { engine });
    await wholeText(conversion.body);
    const decoding = decode(bytes, { engine });
    await all(decoding);
    const repairing = repair(bytes, { engine });
    await wholeBytes(repairing.recording);
    const told = [conversion, decoding, repairing, inspect(bytes, { engine })].map(
      async (one) => (await one).engine,
    );
    expect(await Promise.all(told)).toEqual([engine, engine, engine, engine]);
    const atOnce = [convertSync, decodeSync, inspectSync].map((read) => read(bytes, { engine }).engine);
    expect(atOnce).toEqual([engine, engine, engine]);
  });

  it("returns the same bytes, reports and errors with every engine", async () => {
    for (let seed = 0; seed < examples(1500); seed++) {
      const { bytes, startMs, name } = seeds[seed % seeds.length] ?? {
        bytes: joined([]),
        startMs: 0,
        name: "",
      };
      const mutated = mutate(bytes, 100_000 + seed);
      const options: DecodeOptions = {};
      if (seed % 3 === 0) options.serial = "GIVEN-1";
      if (seed % 5 === 0) options.strict = true;
      if (seed % 4 === 0) options.from = startMs + 700.5;
      if (seed % 4 === 1) options.to = new Date(startMs + 5000);
      if (seed % 7 === 0) options.fillHrMs = seed;
      const [expected, ...others] = await Promise.all(
        ENGINES.map((engine) => libraryOutcome(mutated, { ...options, engine })),
      );
      for (const actual of others) {
        expectSame(actual, expected, `${name}, seed ${seed}`);
      }
    }
  });
});
