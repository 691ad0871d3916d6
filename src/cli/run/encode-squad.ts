import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeStream } from "../../files/write-stream.js";
import { count } from "../../pictures/figure-text.js";
import { demoSquad, withDamage } from "../../recording/demo-squad.js";
import { encode } from "../../recording/encode.js";
import { concatenate } from "../../sources/concatenate.js";
import type { Context } from "../batch/batch.js";
import { streamOf } from "../batch/output.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { UsageError } from "../terminal/usage-error.js";

/** A Saturday afternoon in May 2026, as in the pictures of a squad in the documents. */
const MATCH_START_MS = Date.UTC(2026, 4, 16, 12, 30);

export interface EncodeSquadFlags {
  output?: string;
  force?: boolean;
  seed?: number;
  start?: number;
}

/** Runs `asi encode --demo --squad`, which writes a folder with the recordings of a match, its roster and its periods. */
export async function encodeSquad(
  players: number,
  { output, force, seed, start }: EncodeSquadFlags,
  { console, signal }: Context,
): Promise<ExitStatus> {
  if (output === undefined || output === "-") throw new UsageError("Name a folder for the match with -o.");
  if (statSync(output, { throwIfNoEntry: false })?.isFile() === true) {
    throw new UsageError(`${output} is a file; a match is written to a folder.`);
  }
  const { recordings, roster, periods, pitch } = demoSquad({
    players,
    seed,
    startMs: start ?? MATCH_START_MS,
    offsetMs: null,
  });
  mkdirSync(output, { recursive: true });
  let totalBytes = 0;
  for (const [index, { fileName, serial, damage, rows }] of recordings.entries()) {
    if (console.canShowTransient) console.showTransient(`${index + 1} of ${recordings.length}: ${fileName}`);
    const stream = encode(rows(), { serial, deviceName: "Demonstration" });
    const whole = damage === null ? stream : streamOf(withDamage(await bytesOf(stream), damage));
    const { bytes } = await writeStream(whole, join(output, `${fileName}.asi`), { force, signal });
    totalBytes += bytes;
  }
  console.showTransient("");
  for (const [name, text] of [
    ["roster.csv", roster],
    ["periods.csv", periods],
    ["pitch.csv", pitch],
  ] as const) {
    await writeStream(streamOf(new TextEncoder().encode(text)), join(output, name), { force, signal });
  }
  console.message(
    `${count(recordings.length, "recording")} of ${count(players, "player")}, ${Math.round(totalBytes / 1e6)} MB, roster.csv, periods.csv and pitch.csv -> ${output}`,
  );
  console.message(`Next: asi squad ${output}`);
  return ExitStatus.done;
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return concatenate(pieces);
}
