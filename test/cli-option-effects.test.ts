import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { renameHeader } from "../src/recording/header.js";
import { asi, scratchFolder } from "./asi-process.js";
import { joined, ubxFrame } from "./frames.js";
import { startStandIn, TOKEN } from "./service-stand-in.js";

/** An option with its value, and required other options. */
type Given = readonly [name: string, ...rest: string[]];

interface Case {
  command: string;
  /** Arguments before the options. */
  inputs: readonly string[];
  /** The ways to get a result, each tested with each option. */
  outputs: readonly (readonly string[])[];
  options: readonly Given[];
}

/** Placeholder for the address of the service. */
const SERVICE = "https://club.example";
const DAYS = [Date.UTC(2025, 4, 17, 14), Date.UTC(2025, 4, 18, 14)];
const service = await startStandIn(["A", "B"].map((serial, i) => ({ id: i + 1, serial, times: DAYS })));
afterAll(service.stop);

/** Options that affect how a result is produced, but not the result for a whole recording with a header. */
const OF_NO_RESULT = [
  "--force",
  "--jobs",
  "--help",
  "--cache",
  "--quiet",
  "--color",
  "--demo",
  "--strict",
  "--token-file",
  "--sign-in",
  "--allow-http",
  "--service",
  "--replay",
];

/** Outputs without local times, which a time zone does not affect. */
const WITHOUT_CLOCK = ["--json", "report.html", "table.parquet"];

/** Commands whose output has no serial number, so --serial only allows reading logs without a header. */
const WITHOUT_SERIAL = ["ranges", "validate", "beats", "ecg"];

const FIGURES: readonly Given[] = [
  ["--sport", "swimming"],
  ["--zones", "3,6,9km/h"],
  ["--high-speed", "4m/s"],
  ["--sprint", "4m/s"],
  ["--max-hr", "190"],
  ["--hr", "ecg"],
  ["--roster", "people.csv"],
  ["--periods", "halves.csv"],
  ["--from", "+2min"],
  ["--to", "+4min"],
  ["--tz", "Pacific/Auckland"],
  ["--serial", "OTHER-1"],
];

const CASES: readonly Case[] = [
  {
    command: "stats",
    inputs: ["match.asi"],
    outputs: [[], ["--format", "csv"], ["--json"]],
    options: [
      ...FIGURES,
      ["--decimal", ","],
      ["--output", "other.csv"],
      ["--peaks"],
      ["--recipe", "soccer/sprint"],
      ["--sensitivity"],
      ["--heart-range", "130-160"],
      ["--metabolic-power"],
      ["--standard-runs"],
      ["--profile"],
      ["--hrv"],
      ["--at-rest", "--hrv"],
      ["--individual-zones", "mss"],
      ["--format", "csv"],
      ["--json"],
    ],
  },
  {
    command: "plot",
    inputs: ["match.asi"],
    outputs: [[], ["--output", "picture.svg"], ["--out-dir", "pictures"]],
    options: [...FIGURES, ["--output", "other.svg"], ["--out-dir", "others"]],
  },
  {
    command: "report",
    inputs: ["match.asi"],
    outputs: [[], ["--output", "report.html"], ["--json"]],
    options: [
      ...FIGURES,
      ["--output", "other.html"],
      ["--out-dir", "others"],
      ["--name", "{serial}"],
      ["--json"],
    ],
  },
  {
    command: "load",
    inputs: ["match.asi"],
    outputs: [
      [],
      ["--json"],
      ["--of", "high-speed"],
      ["--of", "trimp-edwards", "--max-hr", "190"],
      ["--of", "trimp-banister", "--max-hr", "190", "--rest-hr", "50", "--sex", "female"],
      ["--of", "trimp-lucia", "--hr-thresholds", "150,170"],
      ["--of", "rpe", "--rpe", "ratings.csv"],
    ],
    options: [
      ["--of", "high-speed"],
      ["--sport", "swimming"],
      ["--max-hr", "200"],
      ["--rest-hr", "60"],
      ["--hr-thresholds", "140,160"],
      ["--rpe", "others.csv"],
      ["--sex", "male"],
      ["--ratio"],
      ["--tz", "Pacific/Auckland"],
      ["--serial", "OTHER-1"],
      ["--json"],
    ],
  },
  {
    command: "squad",
    inputs: ["squad"],
    outputs: [
      [],
      ...["csv", "jsonl", "parquet", "xlsx", "html"].map((format) => ["--output", `table.${format}`]),
    ],
    options: [
      ["--sport", "swimming"],
      ["--zones", "3,6,9km/h"],
      ["--high-speed", "4m/s"],
      ["--sprint", "4m/s"],
      ["--sort", "+distance"],
      ["--columns", "minutes,top"],
      ["--by", "position"],
      ["--matches", "*"],
      ["--cache"],
      ["--hr", "ecg"],
      ["--recipe", "soccer/sprint"],
      ["--peaks"],
      ["--metabolic-power"],
      ["--standard-runs"],
      ["--individual-zones", "mss"],
      ["--roster", "people.csv"],
      ["--periods", "halves.csv"],
      ["--decimal", ","],
      ["--tz", "Pacific/Auckland"],
      ["--format", "csv", "--output", "-"],
      ["--output", "other.csv"],
    ],
  },
  {
    command: "squad",
    inputs: ["season", "--by", "player"],
    outputs: [
      [],
      ...["csv", "jsonl", "parquet", "xlsx", "html"].map((format) => ["--output", `table.${format}`]),
    ],
    options: [
      ["--sport", "swimming"],
      ["--zones", "3,6,9km/h"],
      ["--high-speed", "4m/s"],
      ["--sprint", "4m/s"],
      ["--sort", "+distance"],
      ["--columns", "minutes,top"],
      ["--matches", "*"],
      ["--load", "distance"],
      ["--recipe", "soccer/sprint"],
      ["--peaks"],
      ["--metabolic-power"],
      ["--standard-runs"],
      ["--profile"],
      ["--hr", "ecg"],
      ["--roster", "people.csv"],
      ["--periods", "halves.csv"],
      ["--decimal", ","],
      ["--tz", "Pacific/Auckland"],
    ],
  },
  {
    command: "convert",
    inputs: ["match.asi"],
    outputs: [
      [],
      ["--json"],
      ...["jsonl", "parquet", "gpx", "tcx", "fit", "geojson", "geojsonl", "kml"].map((format) => [
        "--format",
        format,
      ]),
    ],
    options: [
      ["--output", "other.csv"],
      ["--out-dir", "others"],
      ["--name", "{serial}-x"],
      ["--split"],
      ["--from", "+2min"],
      ["--to", "+4min"],
      ["--every", "1s"],
      ["--time", "excel"],
      ["--tz", "Pacific/Auckland"],
      ["--columns", "timestamp,speed,latitude,longitude"],
      ["--delimiter", ";"],
      ["--decimal", ","],
      ["--numbers", "decimal"],
      ["--rr-intervals"],
      ["--fill-hr", "10s", "--every", "200ms"],
      ["--hr", "ecg"],
      ["--serial", "OTHER-1"],
      ["--format", "gpx"],
      ["--json"],
    ],
  },
  {
    command: "encode",
    inputs: ["--demo", "--duration", "1min", "--serial", "A1"],
    outputs: [[], ["--json"]],
    options: [
      ["--output", "other.asi"],
      ["--serial", "B1"],
      ["--device-name", "X"],
      ["--device-type", "Y"],
      ["--firmware", "2"],
      ["--period", "200"],
      ["--delimiter", ";"],
      ["--squad", "3"],
      ["--seed", "5"],
      ["--start", "2026-01-01T00:00:00Z"],
      ["--duration", "2min"],
      ["--tz", "Pacific/Auckland"],
      ["--json"],
    ],
  },
  {
    command: "info",
    inputs: ["match.asi"],
    outputs: [[], ["--json"]],
    options: [["--serial", "OTHER-1"], ["--tz", "Pacific/Auckland"], ["--json"], ["--hr", "ecg"]],
  },
  {
    command: "ranges",
    inputs: ["match.asi"],
    outputs: [[], ["--json"]],
    options: [["--serial", "OTHER-1"], ["--tz", "Pacific/Auckland"], ["--json"]],
  },
  {
    command: "validate",
    inputs: ["match.asi"],
    outputs: [[], ["--json"]],
    options: [["--serial", "OTHER-1"], ["--json"]],
  },
  {
    command: "repair",
    inputs: ["match.asi"],
    outputs: [[], ["--json"]],
    options: [["--serial", "OTHER-1"], ["--output", "other.asi"], ["--out-dir", "others"], ["--json"]],
  },
  {
    command: "beats",
    inputs: ["match.asi"],
    outputs: [[], ["--output", "beats.csv"]],
    options: [
      ["--serial", "OTHER-1"],
      ["--with-speed"],
      ["--artefacts"],
      ["--output", "other.csv"],
      ["--format", "jsonl"],
    ],
  },
  {
    command: "ecg",
    inputs: ["match.asi"],
    outputs: [[], ["--output", "ecg.parquet"], ["--output", "ecg.edf"]],
    options: [
      ["--serial", "OTHER-1"],
      ["--output", "other.jsonl"],
      ["--format", "jsonl"],
    ],
  },
  {
    command: "pull",
    inputs: [SERVICE],
    outputs: [[], ["--format", "csv"], ["--json"]].map((output) => ["--out-dir", "data", ...output]),
    options: [
      ["--out-dir", "others"],
      ["--format", "jsonl"],
      ["--device", "A"],
      ["--from", "2025-05-18"],
      ["--to", "2025-05-17"],
      ["--tz", "Pacific/Auckland"],
      ["--json"],
    ],
  },
  {
    command: "stream",
    inputs: ["match.asi"],
    outputs: [["--service", SERVICE, "--device", "A", "--json"]],
    options: [["--device", "B"], ["--recording", "another"], ["--json"]],
  },
];

function folderOfRecordings(): string {
  const folder = scratchFolder();
  const recording = "fixtures/valid/match-ecg.asi";
  const bytes = readFileSync(recording);
  copyFileSync(recording, join(folder, "match.asi"));
  for (const own of ["squad", "season/1", "season/2"]) {
    mkdirSync(join(folder, own), { recursive: true });
    copyFileSync(recording, join(folder, own, "match.asi"));
    // the first half, by another tracker
    const header = ubxFrame(0xa500, renameHeader(bytes.subarray(6, 6 + 64), "AS-2"));
    const rest = bytes.subarray(header.length, bytes.length / 2);
    writeFileSync(join(folder, own, "other.asi"), joined([header, rest]));
  }
  return folder;
}

describe.each(CASES)("asi $command $inputs", ({ command, inputs, outputs, options }) => {
  test.each(outputs.map((output) => [output.join(" "), output] as const))(
    "each option changes the output of %s or is refused",
    async (_, output) => {
      const plain = await resultOf([]);
      expect(plain.text, plain.stderr).not.toBe("");
      const without: string[] = [];
      for (const option of options.filter((one) => !hasNoEffect(command, output, one))) {
        const result = await resultOf(option);
        const isRefused = result.status === 2;
        if (!isRefused && (result.status !== plain.status || result.text === plain.text))
          without.push(`${option.join(" ")}: ${result.status}`);
      }
      expect(without).toEqual([]);

      async function resultOf(given: readonly string[]) {
        const cwd = folderOfRecordings();
        writeFileSync(join(cwd, "people.csv"), "player,file,max_hr,position\nAnn,match*,185,back\n");
        writeFileSync(join(cwd, "halves.csv"), "period,start,end\n1st,14:31,14:33\n2nd,14:42,14:45\n");
        writeFileSync(join(cwd, "ratings.csv"), "file,rpe\nmatch.asi,6\n");
        writeFileSync(join(cwd, "others.csv"), "file,rpe\nmatch.asi,7\n");
        const before = new Set(filesIn(cwd));
        const { status, stdout, stderr } = await asi(
          [command, ...inputs, ...output, ...given].map((arg) => (arg === SERVICE ? service.address : arg)),
          { cwd, env: { ASI_TOKEN: TOKEN } },
        );
        const files = filesIn(cwd).filter((name) => !before.has(name));
        const text = [
          stdout,
          ...files.flatMap((name) => [name, readFileSync(join(cwd, name), "latin1")]),
        ].join("\n");
        rmSync(cwd, { recursive: true, force: true });
        return { status, stderr, text };
      }
    },
  );
});

function hasNoEffect(command: string, output: readonly string[], [name]: Given): boolean {
  if (output.includes(name)) return true;
  if (name === "--tz") return output.some((one) => WITHOUT_CLOCK.includes(one));
  // no row exceeds the highest speed of any sport
  if (name === "--sport" && command === "plot") return output.length === 0;
  return name === "--serial" && WITHOUT_SERIAL.includes(command);
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

test.each([...new Set(CASES.map(({ command }) => command))])(
  "each option of asi %s is tested",
  async (command) => {
    const { stdout } = await asi([command, "--help"]);
    const named = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name ?? "");
    const tried = CASES.filter((one) => one.command === command).flatMap(({ options }) =>
      options.map(([name]) => name),
    );
    expect(named.filter((name) => ![...tried, ...OF_NO_RESULT].includes(name))).toEqual([]);
  },
);
