import { describe, expect, it } from "vitest";
import {
  AsiError,
  type ConvertOptions,
  convert,
  convertSync,
  type DecodeOptions,
  decode,
  decodeSync,
  type EngineName,
  inspect,
  inspectSync,
  rowsOf,
} from "../src/index.js";
import { type FixtureFile, fixtures, fixturesWithRows } from "./fixture-files.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { mutate } from "./mutations.js";
import { expectSame } from "./same.js";
import { all, thrown, wholeBytes, wholeColumns } from "./whole.js";

/** Code, place, message and report of an error; other errors are passed on. */
function refusal(error: unknown): object {
  if (!(error instanceof AsiError)) throw error;
  const { code, byteOffset, message, report } = error;
  return { code, byteOffset, message, report };
}

async function settled<T>(work: () => T | Promise<T>): Promise<T | object> {
  try {
    return await work();
  } catch (error) {
    return refusal(error);
  }
}

/** Expects that synchronous and asynchronous functions return the same results. */
async function expectAlike(bytes: Uint8Array, options: ConvertOptions, where: string): Promise<void> {
  const converted = settled(() => {
    const { csv, fileName, info, report } = convertSync(bytes, options);
    return { csv, fileName, info, report };
  });
  const expectedConversion = settled(async () => {
    const { body: csv, fileName, info, report } = convert(bytes, options);
    const whole = await wholeBytes(csv);
    return { csv: whole, fileName: await fileName, info: await info, report: await report };
  });
  expectSame(await converted, await expectedConversion, `convertSync, ${where}`);
  const decoded = settled(() => {
    const { samples, info, report } = decodeSync(bytes, options);
    return { columns: wholeColumns([samples]), info, report };
  });
  const expectedDecoding = settled(async () => {
    const decoding = decode(bytes, options);
    const columns = wholeColumns(await all(decoding));
    return { columns, info: await decoding.info, report: await decoding.report };
  });
  expectSame(await decoded, await expectedDecoding, `decodeSync, ${where}`);
  expectSame(
    await settled(() => inspectSync(bytes, options)),
    await settled(() => inspect(bytes, options)),
    `inspectSync, ${where}`,
  );
}

const engines: EngineName[] = ["simd", "scalar", "plain"];

describe("convertSync, decodeSync and inspectSync return the results of the asynchronous functions", () => {
  it.for(fixtures.map((file): [string, FixtureFile] => [file.name, file]))(
    "%s",
    async ([name, { bytes, options }]) => {
      for (const engine of engines) await expectAlike(bytes, { ...options, engine }, `${name}, ${engine}`);
    },
  );

  it("for damaged recordings, with every option", async () => {
    const seeds = fixturesWithRows(20_000);
    for (let seed = 0; seed < 600; seed++) {
      const { bytes, name, expectation } = seeds[seed % seeds.length] as FixtureFile;
      const startMs = expectation.report?.start ?? 0;
      const options: ConvertOptions = {};
      if (seed % 3 === 0) options.serial = "GIVEN-1";
      if (seed % 5 === 0) options.strict = true;
      if (seed % 4 === 0) options.from = startMs + 700.5;
      if (seed % 4 === 1) options.to = new Date(startMs + 5000);
      if (seed % 7 === 0) options.fillHrMs = seed;
      if (seed % 6 === 0) options.columns = ["hr", "timestamp"];
      if (seed % 6 === 1) options.lineEnd = "\r\n";
      if (seed % 6 === 2) options.header = false;
      await expectAlike(mutate(bytes, 200_000 + seed), options, `${name}, seed ${seed}`);
    }
  });
});

const recording = joined([asiInf(), navPvt(civilTime(1000)), navPvt(civilTime(1100))]);

describe("bytes in memory", () => {
  it("may be an ArrayBuffer, a Buffer or any view", () => {
    const expected = convertSync(recording);
    const buffer = recording.slice().buffer;
    for (const bytes of [buffer, Buffer.from(recording), new DataView(buffer) as unknown as Uint8Array]) {
      expect(convertSync(bytes)).toEqual(expected);
    }
    expect(new TextDecoder().decode(expected.csv)).toContain("\n1.100,");
  });

  it("return rows of all samples", () => {
    const { samples } = decodeSync(recording);
    expect([...rowsOf(samples)].map(({ timestamp }) => timestamp)).toEqual([1000, 1100]);
  });

  it("result in no samples and no CSV if there are no rows", () => {
    expect(decodeSync(asiInf()).samples.length).toBe(0);
    expect(inspectSync(asiInf()).fileName).toBeNull();
    expect(thrown(() => convertSync(asiInf()))).toMatchObject({ code: "NO_SAMPLES" });
  });
});

const verbs: [string, (source: Uint8Array, options?: DecodeOptions) => unknown][] = [
  ["convertSync", convertSync],
  ["decodeSync", decodeSync],
  ["inspectSync", inspectSync],
];

describe.for(verbs)("%s checks its arguments", ([, verb]) => {
  it.for<[string, unknown]>([
    ["text", "recording.asi"],
    ["nothing", undefined],
    ["null", null],
    ["an array", [1, 2, 3]],
    ["a stream", new ReadableStream()],
    ["a Blob", new Blob()],
  ])("the recording: %s", ([, source]) => {
    expect(thrown(() => verb(source as Uint8Array))).toMatchObject({ name: "AsiError", code: "BAD_SOURCE" });
  });

  it.for<[string, unknown]>([
    ["null", null],
    ["text", "strict"],
    ["strict", { strict: "yes" }],
    ["from after to", { from: 2, to: 1 }],
    ["an engine that does not exist", { engine: "gpu" }],
    ["a value that is not a signal", { signal: true }],
  ])("the options: %s", ([, options]) => {
    expect(thrown(() => verb(recording, options as DecodeOptions))).toMatchObject({
      name: "AsiError",
      code: "BAD_OPTION",
    });
  });

  it("with a signal that was aborted before", () => {
    const signal = AbortSignal.abort(new Error("enough"));
    expect(thrown(() => verb(recording, { signal }))).toMatchObject({ name: "AbortError", code: "ABORTED" });
  });
});
