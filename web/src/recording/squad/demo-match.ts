import { demoSquad, encode, withDamage } from "asi-convert";
import type { DemoMatch } from "./messages.js";

/** Generates one recording of the match as a file to open. Its content depends only on the arguments. */
export async function demoFile({ number, ...match }: DemoMatch & { number: number }): Promise<File> {
  const recording = demoSquad(match).recordings[number];
  if (recording === undefined) throw new Error(`The match has no recording ${number}.`);
  const { fileName, serial, damage, rows } = recording;
  const stream = encode(rows(), { serial, deviceName: "Demonstration" });
  const bytes = new Uint8Array(await new Response(stream as BodyInit).arrayBuffer());
  return new File([withDamage(bytes, damage)], `${fileName}.asi`);
}
