import { crc32, inflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeSync, type SampleBatch } from "../src/index.js";
import { computeMetrics } from "../src/metrics/index.js";
import { BrailleGrid } from "../src/pictures/braille.js";
import { WARNING } from "../src/pictures/palette.js";
import { toPng } from "../src/pictures/png.js";
import { toPixels } from "../src/pictures/raster.js";
import { type Session, speedSeries } from "../src/pictures/session.js";
import { sessionPicture } from "../src/pictures/session-picture.js";
import type { Shape } from "../src/pictures/shapes.js";
import { drawnText } from "../src/pictures/stroke-font.js";
import { toSvg } from "../src/pictures/svg.js";
import { terminalPlot } from "../src/pictures/terminal-plot.js";
import { thinnedLines } from "../src/pictures/thinned-lines.js";
import { roundTicks, timeTicks } from "../src/pictures/ticks.js";
import { fixture } from "./fixture-files.js";
import { examples } from "./long-form.js";
import { anySample, batchOf } from "./sample-batches.js";

const INFO = decodeSync(fixture("valid/match-hr").bytes).info;

function sessionOf(samples: SampleBatch, name = "match.asi"): Session {
  const metrics = computeMetrics(samples);
  return {
    name,
    info: INFO,
    samples,
    fromMs: metrics.first_timestamp ?? 0,
    toMs: metrics.last_timestamp ?? 0,
    notDrawn: null,
    metrics,
    damage: null,
    offsetMs: 0,
    periods: [],
  };
}

const match = sessionOf(decodeSync(fixture("valid/match-hr").bytes).samples);

describe("the plotted speeds", () => {
  it("have the gaps of the figures where rows are too fast", () => {
    const position = { latitudeE7: 0, longitudeE7: 0, altitudeMm: 0, hr: 0, fixType: 3 };
    const rows = Array.from({ length: 60 }, (_, i) => {
      return { ...position, timestampMs: 100 * i, speedMmPerS: i % 15 === 0 ? 3000 : 20_000 };
    });
    const { timesMs, gapsAfter } = speedSeries(sessionOf(batchOf(rows)));
    expect([...timesMs]).toEqual([0, 1500, 3000, 4500]);
    expect([...gapsAfter]).toEqual([0, 1, 2, 3]);
  });
});

describe("a grid of braille", () => {
  it("has a dot for each point of a line, from the top left corner", () => {
    const grid = new BrailleGrid(3, 1);
    grid.line(0, 0, 0, 3);
    grid.line(2, 3, 5, 0);
    expect(grid.toRows()).toEqual(["\u2847\u2860\u280a"]);
  });

  it("draws nothing outside its area", () => {
    const grid = new BrailleGrid(2, 2);
    grid.line(-5, -5, -1, 20);
    grid.line(4, 0, 9, 0);
    expect(grid.toRows()).toEqual(["\u2800\u2800", "\u2800\u2800"]);
  });
});

describe("ticks", () => {
  it.each([
    [0, 26.8, [0, 10, 20, 30]],
    [0, 1, [0, 0.5, 1]],
    [96, 171, [80, 100, 120, 140, 160, 180]],
    [120, 120, [120, 120.5, 121]],
  ])("are round numbers from %d to %d", (low, high, ticks) => {
    expect(roundTicks(low, high, 4)).toEqual(ticks);
  });

  it("are at whole minutes of the local time on a time axis", () => {
    const from = Date.parse("2025-03-15T14:31:20Z");
    const labels = (offsetMs: number) =>
      timeTicks(from, from + 1_200_000, 4, offsetMs).map(({ ms, label }) => [(ms - from) / 1000, label]);
    expect(labels(0)).toEqual([
      [220, "14:35"],
      [520, "14:40"],
      [820, "14:45"],
      [1120, "14:50"],
    ]);
    expect(labels(45 * 60_000)[0]).toEqual([220, "15:20"]);
  });
});

describe("thinned lines", () => {
  const sample = fc.record({
    stepMs: fc.integer({ min: 1, max: 300 }),
    value: fc.integer({ min: 0, max: 999 }),
  });

  it("keep the lowest and the highest value of each column, at most four points, and all gaps", () => {
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 1, max: 40 }),
        (steps, columns) => {
          let ms = 0;
          const timesMs = Float64Array.from(steps, ({ stepMs }) => {
            ms += stepMs;
            return ms;
          });
          const series = {
            timesMs,
            valueAt: (i: number) => steps[i]?.value ?? Number.NaN,
            gapsAfter: new Set(steps.flatMap(({ stepMs }, i) => (stepMs > 250 ? [i - 1] : []))),
          };
          const lines = thinnedLines(series, { fromMs: 0, toMs: ms, columns });
          const extremes = (points: Iterable<readonly [number, number]>) => {
            const found = new Map<number, [number, number]>();
            for (const [x, y] of points) {
              const [low, high] = found.get(Math.floor(x)) ?? [y, y];
              found.set(Math.floor(x), [Math.min(low, y), Math.max(high, y)]);
            }
            return found;
          };
          const all = steps.map(
            ({ value }, i) => [(timesMs[i] ?? 0) * (columns / Math.max(1, ms)), value] as const,
          );
          expect(extremes(lines.flat().map(({ x, y }) => [x, y] as const))).toEqual(extremes(all));
          expect(lines.length).toBe(1 + steps.filter(({ stepMs }, i) => i > 0 && stepMs > 250).length);
          for (const line of lines) {
            const perColumn = new Map<number, number>();
            for (const { x } of line) perColumn.set(Math.floor(x), (perColumn.get(Math.floor(x)) ?? 0) + 1);
            expect(Math.max(...perColumn.values())).toBeLessThanOrEqual(4);
          }
        },
      ),
    );
  });
});

describe("the plot for a terminal", () => {
  it.each([40, 80, 200])("fits a width of %d characters", (width) => {
    const lines = terminalPlot(match, width).map(({ label, drawing }) => label + drawing);
    expect(Math.max(...lines.map((line) => line.length))).toBe(width);
    expect(lines.filter((line) => /^ +(0|10|20|30|80|120|160) ┤/.test(line)).length).toBeGreaterThan(4);
    expect(lines.at(-1)).toContain("14:3");
  });

  it("has no values in the break of the match", () => {
    const { drawing } = terminalPlot(match, 87)[10] ?? { drawing: "" };
    // 80 characters for 19 minutes; the break lasts from minute 6 to minute 13
    expect(drawing.slice(26, 54)).toBe("\u2800".repeat(28));
    expect(drawing.slice(0, 25)).not.toContain("\u2800".repeat(10));
  });
});

describe("the picture", () => {
  it("shows the name, the figures and a line for each speed zone", () => {
    const svg = toSvg(sessionPicture(match));
    for (const text of ["match.asi", "AS-10017", "1852", "26.8", "146 / 171", "7.2 – 14.4", "14:36"]) {
      expect(svg).toContain(text);
    }
    expect(svg.match(/<path /g)?.length).toBeGreaterThan(10);
    expect(svg.length).toBeLessThan(100_000);
  });

  it("shows the damage and its place", () => {
    const afterMs = (match.metrics.first_timestamp ?? 0) + 60_000;
    const damaged = { ...match, damage: { text: "2 bad checksums", afterMs } };
    const svg = toSvg(sessionPicture(damaged));
    expect(svg).toContain("Damaged recording: 2 bad checksums, first after 14:31:00.");
    // a line in each plot
    expect(svg.split(WARNING).length - toSvg(sessionPicture(match)).split(WARNING).length).toBe(3);
  });

  it("shows how many rows are faster than the sport allows", () => {
    const samples = { ...match.samples, speedMmPerS: match.samples.speedMmPerS.map(() => 15_000) };
    expect(toSvg(sessionPicture(sessionOf(samples)))).toContain(
      "faster than 45.0 km/h. Is the sport correct?",
    );
  });

  it("has the share of each heart-rate zone if the maximum is known", () => {
    const metrics = computeMetrics(match.samples, { params: { max_hr: 190 } });
    expect(toSvg(sessionPicture({ ...match, metrics }))).toContain(
      "Heart-rate zones for a maximum of 190 bpm:",
    );
    expect(toSvg(sessionPicture(match))).not.toContain("Heart-rate zones");
  });

  it("contains text from the recording as text, never as markup", () => {
    const name = `<script>alert("1")</script>&\u0000\ud800'`;
    const svg = toSvg(sessionPicture({ ...match, name, info: { ...INFO, deviceName: "<b>" } }));
    expect(svg).not.toContain("<script");
    expect(svg).not.toContain("<b>");
    expect(svg).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\ufffd\ufffd'");
  });

  it("has finite coordinates for any samples", () => {
    fc.assert(
      fc.property(fc.array(anySample, { minLength: 1, maxLength: 60 }), (samples) => {
        // figures cover at most 366 days
        const year = samples.map((sample) => ({
          ...sample,
          timestampMs: sample.timestampMs % 15_000_000_000,
        }));
        const session = sessionOf(batchOf(year));
        expect(toSvg(sessionPicture(session))).not.toMatch(/NaN|Infinity/);
        for (const { drawing } of terminalPlot(session, 60)) expect(drawing.length).toBeLessThanOrEqual(60);
      }),
      { numRuns: examples(200) },
    );
  });

  it("draws a track across the 180th meridian the shorter way", () => {
    const at = (longitudeE7: number, i: number) => ({
      ...{
        timestampMs: i * 100,
        latitudeE7: 0,
        longitudeE7,
        altitudeMm: 0,
        speedMmPerS: 1000,
        hr: 0,
        fixType: 3,
      },
    });
    const across = [1_799_999_900, 1_800_000_000, -1_799_999_900].map(at);
    const beside = [-100, 0, 100].map(at);
    expect(toSvg(sessionPicture(sessionOf(batchOf(across))))).toBe(
      toSvg(sessionPicture(sessionOf(batchOf(beside)))),
    );
  });
});

describe("a picture in pixels", () => {
  const drawn = (shapes: readonly Shape[], width = 40, height = 20, scale = 1) =>
    toPixels({ width, height, title: "", shapes }, scale);
  /** The number of black pixels. */
  const ink = ({ rgb }: { rgb: Uint8Array }) =>
    rgb.reduce((sum, value) => sum + (255 - value), 0) / (3 * 255);
  const line = (width: number, ...points: [number, number][]): Shape => ({
    kind: "lines",
    lines: [points.map(([x, y]) => ({ x, y }))],
    color: "#000000",
    width,
  });

  it("covers a line with round ends, in any direction", () => {
    const caps = Math.PI * 1.5 ** 2;
    for (const [x, y] of [
      [20, 0],
      [0, 10],
      [12, 9],
      [-12, 5],
    ] as const) {
      const area = 3 * Math.hypot(x, y) + caps;
      expect(Math.abs(ink(drawn([line(3, [18, 5], [18 + x, 5 + y])])) / area - 1)).toBeLessThan(0.06);
    }
  });

  it("is not darker where the parts of a shape overlap, and has twice the pixels at twice the scale", () => {
    const once = drawn([line(3, [5, 10], [30, 10])]);
    const twice = drawn([line(3, [5, 10], [30, 10], [5, 10], [30, 10])]);
    expect(twice).toEqual(once);
    const large = drawn([line(3, [5, 10], [30, 10])], 40, 20, 2);
    expect([large.width, large.height]).toEqual([80, 40]);
    expect(Math.abs(ink(large) / 4 - ink(once))).toBeLessThan(2);
  });

  it("fills a box to its edges in its colour, with rounded corners", () => {
    const box = { kind: "box", x: 4, y: 2, width: 10, height: 6, fill: "#336699" } as const;
    const { rgb, width } = drawn([box]);
    const at = (x: number, y: number) => [...rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)];
    expect([at(4, 2), at(13, 7)]).toEqual([
      [0x33, 0x66, 0x99],
      [0x33, 0x66, 0x99],
    ]);
    expect([at(3, 2), at(14, 7), at(4, 1)]).toEqual(Array(3).fill([255, 255, 255]));
    const corners =
      ink(drawn([{ ...box, fill: "#000000" }])) - ink(drawn([{ ...box, fill: "#000000", radius: 3 }]));
    expect(Math.abs(corners - (4 - Math.PI) * 9)).toBeLessThan(1);
  });

  it("draws nothing outside its area", () => {
    expect(ink(drawn([line(5, [-50, -50], [-10, 100]), line(2, [50, 0], [90, 5])]))).toBe(0);
  });

  it("has a different glyph for each character of ASCII, and letters with accents", () => {
    const shapeOf = (text: string) => JSON.stringify(drawnText(text, 10, 1).strokes);
    const characters = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
    expect(new Set(characters.map(shapeOf)).size).toBe(94);
    const unknown = shapeOf("\u65e5");
    for (const character of [...characters, ..."äöüÄÖÜßéèêñçøåÅæłŁőžş–·…²°"]) {
      expect(shapeOf(character), character).not.toContain(unknown.slice(1, -1));
    }
    // accents need no additional space
    expect(drawnText("Müller", 10, 1).width).toBe(drawnText("Muller", 10, 1).width);
    expect(drawnText("M\u00fc", 10, 1)).toEqual(drawnText("Mu\u0308", 10, 1));
  });
});

describe("a PNG", () => {
  /** The pixels of a PNG without interlacing, decoded by the specification with Node's zlib. */
  function pixelsIn(png: Uint8Array) {
    const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
    expect([...png.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
    const chunks = new Map<string, Uint8Array>();
    for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
      const end = at + 8 + view.getUint32(at);
      expect(view.getUint32(end)).toBe(crc32(png.subarray(at + 4, end)));
      chunks.set(new TextDecoder().decode(png.subarray(at + 4, at + 8)), png.subarray(at + 8, end));
    }
    const head = Buffer.from(chunks.get("IHDR") ?? []);
    const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
    // eight bits of RGB, deflate, the five filters, no interlacing
    expect([...head.subarray(8)]).toEqual([8, 2, 0, 0, 0]);
    const rows = inflateSync(chunks.get("IDAT") ?? new Uint8Array());
    const rgb = new Uint8Array(3 * width * height);
    for (let y = 0; y < height; y++) {
      const from = y * (3 * width + 1);
      // up
      expect(rows[from]).toBe(2);
      for (let i = 0; i < 3 * width; i++) {
        const above = y === 0 ? 0 : (rgb[(y - 1) * 3 * width + i] ?? 0);
        rgb[y * 3 * width + i] = (rows[from + 1 + i] ?? 0) + above;
      }
    }
    return { width, height, rgb };
  }

  it("contains the pixels of the picture", async () => {
    const pixels = toPixels(sessionPicture(match), 0.5);
    const read = pixelsIn(await toPng(pixels, 0.5));
    expect([read.width, read.height]).toEqual([600, pixels.height]);
    expect(Buffer.compare(read.rgb, pixels.rgb)).toBe(0);
    // track, figures and plots are drawn
    expect(new Set(pixels.rgb).size).toBeGreaterThan(200);
  });
});
