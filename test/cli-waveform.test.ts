import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heartRateVariability } from "../src/metrics/index.js";
import { asi, MATCH, namesIn, scratchFolder } from "./asi-process.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { syntheticEcg, waveformFrames } from "./synthetic-ecg.js";
import { fitDefinition, fitFile, littleEndian } from "./track-files.js";

const START_MS = 1_700_000_000_000;
const ECG = syntheticEcg({ durationS: 30, bpm: 90 });
const RECORDING = joined([
  asiInf(),
  ...waveformFrames(ECG, START_MS).flatMap((frame, i) => [
    frame,
    navPvt(civilTime(START_MS + 100 * (i + 1))),
  ]),
]);

function recordingIn(folder: string): string {
  const path = join(folder, "run.asi");
  writeFileSync(path, RECORDING);
  return path;
}

describe("asi beats", () => {
  it("writes a line for each beat to the standard output", async () => {
    const { status, stdout, stderr } = await asi(["beats", recordingIn(scratchFolder())]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [header, first, ...rest] = stdout.trimEnd().split("\n");
    expect(header).toBe("timestamp,rr,quality");
    expect(first).toMatch(/^1700000000\.\d{3},,\d+$/);
    expect(rest).toHaveLength(ECG.beatsS.length - 1);
    for (const line of rest) expect(line).toMatch(/^17000000\d\d\.\d{3},0\.\d{3},\d{1,3}$/);
  });

  it("writes a file in the format of its extension, and never overwrites a file", async () => {
    const folder = scratchFolder();
    const path = recordingIn(folder);
    const output = join(folder, "beats.jsonl");
    const written = await asi(["beats", path, "-o", output]);
    expect(written).toMatchObject({ status: 0, stdout: "" });
    expect(written.stderr).toBe(`${path}: ${ECG.beatsS.length} beats -> ${output}\n`);
    const lines = readFileSync(output, "utf8").trimEnd().split("\n");
    const beats = lines.map((line) => JSON.parse(line));
    expect(beats[0]).toMatchObject({ rr: null });
    expect(Date.parse(beats[1].timestamp) - Date.parse(beats[0].timestamp)).toBe(
      Math.round(1000 * beats[1].rr),
    );
    expect(await asi(["beats", path, "-o", output])).toMatchObject({ status: 1 });
    expect(await asi(["beats", path, "-o", output, "--force"])).toMatchObject({ status: 0 });
    expect(await asi(["beats", path, "-o", path, "--format", "csv"])).toMatchObject({ status: 2 });
    expect(namesIn(folder)).toEqual(["beats.jsonl", "run.asi"]);
  });

  it("adds the speed at each beat with --with-speed", async () => {
    const folder = scratchFolder();
    const path = join(folder, "run.asi");
    // the speed rises by 0.1 m/s in each tenth of a second
    const rows = waveformFrames(ECG, START_MS).flatMap((frame, i) => [
      frame,
      navPvt({ ...civilTime(START_MS + 100 * (i + 1)), speedMmPerS: 100 * (i + 1) }),
    ]);
    writeFileSync(path, joined([asiInf(), ...rows]));
    const { stdout } = await asi(["beats", path, "--with-speed"]);
    const [header, ...lines] = stdout.trimEnd().split("\n");
    expect(header).toBe("timestamp,rr,quality,speed");
    const beats = lines.map((line) => line.split(",").map(Number));
    expect(beats.length).toBe(ECG.beatsS.length);
    for (const [timestamp = 0, , , speed] of beats) {
      if (timestamp < 1_700_000_000.1) continue;
      expect(speed).toBeCloseTo(timestamp - 1_700_000_000, 3);
    }
    const { stdout: jsonl } = await asi(["beats", path, "--with-speed", "--format", "jsonl"]);
    expect(JSON.parse(jsonl.split("\n")[5] ?? "").speed).toBe(beats[5]?.[3]);
    const { status, stderr } = await asi(["beats", "-", "--with-speed"], { input: RECORDING });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/--with-speed reads the input twice/)]);
  });

  it("reads the standard input", async () => {
    const { stdout } = await asi(["beats", "-"], { input: RECORDING });
    expect(stdout.trimEnd().split("\n")).toHaveLength(ECG.beatsS.length + 1);
  });

  it("fails without a waveform and leaves no file; an unknown format is incorrect usage", async () => {
    const folder = scratchFolder();
    const none = await asi(["beats", MATCH.path, "-o", join(folder, "x.csv")]);
    expect(none.status).toBe(1);
    expect(none.stderr).toContain(
      "has no ECG waveform. Trackers record it only if they are set to do so. (NO_SAMPLES)",
    );
    expect(namesIn(folder)).toEqual([]);
    for (const flags of [
      ["-o", join(folder, "x.txt")],
      ["--format", "gpx"],
    ]) {
      expect(await asi(["beats", MATCH.path, ...flags])).toMatchObject({ status: 2, stdout: "" });
    }
  });
});

describe("asi ecg", () => {
  it("writes a line for each sample", async () => {
    const { status, stdout } = await asi(["ecg", recordingIn(scratchFolder())]);
    expect(status).toBe(0);
    const lines = ECG.samples.map((sample, i) => `${((START_MS + 4 * i) / 1000).toFixed(3)},${sample}\n`);
    expect(stdout).toBe(`timestamp,sample\n${lines.join("")}`);
  });
});

describe("asi convert --hr", () => {
  it("selects the heart rates", async () => {
    const folder = scratchFolder();
    const path = recordingIn(folder);
    const heartRates = async (...flags: string[]) => {
      const { stdout } = await asi(["convert", path, "-o", "-", ...flags]);
      return stdout.split("\n").filter((line) => /,\d+$/.test(line) && !line.endsWith(",hr")).length;
    };
    expect(await heartRates()).toBeGreaterThan(20);
    expect(await heartRates("--hr", "ecg")).toBe(await heartRates());
    expect(await heartRates("--hr", "device")).toBe(0);
    const wrong = await asi(["convert", path, "--hr", "strap"]);
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain("auto, device, ecg");
  });
});

describe("asi info", () => {
  it("reports the source of heart rates, and the figures of the waveform", async () => {
    const { stdout } = await asi(["info", recordingIn(scratchFolder())]);
    expect(stdout).toMatch(/^ {2}heart rates {3}derived from the ECG$/m);
    expect(stdout).toMatch(
      /^ {2}ECG {11}[89]\d\.\d % of 0:00:30 with a heart rate, mean (89|9\d)\.\d bpm, maximum 9\d\.\d bpm, RMSSD \d+\.\d ms \(meaningful only at rest\)$/m,
    );
    expect((await asi(["info", MATCH.path])).stdout).toMatch(/^ {2}heart rates {3}from the device$/m);
  });

  it("reports why some seconds have no heart rate, and which command lists the beats", async () => {
    // a clear signal in which every other beat is missing, so intervals of 0.8 and 3.2 s alternate
    const beat = syntheticEcg({ durationS: 1.6, bpm: 75 }).samples;
    const slow = Array.from({ length: 20 }, () => [...beat, ...new Array<number>(600).fill(0)]).flat();
    const path = join(scratchFolder(), "slow.asi");
    writeFileSync(path, joined([asiInf(), ...waveformFrames({ samples: slow, rateHz: 250 }, START_MS)]));
    const { stdout } = await asi(["info", path]);
    expect(stdout).toMatch(/ \d+\.\d % of 0:01:20 with a heart rate, .*asi beats lists each beat/);
    expect((await asi(["beats", path])).stdout.split("\n").length).toBeGreaterThan(15);
  });
});

describe("asi beats of a FIT file", () => {
  const fitIn = async (folder: string) => {
    const [path, fit] = [recordingIn(folder), join(folder, "run.fit")];
    expect((await asi(["convert", path, "-o", fit, "--rr-intervals"])).status).toBe(0);
    return { path, fit };
  };

  it("lists the RR intervals without a quality, and the speed at each beat", async () => {
    const { path, fit } = await fitIn(scratchFolder());
    const linesOf = async (file: string) =>
      (await asi(["beats", file, "--with-speed"])).stdout.trimEnd().split("\n");
    const [own, ofFit] = [await linesOf(path), await linesOf(fit)];
    expect(ofFit[0]).toBe("timestamp,rr,quality,speed");
    const intervals = (lines: readonly string[]) =>
      lines.slice(1).flatMap((line) => line.split(",")[1] || []);
    expect(intervals(ofFit)).toEqual(intervals(own));
    expect(ofFit[2]).toMatch(/^17000000\d\d\.\d{3},0\.\d{3},,\d+\.\d{3}$/);
    const json = (await asi(["beats", fit, "--format", "jsonl"])).stdout.split("\n")[1] ?? "";
    expect(JSON.parse(json)).toMatchObject({ rr: expect.any(Number), quality: null });
  });

  it("writes a file, reads a damaged one up to the damage, and reports one without intervals", async () => {
    const folder = scratchFolder();
    const { path, fit } = await fitIn(folder);
    const output = join(folder, "beats.csv");
    const written = await asi(["beats", fit, "-o", output]);
    expect(written).toMatchObject({ status: 0, stdout: "" });
    expect(written.stderr).toBe(`${fit}: ${ECG.beatsS.length} beats -> ${output}\n`);
    writeFileSync(fit, readFileSync(fit).subarray(0, -40));
    const damaged = await asi(["beats", fit]);
    expect([damaged.status, damaged.stderr]).toEqual([3, expect.stringMatching(/damaged: /)]);
    const without = join(folder, "without.fit");
    await asi(["convert", path, "-o", without]);
    const none = await asi(["beats", without]);
    expect([none.status, none.stderr]).toEqual([1, expect.stringMatching(/no RR intervals.*NO_SAMPLES/)]);
  });

  it("refuses --serial, which has no effect on a track", async () => {
    const { fit } = await fitIn(scratchFolder());
    const { status, stdout, stderr } = await asi(["beats", fit, "--serial", "TRK-1"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/--serial has no effect on a FIT, GPX or TCX file; omit it/);
  });

  it("reports RR intervals that are omitted", async () => {
    const fit = join(scratchFolder(), "run.fit");
    const definitions = [fitDefinition(0, 20, [[253, 4, 0x86]]), fitDefinition(1, 78, [[0, 2, 0x84]])];
    const record = [0, ...littleEndian(1_100_000_000, 4)];
    const interval = [1, ...littleEndian(800, 2)];
    writeFileSync(fit, fitFile([...definitions, interval, interval, record, interval]));
    const some = await asi(["beats", fit]);
    expect([some.status, some.stderr]).toEqual([
      0,
      `${fit}: 2 RR intervals omitted: before the first time of the track, or with a length of 0 or more than 60 s\n`,
    ]);
    writeFileSync(fit, fitFile([...definitions, interval, record]));
    const none = await asi(["beats", fit]);
    expect([none.status, none.stderr]).toEqual([
      1,
      expect.stringMatching(/no usable RR intervals\. 1 RR interval omitted: .*NO_SAMPLES/),
    ]);
  });

  it("names the artefacts that asi stats --hrv counts, if --artefacts is given", async () => {
    const fit = join(scratchFolder(), "run.fit");
    const rr = Array.from({ length: 60 }, (_, i) => (i === 30 ? 1600 : 800 + (i % 3)));
    const records = rr.flatMap((ms, i) => [
      [0, ...littleEndian(1_100_000_000 + Math.round(0.8 * i + (i > 30 ? 0.8 : 0)), 4)],
      [1, ...littleEndian(ms, 2)],
    ]);
    const messages = [fitDefinition(0, 20, [[253, 4, 0x86]]), fitDefinition(1, 78, [[0, 2, 0x84]])];
    writeFileSync(fit, fitFile([...messages, ...records]));
    const { figures } = JSON.parse((await asi(["stats", fit, "--hrv", "--json"])).stdout);
    expect(figures.hrv.artefacts).toMatchObject({ missed: 1 });
    const csv = (await asi(["beats", fit, "--artefacts"])).stdout.trimEnd().split("\n");
    expect(csv[0]).toBe("timestamp,rr,quality,artefact");
    const labelled = csv.slice(1).filter((line) => !line.endsWith(","));
    expect(labelled).toEqual([expect.stringMatching(/,1\.600,,missed$/)]);
    const { stdout } = await asi(["beats", fit, "--artefacts", "--format", "jsonl"]);
    const beats = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(beats.filter(({ artefact }) => artefact !== null)).toMatchObject([
      { rr: 1.6, artefact: "missed" },
    ]);
  });
});

describe("asi stats --hrv", () => {
  it("prints the variability of the beats that asi beats finds, and LF/HF only at rest", async () => {
    const path = recordingIn(scratchFolder());
    const { rows } = await asi(["beats", path, "--format", "jsonl"]).then(({ stdout }) => ({
      rows: stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    }));
    const beats = {
      length: rows.length,
      timestampMs: Float64Array.from(rows, ({ timestamp }) => Date.parse(timestamp)),
      rrMs: Float64Array.from(rows, ({ rr }) => (rr === null ? 0 : Math.round(1000 * rr))),
    };
    const { stdout, status } = await asi(["stats", path, "--hrv", "--json"]);
    expect(status).toBe(0);
    const own = heartRateVariability(beats);
    expect(JSON.parse(stdout).figures.hrv).toMatchObject({
      intervals: ECG.beatsS.length - 1,
      series: 1,
      mean_hr: own.mean_hr,
    });
    expect(JSON.parse(stdout).figures.hrv).not.toHaveProperty("lf_hf");
    expect((await asi(["stats", path, "--hrv"])).stdout).toMatch(
      /RMSSD \S+ ms \(meaningful only at rest\), SDNN/,
    );
    const rest = await asi(["stats", path, "--hrv", "--at-rest"]);
    expect(rest.stdout).toMatch(/RMSSD \S+ ms, SDNN/);
    expect(rest.stdout).toMatch(
      /heart-rate variability of \d+ intervals in 1 series, .* artefacts corrected/,
    );
    expect(rest.stdout).toMatch(/LF\/HF: none, because it requires 300 s/);
  });

  it("counts only beats between --from and --to, and only intervals that began there", async () => {
    const path = recordingIn(scratchFolder());
    const limits = ["--from", "2023-11-14T22:13:30Z", "--to", "2023-11-14T22:13:40Z"];
    const { stdout } = await asi(["stats", path, "--hrv", "--json", ...limits]);
    const inside = ECG.beatsS.filter((s) => s >= 10 && s <= 20).length;
    expect(JSON.parse(stdout).figures.hrv.intervals).toBe(inside - 1);
  });

  it("uses the RR intervals of a FIT file, even without positions, and up to a damaged place", async () => {
    const folder = scratchFolder();
    const path = recordingIn(folder);
    const fit = join(folder, "run.fit");
    expect((await asi(["convert", path, "-o", fit, "--rr-intervals"])).status).toBe(0);
    const hrvOf = async (file: string, ...flags: string[]) =>
      JSON.parse((await asi(["stats", file, "--hrv", "--json", ...flags])).stdout).figures.hrv;
    const whole = await hrvOf(fit);
    expect(whole).toMatchObject({ intervals: ECG.beatsS.length - 1, series: 1 });
    expect(whole.rmssd).toBeCloseTo((await hrvOf(path)).rmssd, 0);
    const limits = ["--from", "22:13:30", "--to", "22:13:40"];
    expect((await hrvOf(fit, ...limits)).intervals).toBe((await hrvOf(path, ...limits)).intervals);

    const indoors = join(folder, "indoors.fit");
    const records = [0, 1, 2].flatMap((second) => [
      [0, ...littleEndian(1_100_000_000 + second, 4)],
      [1, ...littleEndian(800 + second, 2)],
    ]);
    const messages = [
      fitDefinition(0, 20, [[253, 4, 0x86]]),
      fitDefinition(1, 78, [[0, 2, 0x84]]),
      ...records,
    ];
    writeFileSync(indoors, fitFile(messages).subarray(0, -4));
    const { status, stdout, stderr } = await asi(["stats", indoors, "--hrv"]);
    expect(status).toBe(3);
    expect(stdout).toMatch(/heart-rate variability of 2 intervals in 1 series/);
    expect(stderr).toMatch(/3 points without a position omitted\n.*damaged: the file is truncated/);
    expect((await asi(["stats", indoors])).stderr).toMatch(/no point with a time and a position.*NO_SAMPLES/);
  });

  it("prints the variability of each period with --periods", async () => {
    const path = recordingIn(scratchFolder());
    const periods = join(scratchFolder(), "periods.csv");
    writeFileSync(periods, "period,start,end\nFirst,22:13:30,22:13:40\nSecond,22:13:40,22:13:50\n");
    const { stdout } = await asi(["stats", path, "--hrv", "--json", "--periods", periods, "--tz", "UTC"]);
    const parts = JSON.parse(stdout).periods as { figures: { hrv: { intervals: number } } }[];
    const inside = (from: number) => ECG.beatsS.filter((s) => s >= from && s < from + 10).length - 1;
    expect(parts.map(({ figures: { hrv } }) => hrv.intervals)).toEqual([inside(10), inside(20)]);
  });

  it("reports a recording without beats, and an input that can be read only once", async () => {
    expect((await asi(["stats", MATCH.path, "--hrv"])).stdout).toMatch(
      /variability: none, because there are no beats/,
    );
    const { status, stderr } = await asi(["stats", "-", "--hrv"], { input: RECORDING });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/read only once, .* name a file/)]);
    expect((await asi(["stats", MATCH.path, "--at-rest"])).status).toBe(2);
  });
});
