/** Tests the types of the published package, for each way to import it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installBuilt, type ScratchPackage } from "./scratch-package.js";
import { errorsOfTypes } from "./types-check.js";

let scratch: ScratchPackage;

beforeAll(() => {
  scratch = installBuilt();
});

afterAll(() => {
  scratch?.remove();
});

describe("the types", () => {
  const consumer = `
import { type AsiErrorCode, AsiError, AsiCsvStream, convert, decode, decodeRows, encode, findRanges, inspect, repair,
  type Range, type Report, type Row, type SampleBatch } from "asi-convert";
import { computeMetrics, type Metrics } from "asi-convert/metrics";
import { convertFile } from "asi-convert/node";
import { packSamples, unpackSamples } from "asi-convert/packed";

export async function use(bytes: Uint8Array, blob: Blob): Promise<string> {
  const { body: csv, fileName, report } = convert(blob, { columns: ["timestamp", "hr"], delimiter: ";", fillHrMs: 2000 });
  const stream: ReadableStream<Uint8Array> = csv;
  const account: Report = await report;
  for await (const batch of decode(bytes, { engine: "scalar" })) {
    const one: SampleBatch = batch;
    const times: Float64Array = one.timestampMs;
    const { total_distance }: Metrics = computeMetrics(unpackSamples(packSamples(one)), { preset: "running" });
    void [times, total_distance];
  }
  const rows: Row[] = [];
  for await (const row of decodeRows(blob.stream())) rows.push(row);
  const { info: fetched } = await inspect(await fetch("match.asi"));
  const ranges: Range[] = findRanges(rows.map((row) => row.timestamp));
  const altitude: number | null | undefined = rows[0]?.altitude;
  const piped: ReadableStream<Uint8Array> = blob.stream().pipeThrough(new AsiCsvStream());
  const recording: ReadableStream<Uint8Array> = encode(rows, { serial: "A" });
  const { info } = await inspect(recording);
  try {
    await convertFile("x.asi", { outDir: ".", onProgress: (read: number, total: number) => void (read / total) });
  } catch (error) {
    if (error instanceof AsiError) {
      const code: AsiErrorCode = error.code;
      const at: number | undefined = error.byteOffset;
      void [code, at];
    }
  }
  // @ts-expect-error there is no such column
  convert(bytes, { columns: ["pulse"] });
  // @ts-expect-error there is no such preset
  computeMetrics([], { preset: "chess" });
  // @ts-expect-error a path is not a source
  decode("x.asi");
  void [stream, fetched, ranges, altitude, piped, repair(bytes).recording, account.bytes.total];
  return (await fileName) + info.serial;
}
`;

  const consumerOfCore = `
import core from "asi-convert/core.wasm";
import scalarCore from "asi-convert/core-scalar.wasm";
import { type EngineName, initialize } from "asi-convert";
export const engine: Promise<EngineName> = initialize({ module: core ?? scalarCore });
`;

  it("compile without the types of a platform: no dom, no Node.js", () => {
    writeFileSync(
      join(scratch.folder, "bare.mts"),
      `import { type Conversion, convert, decodeSync, encode, inspect, repair } from "asi-convert";
import { samplesToCsv } from "asi-convert/csv";
import { samplesToJson } from "asi-convert/json";
import { computeMetrics } from "asi-convert/metrics";
import { convertFile } from "asi-convert/node";
import { packSamples } from "asi-convert/packed";
import { SQUAD_COLUMNS } from "asi-convert/squad";
import { squadReport } from "asi-convert/squad-report";
import core from "asi-convert/core.wasm";
declare const bytes: Uint8Array;
const conversion: Conversion = convert(bytes, { fillHrMs: 2000 });
const name: Promise<string> = conversion.fileName;
const metres: number | null = computeMetrics(decodeSync(bytes).samples).total_distance;
void [name, metres, encode, inspect, repair, samplesToCsv, samplesToJson, convertFile, packSamples, SQUAD_COLUMNS, squadReport, core];
// @ts-expect-error there is no such option
convert(bytes, { formt: "gpx" });
`,
    );
    const options = {
      ...{ module: "node16", moduleResolution: "node16", target: "es2022", lib: ["es2022"], types: [] },
      ...{ strict: true, skipLibCheck: false, skipDefaultLibCheck: true, noEmit: true },
    };
    expect(errorsOfTypes(join(scratch.folder, "bare.mts"), options)).toEqual([]);
  });

  it.for<[string, string, Record<string, string>]>([
    ["as an ES module of Node.js", "consumer.mts", { module: "node16", moduleResolution: "node16" }],
    ["as a CommonJS module of Node.js", "consumer.cts", { module: "node16", moduleResolution: "node16" }],
    ["for a bundler", "consumer.ts", { module: "esnext", moduleResolution: "bundler" }],
  ])("compile without those of Node.js: %s", ([, file, options]) => {
    // a CommonJS module cannot import an ES module such as the type of a core
    const core = file.endsWith(".cts") ? "" : consumerOfCore;
    writeFileSync(join(scratch.folder, file), consumer + core);
    expect(
      errorsOfTypes(join(scratch.folder, file), {
        ...options,
        target: "es2022",
        lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        // our types are checked, those of TypeScript are not
        skipLibCheck: false,
        skipDefaultLibCheck: true,
        noEmit: true,
      }),
    ).toEqual([]);
  });
});
