import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEngine } from "../src/engine/engines.js";
import { instantiateCore } from "../src/engine/wasm/core.js";
import { PlainRowWriter } from "../src/rows/row-text/plain-row-writer.js";
import type { RowWriter } from "../src/rows/row-text/row-writer.js";
import {
  type Field,
  type RowTemplate,
  rowTemplate,
  type TemplatePart,
} from "../src/rows/row-text/template.js";
import type { SampleBatch } from "../src/types.js";
import { drive } from "./drive.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { examples } from "./long-form.js";
import { anySample, batchOf, type Sample } from "./sample-batches.js";

const plain = new PlainRowWriter();
const cores = (["simd", "scalar"] as const).map((name) => ({ name, writer: createEngine(name).rowWriter }));

/** Writes all rows from `from`, in several calls if necessary; at least one row in each. */
function write(
  writer: RowWriter,
  template: RowTemplate,
  batch: SampleBatch,
  { from = 0, to = batch.length } = {},
): string {
  let text = "";
  for (let next = from; next < to; ) {
    const { bytes, end } = writer.write(template, batch, next, to);
    expect(end).toBeGreaterThan(next);
    expect(bytes.length).toBeLessThanOrEqual((end - next) * template.maxRowBytes);
    text += new TextDecoder().decode(bytes);
    next = end;
  }
  return text;
}

const sample: Sample = {
  timestampMs: Date.UTC(2025, 4, 17, 14, 30, 5, 50),
  latitudeE7: 473_700_001,
  longitudeE7: -85_500_000,
  altitudeMm: -408_123,
  speedMmPerS: 3_050,
  hr: 142,
  fixType: 3,
};

const FIELDS: readonly Field[] = [
  "seconds",
  "latitude",
  "longitude",
  "altitude",
  "speed",
  "hr",
  "milliseconds",
  "isoTime",
  "longitudeBelow180",
  "localTime",
  "spreadsheetTime",
];

describe("a row template", () => {
  const textOf = (parts: TemplatePart[], changes: Partial<Sample> = {}) => {
    const template = rowTemplate(parts);
    const batch = batchOf([{ ...sample, ...changes }]);
    const text = write(plain, template, batch);
    for (const { writer } of cores) expect(write(writer, template, batch)).toBe(text);
    return text;
  };

  it("writes texts and fields", () => {
    expect(textOf(["<", { field: "latitude" }, "|", { field: "longitude" }, ">"])).toBe(
      "<47.3700001|-8.5500000>",
    );
    expect(textOf([{ field: "altitude" }, " ", { field: "speed" }, " ", { field: "hr" }])).toBe(
      "-408.123 3.050 142",
    );
    expect(textOf([{ field: "seconds" }, " ", { field: "milliseconds" }])).toBe(
      "1747492205.050 1747492205050",
    );
    expect(textOf([{ field: "isoTime" }])).toBe("2025-05-17T14:30:05.050Z");
    expect(textOf(["only a text"])).toBe("only a text");
    expect(textOf([])).toBe("");
  });

  it("writes texts of any length, in any script", () => {
    for (const length of [1, 15, 16, 17, 31, 32, 33, 64, 65, 1000]) {
      const text = "abcdefghij".repeat(100).slice(0, length);
      expect(textOf([text, { field: "hr" }, text])).toBe(`${text}142${text}`);
    }
    expect(textOf(["→ äöü 𝄞 ", { field: "hr" }])).toBe("→ äöü 𝄞 142");
  });

  it("ends every row with a text of any length", () => {
    const batch = batchOf([sample, { ...sample, hr: 0 }, { ...sample, fixType: 2 }]);
    for (const length of [0, 1, 16, 31, 32, 33, 127, 128, 129, 1000]) {
      for (const first of [
        { field: "hr" },
        { where: "hr", given: ["<", { field: "hr" }, ">"] },
        "no field",
      ] as const) {
        const template = rowTemplate([first, "x".repeat(length)]);
        const expected = write(plain, template, batch);
        expect(expected.match(/x{0,1000}/g)?.join("")).toBe("x".repeat(3 * length));
        for (const { writer } of cores) expect(write(writer, template, batch)).toBe(expected);
      }
    }
  });

  it("writes local times with their offsets, for people and for spreadsheets", () => {
    const batch = batchOf([sample]);
    const parts: TemplatePart[] = [
      { field: "localTime" },
      "+05:45|",
      { field: "spreadsheetTime", decimalMark: "," },
      "|",
      { field: "isoTime" },
    ];
    const template = rowTemplate(parts, (5 * 60 + 45) * 60_000);
    for (const writer of [plain, ...cores.map((core) => core.writer)]) {
      expect(write(writer, template, batch)).toBe(
        "2025-05-17T20:15:05.050+05:45|2025-05-17 20:15:05,050|2025-05-17T14:30:05.050Z",
      );
    }
  });

  it("writes a decimal comma", () => {
    const fields: Field[] = ["seconds", "latitude", "longitude", "longitudeBelow180", "altitude", "speed"];
    const parts = fields.flatMap((field) => [{ field, decimalMark: "," } as const, " "]);
    expect(textOf(parts)).toBe("1747492205,050 47,3700001 -8,5500000 -8,5500000 -408,123 3,050 ");
  });

  it("writes some parts only for rows with an altitude or a heart rate, and others only for rows without them", () => {
    const parts: TemplatePart[] = [
      "[",
      { where: "altitude", given: ["alt ", { field: "altitude" }], missing: ["no alt"] },
      "|",
      { where: "hr", given: [{ field: "hr" }, " bpm"] },
      "]",
    ];
    expect(textOf(parts)).toBe("[alt -408.123|142 bpm]");
    expect(textOf(parts, { fixType: 2 })).toBe("[no alt|142 bpm]");
    expect(textOf(parts, { hr: 0 })).toBe("[alt -408.123|]");
    expect(textOf(parts, { hr: 0, fixType: 2 })).toBe("[no alt|]");
  });

  it("has nested parts", () => {
    const inner: TemplatePart = { where: "hr", given: ["both"], missing: ["altitude alone"] };
    const parts: TemplatePart[] = [{ where: "altitude", given: [inner], missing: ["none"] }];
    expect(textOf(parts)).toBe("both");
    expect(textOf(parts, { hr: 0 })).toBe("altitude alone");
    expect(textOf(parts, { fixType: 2 })).toBe("none");
  });

  it("writes the meridian of 180 degrees as -180 where 180 is not allowed", () => {
    expect(textOf([{ field: "longitudeBelow180" }], { longitudeE7: 1_800_000_000 })).toBe("-180.0000000");
    expect(textOf([{ field: "longitudeBelow180" }], { longitudeE7: 1_799_999_999 })).toBe("179.9999999");
    expect(textOf([{ field: "longitude" }], { longitudeE7: 1_800_000_000 })).toBe("180.0000000");
  });

  it.for([
    [-62_167_219_200_000, "0000-01-01T00:00:00.000Z"],
    [-62_162_121_600_001, "0000-02-28T23:59:59.999Z"],
    [-62_135_596_800_001, "0000-12-31T23:59:59.999Z"],
    [-1, "1969-12-31T23:59:59.999Z"],
    [0, "1970-01-01T00:00:00.000Z"],
    [951_782_400_000, "2000-02-29T00:00:00.000Z"],
    [4_107_542_399_999, "2100-02-28T23:59:59.999Z"],
    [253_402_300_799_999, "9999-12-31T23:59:59.999Z"],
    [253_402_300_801_000, "+010000-01-01T00:00:01.000Z"],
  ] as const)("writes the instant %d as %s", ([timestampMs, expected]) => {
    expect(textOf([{ field: "isoTime" }], { timestampMs })).toBe(expected);
  });

  it("is refused if it is too long for the core", () => {
    expect(() => rowTemplate(["x".repeat(4_089)])).toThrow(RangeError);
    expect(() => rowTemplate(Array.from({ length: 800 }, () => ({ field: "isoTime" }) as const))).toThrow(
      RangeError,
    );
    expect(() => rowTemplate(["x".repeat(4_080)])).not.toThrow();
    expect(instantiateCore("simd").programCapacity()).toBe(4_096);
  });
});

const YEAR_0_MS = -62_167_219_200_000;

describe("random rows with random templates", () => {
  const text = fc.oneof(
    fc.constantFrom(",", ";", "\n", "é", '"}'),
    fc.string({ maxLength: 40, unit: "grapheme" }),
  );
  const field = fc.record({ field: fc.constantFrom(...FIELDS), decimalMark: fc.constantFrom(".", ",") });
  const flat = fc.oneof(text, field) as fc.Arbitrary<TemplatePart>;
  const choice = fc.record({
    where: fc.constantFrom("altitude", "hr"),
    given: fc.array(flat, { maxLength: 3 }),
    missing: fc.array(flat, { maxLength: 3 }),
  }) as fc.Arbitrary<TemplatePart>;
  const offset = fc.integer({ min: -93_600_000, max: 93_600_000 });
  const template = fc
    .tuple(fc.array(fc.oneof(flat, choice), { maxLength: 12 }), offset)
    .map(([parts, utcOffsetMs]) => rowTemplate(parts, utcOffsetMs));

  it("have the same bytes from the core and from plain TypeScript", () => {
    fc.assert(
      fc.property(template, fc.array(anySample, { maxLength: 40 }), (drawn, samples) => {
        // recordings begin in the year 1
        fc.pre(samples.every(({ timestampMs }) => timestampMs + drawn.utcOffsetMs >= YEAR_0_MS));
        const batch = batchOf(samples);
        const expected = write(plain, drawn, batch);
        for (const { name, writer } of cores) expect(write(writer, drawn, batch), name).toBe(expected);
      }),
      { numRuns: examples(2_000) },
    );
  });

  it("are complete, even if they are much longer than the buffer of the core", () => {
    const samples = fc.sample(anySample, { numRuns: 7_000, seed: 11 });
    const batch = batchOf(samples);
    const all = FIELDS.flatMap((name) => [{ field: name } as const, "-".repeat(200)]);
    for (const parts of [all, [{ field: "hr" } as const, "\n"]]) {
      const drawn = rowTemplate(parts);
      for (const [from, to] of [
        [0, 7_000],
        [1, 2],
        [2_047, 2_050],
        [3, 6_999],
      ] as const) {
        const expected = write(plain, drawn, batch, { from, to });
        for (const { writer } of cores) expect(write(writer, drawn, batch, { from, to })).toBe(expected);
      }
    }
  });
});

describe("random rows with the layouts of a CSV", () => {
  /** The layout, and parts of it in another order, conditional or missing. */
  const layout = fc
    .record({
      time: fc.constantFrom<Field>("seconds", "isoTime", "localTime", "spreadsheetTime", "milliseconds"),
      before: fc.constantFrom("", '"'),
      afterTime: fc.constantFrom("", "+05:30", "+05:30 is its offset"),
      delimiter: fc.constantFrom(",", ";", "\t", "é", ""),
      decimalMark: fc.constantFrom(".", ","),
      timeMark: fc.constantFrom(".", ","),
      speedMark: fc.constantFrom(".", ","),
      lineEnd: fc.constantFrom("\n", "\r\n", ""),
      order: fc.constantFrom(["latitude", "longitude"] as const, ["longitude", "latitude"] as const),
      given: fc.constantFrom("altitude", "hr"),
      utcOffsetMs: fc.integer({ min: -93_600_000, max: 93_600_000 }),
    })
    .map(
      ({
        time,
        before,
        afterTime,
        delimiter,
        decimalMark,
        timeMark,
        speedMark,
        lineEnd,
        order,
        given,
        utcOffsetMs,
      }) =>
        rowTemplate(
          [
            before,
            { field: time, decimalMark: timeMark },
            afterTime,
            delimiter,
            { field: order[0], decimalMark },
            delimiter,
            { field: order[1], decimalMark },
            delimiter,
            { where: given as "altitude" | "hr", given: [{ field: "altitude", decimalMark }] },
            delimiter,
            { field: "speed", decimalMark: speedMark as "." | "," },
            delimiter,
            { where: "hr", given: [{ field: "hr" }] },
            lineEnd,
          ] as TemplatePart[],
          utcOffsetMs,
        ),
    );

  it("are identical from the core and from plain TypeScript", () => {
    fc.assert(
      fc.property(layout, fc.array(anySample, { maxLength: 40 }), (drawn, samples) => {
        fc.pre(samples.every(({ timestampMs }) => timestampMs + drawn.utcOffsetMs >= YEAR_0_MS));
        const batch = batchOf(samples);
        const expected = write(plain, drawn, batch);
        for (const { name, writer } of cores) expect(write(writer, drawn, batch), name).toBe(expected);
      }),
      { numRuns: examples(3_000) },
    );
  });
});

describe("the rows of a step", () => {
  it("are written directly from the memory of the engine", () => {
    const recording = joined([
      asiInf(),
      navPvt(civilTime(1000)),
      navPvt(civilTime(2000)),
      navPvt(civilTime(3000)),
    ]);
    const template = rowTemplate([{ field: "milliseconds" }, "\n"]);
    for (const name of ["simd", "scalar", "plain"] as const) {
      const engine = createEngine(name);
      drive(engine, recording, { output: "columns" });
      // the last step has no rows, so the rows of the first step are read again
      engine.reset({
        output: "columns",
        serial: null,
        needsHeader: true,
        strict: false,
        fromMs: 0,
        toMs: 1e14,
        fillHrMs: 0,
        hr: "auto",
        quality: false,
        analysesEcg: false,
      });
      engine.write(recording, 0);
      engine.step(false);
      engine.step(false);
      const batch = engine.columns();
      expect(batch.length, name).toBe(3);
      expect(write(engine.rowWriter, template, batch), name).toBe("1000\n2000\n3000\n");
      expect(write(engine.rowWriter, template, batch, { from: 1, to: 2 }), name).toBe("2000\n");
      // rows of the caller do not affect them
      expect(write(engine.rowWriter, template, batchOf([sample])), name).toBe("1747492205050\n");
      expect(write(engine.rowWriter, template, batch, { from: 2 }), name).toBe("3000\n");
    }
  });
});
