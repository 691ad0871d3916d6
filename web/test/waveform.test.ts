import { readFileSync } from "node:fs";
import { convert, decodeBeats, decodeEcg, type EcgBatch, inspectSync } from "asi-convert";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHeart } from "../src/recording/heart.js";
import { readFile } from "../src/recording/read-file.js";
import type { Recording } from "../src/recording/recording.js";
import { collectWaveform } from "../src/recording/waveform.js";
import { fixturePath } from "./fixtures.js";

const MATCH = readFileSync(fixturePath("valid/match-ecg.asi"));

async function samplesOf(bytes: Uint8Array) {
  const samples: { ms: number; value: number }[] = [];
  for await (const { timestampMs, sample } of decodeEcg(bytes)) {
    for (const [i, value] of sample.entries()) samples.push({ ms: timestampMs[i] as number, value });
  }
  return samples;
}

async function* batchOf(sampleRateHz: number, times: number[], values: number[]): AsyncGenerator<EcgBatch> {
  yield {
    length: values.length,
    sampleRateHz,
    timestampMs: Float64Array.from(times),
    sample: Int16Array.from(values),
  };
}

describe("the waveform of a recording", () => {
  it("has each sample at its time if there are few", async () => {
    const waveform = await collectWaveform(decodeEcg(MATCH));
    const samples = await samplesOf(MATCH);
    const startMs = (samples[0]?.ms ?? 0) + 100_000;
    const shown = { startMs, stopMs: startMs + 2000 };
    const columns = waveform?.columnsIn(shown, 800);
    const expected = samples.filter(({ ms }) => ms >= startMs && ms <= shown.stopMs);
    expect(columns?.isExact).toBe(true);
    for (const { ms, value } of expected) {
      const at = columns?.timesMs.findIndex((time) => Math.abs(time - ms) < 0.6) ?? -1;
      expect(columns?.mean[at]).toBe(value);
    }
  });

  it("preserves its highest and lowest value at any zoom", async () => {
    const waveform = await collectWaveform(decodeEcg(MATCH));
    const samples = await samplesOf(MATCH);
    const values = samples.map(({ value }) => value);
    const shown = { startMs: samples[0]?.ms ?? 0, stopMs: samples.at(-1)?.ms ?? 0 };
    const { maximum, minimum, timesMs } = waveform?.columnsIn(shown, 500) ?? {};
    expect(Math.max(...(maximum ?? []).map(Number))).toBe(values.reduce((a, b) => Math.max(a, b)));
    expect(Math.min(...(minimum ?? []).map(Number))).toBe(values.reduce((a, b) => Math.min(a, b)));
    expect(timesMs?.length).toBeLessThanOrEqual(502);
  });

  it("is interrupted by missing samples, and continues after the clock was set", async () => {
    const times = Array.from({ length: 1000 }, (_, i) => i * 4 + (i >= 500 ? 5000 : 0));
    const waveform = await collectWaveform(
      batchOf(
        250,
        times,
        times.map((_, i) => i % 50),
      ),
    );
    for (const pixels of [100, 4000]) {
      const { mean } = waveform?.columnsIn({ startMs: 0, stopMs: 9000 }, pixels) ?? { mean: [] };
      expect(mean.filter((value) => value === null)).toHaveLength(1);
    }
    const back = await collectWaveform(batchOf(250, [10_000, 10_004, 2000, 2004], [1, 2, 3, 4]));
    expect(back?.columnsIn({ startMs: 1000, stopMs: 11_000 }, 100).mean).toEqual([3, 4, null, 1, 2]);
  });

  it("has no more entries than pixels, for any number of recorded pieces", async () => {
    const times = Array.from({ length: 20_000 }, (_, i) => i * 100);
    const waveform = await collectWaveform(
      batchOf(
        250,
        times,
        times.map((_, i) => i % 91),
      ),
    );
    const columns = waveform?.columnsIn({ startMs: 0, stopMs: 2_000_000 }, 300);
    expect(columns?.timesMs.length).toBeLessThanOrEqual(302);
    expect(Math.max(...(columns?.maximum ?? []).map(Number))).toBe(90);
  });

  it("is in ascending order of time, whatever the times of its frames", async () => {
    const frames = fc.array(fc.integer({ min: -3000, max: 5000 }), { minLength: 2, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(frames, fc.integer({ min: 1, max: 90 }), async (steps, pixels) => {
        let ms = 1e6;
        const times = steps.map((step) => {
          ms += step;
          return ms;
        });
        const waveform = await collectWaveform(batchOf(250, times, steps));
        const shown = { startMs: Math.min(...times), stopMs: Math.max(...times) + 1 };
        const { timesMs } = waveform?.columnsIn(shown, pixels) ?? { timesMs: [] };
        for (const [i, at] of timesMs.entries()) expect(at).toBeGreaterThanOrEqual(timesMs[i - 1] ?? at);
      }),
    );
  });
});

describe("the heart data of a recording", () => {
  it("equals the result of the library for the waveform", async () => {
    const recording = { facts: { info: null } } as Recording;
    const read = await readHeart(new Blob([MATCH]), recording);
    const times: number[] = [];
    for await (const { timestampMs } of decodeBeats(MATCH)) times.push(...timestampMs);
    expect([...(read?.heart.beats.timestampMs ?? [])]).toEqual(times);
    expect(read?.heart.figures).toEqual(inspectSync(MATCH).ecg);
    expect(read?.heart.rr.series.values.length).toBeGreaterThan(0.9 * times.length);
  });

  it("equals the RR intervals of a FIT file, without a waveform", async () => {
    const limits = { format: "fit", rrIntervals: true } as const;
    const fit = await new Response(convert(MATCH, limits).body).blob();
    const { facts } = await readFile(new File([fit], "match.fit"), { serial: null, onProgress() {} });
    expect(facts.kind).toBe("fit");
    const read = await readHeart(fit, { facts } as Recording);
    expect(read?.waveform).toBeNull();
    expect(read?.heart).toMatchObject({ hasWaveform: false, figures: null, beats: { quality: null } });
    expect(read?.heart.rr.series.values).toHaveLength(facts.intervals ?? 0);
  });

  it("is absent without a waveform", async () => {
    const bytes = readFileSync(fixturePath("valid/match-hr.asi"));
    expect(await readHeart(new Blob([bytes]), { facts: { info: null } } as Recording)).toBeNull();
  });
});
