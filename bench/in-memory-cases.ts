import { makeMatch } from "../fixtures/index.js";
import type { ConvertOptions } from "../src/api/convert.js";
import { createEngine } from "../src/engine/engines.js";
import { COLUMNS } from "../src/rows/csv-layout.js";
import "../test/scalar-core.js";
import { coreColumns, coreCsv, coreLayout } from "./core.js";
import { makeFitFile } from "./fit-file.js";
import type { ComparisonId } from "./labels.js";
import { loadLibrary } from "./library.js";
import { type Case, timed } from "./measure.js";
import { concatenation } from "./peers/concatenation.js";
import { fastCsv, fastCsvLayout } from "./peers/fast-csv.js";
import { fitFileParser } from "./peers/fit.js";
import type { CsvPeer } from "./peers/peer.js";
import { sampleNative } from "./processes.js";
import { type Session, type Sessions, sizeOf } from "./sessions.js";
import { assertDigest, columnChecker, digestOf, expectedDigest, verifyFit } from "./verify.js";

const NATIVE_RUNS_PER_ROUND = 3;

const TEXT_FORMATS = ["gpx", "tcx", "geojson", "geojsonl", "jsonl", "kml"] as const;

/** Totals of the outputs of all runs. They ensure that every output is read. */
const produced = { csvBytes: 0, rows: 0 };
const count = (piece: Uint8Array) => {
  produced.csvBytes += piece.length;
};

/**
 * Creates the cases that read a recording from memory. Each result is verified before it is timed. CSVs of the slice are compared with the
 * generated rows, CSVs of the whole session with each other, columns and records value by value.
 * @throws Error if a result is wrong
 */
export async function inMemoryCases(sessions: Sessions, native: string | null): Promise<Case[]> {
  const { convert, decode } = await loadLibrary();
  const { main, slice } = sessions;
  const simd = createEngine("simd");
  const scalar = createEngine("scalar");
  const plain = createEngine("plain");

  const converted =
    (options: ConvertOptions): CsvPeer =>
    async (recording, sink) => {
      const reader = convert(recording, options).body.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) sink(piece.value);
    };
  const convertCsv = converted({});
  const convertLayout = converted({ delimiter: ";" });
  const semicolons = coreLayout({ delimiter: ";" });
  const columnsReversed = { columns: COLUMNS.toReversed() };
  const reversed = coreLayout(columnsReversed);
  const simdCsv: CsvPeer = (recording, sink) => coreCsv(simd, recording, sink);
  const scalarCsv: CsvPeer = (recording, sink) => coreCsv(scalar, recording, sink);
  const plainCsv: CsvPeer = (recording, sink) => coreCsv(plain, recording, sink);
  const fast = {
    coreCsvSimd: simdCsv,
    coreCsvScalar: scalarCsv,
    plainCsv,
    convert: convertCsv,
  } as const;
  const slow = { concatenation, fastCsv } as const;

  const layouts = {
    coreLayoutSimd: (recording, sink) => semicolons(simd, recording, sink),
    coreLayoutScalar: (recording, sink) => semicolons(scalar, recording, sink),
    convertLayout,
  } as const satisfies Record<string, CsvPeer>;
  const orders = {
    coreOrderSimd: (recording, sink) => reversed(simd, recording, sink),
    convertOrder: converted(columnsReversed),
  } as const satisfies Record<string, CsvPeer>;

  await verifyCsv({ ...fast, ...slow }, slice, expectedDigest(slice.rows));
  await verifyCsv(fast, main, await digestOf((sink) => plainCsv(main.bytes, sink)));
  for (const format of TEXT_FORMATS) {
    const expected = await digestOf((sink) => converted({ format, engine: "plain" })(slice.bytes, sink));
    assertDigest(format, await digestOf((sink) => converted({ format })(slice.bytes, sink)), expected);
  }
  await verifyCsv(
    { ...layouts, fastCsvLayout },
    slice,
    expectedDigest(slice.rows, (fields) => fields.join(";")),
  );
  await verifyCsv(
    orders,
    slice,
    expectedDigest(slice.rows, (fields) => fields.toReversed().join(",")),
  );
  for (const engine of [simd, scalar, plain]) {
    const columns = columnChecker(`columns, ${engine.name}`, slice.rows);
    coreColumns(engine, slice.bytes, columns.take);
    columns.end();
  }
  const columns = columnChecker("decode", slice.rows);
  for await (const batch of decode(slice.bytes)) columns.take(batch);
  columns.end();

  const csvCase = (id: ComparisonId, peer: CsvPeer, session: Session) =>
    timed(id, sizeOf(session), () => peer(session.bytes, count));
  const columnsCase = (id: "coreColumnsSimd" | "coreColumnsScalar" | "plainColumns", engine: typeof simd) =>
    timed(id, sizeOf(main), () =>
      coreColumns(engine, main.bytes, (batch) => {
        produced.rows += batch.length;
      }),
    );
  return [
    csvCase("coreCsvSimd", simdCsv, main),
    csvCase("coreCsvScalar", scalarCsv, main),
    columnsCase("coreColumnsSimd", simd),
    columnsCase("coreColumnsScalar", scalar),
    csvCase("convert", convertCsv, main),
    csvCase("coreLayoutSimd", layouts.coreLayoutSimd, main),
    csvCase("coreLayoutScalar", layouts.coreLayoutScalar, main),
    csvCase("convertLayout", convertLayout, main),
    csvCase("coreOrderSimd", orders.coreOrderSimd, main),
    csvCase("convertOrder", orders.convertOrder, main),
    ...TEXT_FORMATS.map((format) => csvCase(format, converted({ format }), main)),
    timed("decode", sizeOf(main), async () => {
      for await (const batch of decode(main.bytes)) produced.rows += batch.length;
    }),
    ...ecgCases(converted),
    ...(native === null ? [] : nativeCases(native, main)),
    csvCase("plainCsv", plainCsv, main),
    columnsCase("plainColumns", plain),
    csvCase("concatenation", concatenation, slice),
    csvCase("fastCsv", fastCsv, slice),
    csvCase("fastCsvLayout", fastCsvLayout, slice),
    ...(await fitCases(slice.rows)),
  ];
}

async function verifyCsv(
  peers: Readonly<Record<string, CsvPeer>>,
  session: Session,
  expected: string,
): Promise<void> {
  for (const [name, peer] of Object.entries(peers)) {
    assertDigest(name, await digestOf((sink) => peer(session.bytes, sink)), expected);
  }
}

/** Creates the cases for a match of 90 minutes with an ECG waveform at 250 Hz and no heart rates from the device. */
function ecgCases(converted: (options: ConvertOptions) => CsvPeer): Case[] {
  const { bytes, rows } = makeMatch({ seed: 7, durationS: 5400, hr: false, ecgRaw: true });
  const size = { bytes: bytes.length, rows: rows.length };
  return [
    timed("ecgDevice", size, () => converted({ hr: "device" })(bytes, count)),
    timed("ecgDerived", size, () => converted({ hr: "ecg" })(bytes, count)),
  ];
}

/** Creates the cases of the native program, which measures its own time, in a separate process, with the file in memory. */
function nativeCases(program: string, session: Session): Case[] {
  const nativeCase = (id: "native" | "nativeCopy", mode: "--bench" | "--bench-copy"): Case => ({
    id,
    ...sizeOf(session),
    sample: () => sampleNative(program, mode, session.path, NATIVE_RUNS_PER_ROUND),
  });
  return [nativeCase("native", "--bench"), nativeCase("nativeCopy", "--bench-copy")];
}

async function fitCases(rows: number): Promise<Case[]> {
  const file = makeFitFile(rows);
  const size = { bytes: file.length, rows };
  await verifyFit("fit-file-parser", fitFileParser, file, rows);
  return [
    timed("fitFileParser", size, async () => {
      produced.rows += (await fitFileParser(file)).length;
    }),
  ];
}
