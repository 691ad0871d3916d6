/**
 * Evaluates the beat detector on annotated records: `npm run evaluate -- FOLDER`. A record consists of NAME.i16 (little-endian 16-bit
 * samples) and NAME.json: `rate` in Hz, and `beats` as indices of samples, which is empty if the record is not annotated.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnnotatedRecord, detect, f1, NO_SCORE, type Score, scoreOf, sumOf } from "./beat-score.js";

const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined || rest.length > 0) {
  console.error("Usage: npm run evaluate -- FOLDER (with NAME.i16 and NAME.json)");
  process.exit(2);
}

interface Description {
  rate: number;
  beats: number[];
}

function read(name: string): AnnotatedRecord {
  const { rate, beats } = JSON.parse(readFileSync(join(folder ?? "", `${name}.json`), "utf8")) as Description;
  const bytes = readFileSync(join(folder ?? "", `${name}.i16`));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, i) => view.getInt16(2 * i, true));
  return { rateHz: rate, samples, beats };
}

const COLUMNS = ["record", "beats", "FN", "FP", "F1 %", "readings %", "error bpm", "within 5 bpm %"];

function row(name: string, score: Score): string[] {
  const { found, missed, extra, seconds, readings, errorBpm, close } = score;
  const share = (part: number, whole: number) => (whole === 0 ? "-" : ((100 * part) / whole).toFixed(1));
  return [
    name,
    String(found + missed),
    String(missed),
    String(extra),
    f1(score).toFixed(2),
    share(readings, seconds),
    readings === 0 ? "-" : (errorBpm / readings).toFixed(2),
    share(close, readings),
  ];
}

const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length))
  .sort();
const rows = [COLUMNS, COLUMNS.map(() => "---")];
let all = NO_SCORE;
let samples = 0;
let seconds = 0;
for (const name of names) {
  const record = read(name);
  const start = performance.now();
  const detection = detect(record);
  seconds += (performance.now() - start) / 1000;
  samples += record.samples.length;
  if (record.beats.length === 0) {
    const good = detection.seconds.filter(({ bpm }) => bpm > 0);
    const share = ((100 * good.length) / detection.seconds.length).toFixed(1);
    rows.push([`${name} (not annotated)`, String(detection.beats.length), "", "", "", share, "", ""]);
    continue;
  }
  const score = scoreOf(record, detection);
  all = sumOf(all, score);
  rows.push(row(name, score));
}
rows.push(row("all annotated", all));
console.log(rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n"));
console.log(`\nPlain TypeScript: ${(samples / seconds / 1e6).toFixed(1)} million samples a second.`);
