/** Tests that each command in the README, the documents of the library and the help works. */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoSquad } from "../src/recording/demo-squad.js";
import { ASI, asi, Fixture, PLAIN_LOG, RIDE, scratchFolder, shell, TORN } from "./asi-process.js";
import { asiInf, joined } from "./frames.js";
import { startStandIn, TOKEN } from "./service-stand-in.js";
import { syntheticEcg, waveformFrames } from "./synthetic-ecg.js";
import { fitDefinition, fitFile, littleEndian } from "./track-files.js";

/** Text after a command: a comment, or columns of text. */
const REMARK = /\s+#\s.*$| {2,}\S.*$/;

const DOCUMENTS = [
  "README.md",
  "docs/mcp.md",
  "docs/choices.md",
  "docs/formats.md",
  "docs/heart-rate.md",
  "docs/library.md",
  "docs/metrics.md",
  "docs/live.md",
  "docs/pull.md",
  "docs/squad.md",
];
const documents = DOCUMENTS.map((path) => readFileSync(join(import.meta.dirname, "..", path), "utf8")).join(
  "\n",
);
const shellBlocks = [...documents.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join("\n");

/** A recording with only ECG. */
const WAVEFORM = joined([
  asiInf(),
  ...waveformFrames(syntheticEcg({ durationS: 20, bpm: 90 }), Date.UTC(2025, 4, 17)),
]);

/** A FIT file with an RR interval each second. */
const INTERVALS = fitFile([
  fitDefinition(0, 20, [[253, 4, 0x86]]),
  fitDefinition(1, 78, [[0, 2, 0x84]]),
  ...Array.from({ length: 30 }, (_, second) => [
    [0, ...littleEndian(1_100_000_000 + second, 4)],
    [1, ...littleEndian(1000, 2)],
  ]).flat(),
]);

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => /^(?: {2})?(?:asi|cat) /.test(line))
    .map((line) => line.trim().replace(REMARK, ""));

/** The command names in the help. */
async function commands(): Promise<string[]> {
  const { stdout } = await asi(["--help"]);
  const list = stdout.slice(stdout.indexOf("Commands:"));
  return [...list.matchAll(/^ {2}([a-z]+) /gm)]
    .map(([, name]) => name ?? "")
    .filter((name) => name !== "help");
}

async function examplesOfHelp(): Promise<string[]> {
  const calls = [["--help"], ...(await commands()).map((name) => [name, "--help"])];
  const texts = await Promise.all(calls.map(async (args) => (await asi(args)).stdout));
  return texts.flatMap((text) => linesOf(/^Examples:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? ""));
}

const FROM_HELP = await examplesOfHelp();

const { pitch: PITCH } = demoSquad({ players: 11, startMs: 0 });

describe("an example", () => {
  let inputs: string;
  let service: Awaited<ReturnType<typeof startStandIn>>;

  beforeAll(async () => {
    service = await startStandIn(
      ["ROVER-1", "ROVER-2"].map((serial, i) => ({ id: i + 1, serial, times: [Date.UTC(2025, 4, 17)] })),
    );
    inputs = mkdtempSync(join(tmpdir(), "asi-examples-"));
    const at = (name: string) => join(inputs, name);
    for (const folder of ["recordings", "season", "players", "match", "archive/2025"])
      mkdirSync(at(folder), { recursive: true });
    await asi(["encode", "--demo", "-o", at("match.asi")]);
    for (const name of ["recordings/a.asi", "season/b.asi", "players/Ann.asi", "match/a.asi"]) {
      copyFileSync(at("match.asi"), at(name));
    }
    copyFileSync(at("match.asi"), at("match/07-Roth.asi"));
    writeFileSync(at("ours.json"), (await asi(["recipes", "show", "soccer/sprint"])).stdout);
    const gated = (await asi(["recipes", "show", "soccer/sprint"])).stdout.replace(
      '"gate": null',
      '"gate": { "min_satellites": 6 }',
    );
    writeFileSync(at("gated.json"), gated);
    writeFileSync(at("roster.csv"), "player,file,max_speed (m/s)\nKeller,a.asi,9\nRoth,07-Roth.asi,9\n");
    writeFileSync(at("periods.csv"), "period,start,end\n1st half,14:35,15:20\n");
    writeFileSync(at("match/periods.csv"), "period,start,end\n1st half,14:30,15:15\n2nd half,15:30,16:15\n");
    for (const name of ["pitch.csv", "match/pitch.csv"]) writeFileSync(at(name), PITCH);
    RIDE.copyTo(inputs, "run.asi");
    new Fixture("valid/reception").copyTo(inputs, "reception.asi");
    RIDE.copyTo(inputs, "archive/2025/c.asi");
    PLAIN_LOG.copyTo(inputs, "receiver.ubx");
    writeFileSync(at("run.fit"), INTERVALS);
    writeFileSync(at("ratings.csv"), "file,rpe\nb.asi,6\n");
    await asi(["convert", at("match.asi"), "-o", at("watch.fit")]);
    await asi(["convert", at("match.asi"), "-o", at("session.csv")]);
    copyFileSync(at("session.csv"), at("ROVER-1_20250517T143000_20250517T161500.csv"));
  });
  afterAll(() => {
    service.stop();
    rmSync(inputs, { recursive: true, force: true });
  });

  test("is in the README and in the help of each command", async () => {
    expect(linesOf(shellBlocks).length).toBeGreaterThan(15);
    for (const name of await commands()) expect(FROM_HELP.join("\n")).toContain(`asi ${name} `);
  });

  // a match of 11 players shows as much as one of 25, in half the time
  const smaller = (example: string) =>
    example
      .replace("--squad 25", "--squad 11")
      // omits what needs a device or a person, or lasts as long as a match
      .replace("/dev/ttyACM0", "match.asi")
      .replace(" --sign-in", "")
      .replace("--replay 10", "--replay 1000");
  test.for([...new Set([...linesOf(shellBlocks), ...FROM_HELP].map(smaller))])(
    "works: %s",
    async (written) => {
      const example = written.replace("https://club.example", service.address);
      const env = { ASI_TOKEN: TOKEN };
      const folder = scratchFolder();
      cpSync(inputs, folder, { recursive: true });
      if (example.includes("torn.asi")) TORN.copyTo(folder, "torn.asi");
      if (/^asi (beats|ecg) /.test(example)) writeFileSync(join(folder, "match.asi"), WAVEFORM);
      if (example.endsWith("-o match.asi") || example.includes("--demo -o match.asi"))
        rmSync(join(folder, "match.asi"));
      if (example.endsWith("-o match")) rmSync(join(folder, "match"), { recursive: true });
      mkdirSync(join(folder, ".zfunc"));
      for (const place of [".local/share/bash-completion/completions", ".config/fish/completions"]) {
        mkdirSync(join(folder, place), { recursive: true });
      }
      // anything beyond word splitting needs a shell
      const isSimple = /^asi (?:[\w ./:+,-]|"[^"$]*")+$/.test(example);
      const [, ...words] = [...example.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const { status, stderr } = isSimple
        ? await asi(words, { cwd: folder, env: { ...env, HOME: folder } })
        : await shell(`asi() { "${process.execPath}" "${ASI}" "$@"; }\n${example}`, folder, {
            ...env,
            HOME: folder,
          });
      // 3 means success with a damaged input
      expect({ status, stderr }).toEqual({
        status: example.includes("torn.asi") ? 3 : 0,
        stderr: expect.not.stringMatching(/^asi: /m),
      });
    },
  );
});
