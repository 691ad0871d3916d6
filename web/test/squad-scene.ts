import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { demoRows, encode } from "asi-convert";

const MINUTE_MS = 60_000;
/** 14:00 in Zurich, the time zone of the tests. */
const START_MS = Date.UTC(2026, 4, 16, 12);
const LENGTH_MS = 70 * MINUTE_MS;
/** Two rows per second, a fifth of the rate of trackers. Reading takes most of the time of these tests. */
const PERIOD_MS = 500;

/** Returns part of a made-up recording of the match. `fromMinute` and `toMinute` select it. */
export async function squadRecording(seed: number, serial: string, fromMinute: number, toMinute: number) {
  const all = demoRows({ seed, startMs: START_MS, durationMs: LENGTH_MS });
  function* part() {
    for (const row of all) {
      const minute = (row.timestamp - START_MS) / MINUTE_MS;
      if (row.timestamp % PERIOD_MS === 0 && minute >= fromMinute && minute < toMinute) yield row;
    }
  }
  return new Uint8Array(
    await new Response(encode(part(), { serial, periodMs: PERIOD_MS }) as BodyInit).arrayBuffer(),
  );
}

/** A short match of five players, with typical problems. */
export interface SquadScene {
  folder: string;
  /** Folder for files that do not belong to the match. */
  beside: string;
  /** Paths of the files that belong to the match. */
  files: string[];
  /** An empty recording, a file of a different format, and a copy of a recording. */
  accidents: string[];
  remove(): void;
}

const ROSTER = `player;serial;number;position;sprint (km/h)
Keller;TRK-1;1;GK;
Meier;TRK-2;2;DF;
Huber;TRK-3;5;DF;
Graf;TRK-4 TRK-14;6;MF;
Roth;TRK-5;9;FW;23,5
`;

const PERIODS = `period,start,end,player
1st half,14:00,14:30,
2nd half,14:40,15:10,
2nd half,-,-,Roth
`;

export async function squadScene(): Promise<SquadScene> {
  const folder = mkdtempSync(join(tmpdir(), "asi-squad-page-"));
  // this folder is outside the folder of the match, which the command reads
  const beside = mkdtempSync(join(tmpdir(), "asi-squad-page-beside-"));
  const put = (name: string, content: Uint8Array | string, where = folder) => {
    writeFileSync(join(where, name), content);
    return join(where, name);
  };
  const keller = await squadRecording(1, "TRK-1", 0, 70);
  const huber = await squadRecording(3, "TRK-3", 0, 70);
  // this simulates a bad block of the memory card in the second half
  huber.fill(0, Math.floor(huber.length * 0.7), Math.floor(huber.length * 0.78));
  const files = [
    put("01-Keller.asi", keller),
    put("02-Meier.asi.gz", gzipSync(await squadRecording(2, "TRK-2", 0, 70), { level: 1 })),
    put("03-Huber.asi", huber),
    put("04-Graf-b.asi", await squadRecording(4, "TRK-14", 22, 70)),
    put("04-Graf.asi", await squadRecording(4, "TRK-4", 0, 20)),
    put("05-Roth.asi", await squadRecording(6, "TRK-5", 0, 70)),
    put("periods.csv", PERIODS),
    put("roster.csv", ROSTER),
  ];
  return {
    folder,
    beside,
    files,
    get accidents() {
      return [
        put("06-Vogel.asi", "", beside),
        put("notes.docx", "notes", beside),
        put("copy.asi", keller, beside),
      ];
    },
    remove: () => {
      for (const path of [folder, beside]) rmSync(path, { recursive: true });
    },
  };
}
