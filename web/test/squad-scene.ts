import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { demoRows, encode } from "asi-convert";

const MINUTE_MS = 60_000;
/** 14:00 in Zurich, where the pages of the tests are. */
const START_MS = Date.UTC(2026, 4, 16, 12);
const LENGTH_MS = 12 * MINUTE_MS;

async function recording(seed: number, serial: string, startMs: number, lengthMs: number): Promise<Uint8Array> {
  const rows = demoRows({ seed, startMs, durationMs: lengthMs });
  return new Uint8Array(await new Response(encode(rows, { serial }) as BodyInit).arrayBuffer());
}

/** A short match of five players, with the accidents of an afternoon. */
export interface SquadScene {
  folder: string;
  /** Paths of the files that belong to the match. */
  files: string[];
  /** The same with a file that is empty, one that is no recording, and a copy. */
  withAccidents: string[];
  remove(): void;
}

export async function squadScene(): Promise<SquadScene> {
  const folder = mkdtempSync(join(tmpdir(), "asi-squad-page-"));
  const put = (name: string, content: Uint8Array | string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const keller = await recording(1, "TRK-1", START_MS, LENGTH_MS);
  const meier = await recording(2, "TRK-2", START_MS, LENGTH_MS);
  const huber = await recording(3, "TRK-3", START_MS, LENGTH_MS);
  // a bad block of the card, about a minute of the second half
  const damaged = huber.slice().fill(0, Math.floor(huber.length * 0.7), Math.floor(huber.length * 0.78));
  const files = [
    put("01-Keller.asi", keller),
    put("02-Meier.asi.gz", gzipSync(meier)),
    put("03-Huber.asi", damaged),
    put("04-Graf-2.asi", await recording(5, "TRK-14", START_MS + 7 * MINUTE_MS, 5 * MINUTE_MS)),
    put("04-Graf.asi", await recording(4, "TRK-4", START_MS, 5 * MINUTE_MS)),
    put("05-Roth.asi", await recording(6, "TRK-5", START_MS, LENGTH_MS)),
    put(
      "roster.csv",
      [
        "player;serial;number;position;sprint (km/h)",
        "Keller;TRK-1;1;GK;",
        "Meier;TRK-2;2;DF;",
        "Huber;TRK-3;5;DF;",
        "Graf;TRK-4 TRK-14;6;MF;",
        "Roth;TRK-5;9;FW;23,5",
        "",
      ].join("\r\n"),
    ),
    put(
      "periods.csv",
      ["period,start,end,player", "1st half,14:00:30,14:06,", "2nd half,14:07,14:12,", "2nd half,-,-,Roth", ""].join(
        "\n",
      ),
    ),
  ];
  const withAccidents = [
    ...files,
    put("07-Vogel.asi", ""),
    put("notes.docx", "PK notes"),
    put("copy of Keller.asi", keller),
  ];
  return { folder, files, withAccidents, remove: () => rmSync(folder, { recursive: true }) };
}
