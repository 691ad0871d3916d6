import type { Engine, EngineSettings } from "../src/engine/engine.js";
import { csvFormat } from "../src/formats/csv.js";
import { headerlessInfo } from "../src/recording/header.js";
import { type CsvLayout, checkLayout } from "../src/rows/csv-layout.js";
import type { SampleBatch } from "../src/types.js";
import type { Sink } from "./peers/peer.js";

const SETTINGS: Omit<EngineSettings, "output"> = {
  serial: null,
  needsHeader: true,
  strict: false,
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  fillHrMs: 0,
  hr: "auto",
  quality: false,
  analysesEcg: false,
};

const NO_INFO = headerlessInfo("BENCH");
const HEADER_LINE = new TextEncoder().encode("timestamp,latitude,longitude,altitude,speed,hr\n");

/** Writes the standard CSV with a plain loop over the core, without streams, promises, or copies of the output. */
export function coreCsv(engine: Engine, recording: Uint8Array, sink: Sink): void {
  sink(HEADER_LINE);
  drive(engine, "csv", recording, () => sink(engine.csv()));
}

/** Returns a function that writes a CSV layout with a plain loop over the core. */
export function coreLayout(layout: CsvLayout): (engine: Engine, recording: Uint8Array, sink: Sink) => void {
  const format = csvFormat(checkLayout(layout));
  return (engine, recording, sink) => {
    const writer = format({ info: NO_INFO, rowWriter: engine.rowWriter });
    coreColumns(engine, recording, (batch) => {
      for (const piece of writer.rows(batch, 0, batch.length)) sink(piece);
    });
  };
}

/** Reads the columns with a plain loop over the core. */
export function coreColumns(
  engine: Engine,
  recording: Uint8Array,
  onBatch: (batch: SampleBatch) => void,
): void {
  drive(engine, "columns", recording, () => onBatch(engine.columns()));
}

function drive(
  engine: Engine,
  output: "csv" | "columns",
  recording: Uint8Array,
  afterStep: () => void,
): void {
  engine.reset({ ...SETTINGS, output });
  for (let offset = 0; ; ) {
    offset += engine.write(recording, offset);
    const final = offset === recording.length;
    const signal = engine.step(final);
    afterStep();
    if (signal.kind === "drained" && final) return;
    if (signal.kind !== "drained" && signal.kind !== "header") {
      throw new Error(`the core stopped at byte ${signal.byteOffset}: ${signal.kind}`);
    }
  }
}
