import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeSync } from "../src/index.js";
import { fromBase64, unpackSamples } from "../src/packed/index.js";
import { type ReportData, reportHtml } from "../src/packed/report-file.js";
import { asi, MATCH, namesIn, scratchFolder, TORN, textOf } from "./asi-process.js";
import { expectSame } from "./same.js";

const ELEMENT = /<script type="application\/json" id="asi-recording">(.*?)<\/script>/s;

const dataIn = (html: string): ReportData => JSON.parse(ELEMENT.exec(html)?.[1] ?? "null");

describe("asi report", () => {
  test("contains the viewer with every row, the header and the parameters", async () => {
    const folder = scratchFolder();
    const path = MATCH.copyTo(folder);
    const { status, stdout, stderr } = await asi([
      "report",
      path,
      "--max-hr",
      "195",
      "--sport",
      "soccer-fifa",
    ]);
    // named like the CSV of `asi convert`
    const name = MATCH.expected.fileName.replace(/\.csv$/, ".html");
    const html = textOf(folder, name);
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toBe(`${path}: ${Buffer.byteLength(html)} bytes -> ${join(folder, name)}\n`);
    const { samples, ...data } = dataIn(html);
    expect(data).toMatchObject({
      version: 1,
      name: "match.asi",
      inspection: { info: { serial: "AS-10017" }, report: MATCH.expected.report },
      metrics: { preset: "soccer-fifa", params: { max_hr: 195 } },
    });
    const decoded = decodeSync(new Uint8Array(MATCH.bytes));
    expectSame(unpackSamples(fromBase64(samples)), decoded.samples, "samples");
    // the size limit is the viewer and 6 bytes per row
    expect(samples.length / decoded.samples.length).toBeLessThanOrEqual(6);
  });

  test("loads nothing: the file contains no address that a browser would fetch", async () => {
    const { stdout } = await asi(["report", MATCH.path, "-o", "-"]);
    expect(stdout).toMatch(/^<!doctype html>/i);
    expect(stdout).not.toMatch(/<(?:link|img|iframe|script)[^>]*(?:src|href)=/i);
    expect(stdout).not.toMatch(/@import|url\(\s*["']?https?:/i);
  });

  test("names the first damage, and ends with status 3", async () => {
    const folder = scratchFolder();
    const { status } = await asi(["report", TORN.path, "-o", join(folder, "x.html")]);
    expect(status).toBe(3);
    const validated = await asi(["validate", TORN.path, "--json"]);
    const { firstDamage } = dataIn(textOf(folder, "x.html")).inspection.report;
    expect(firstDamage).toEqual(JSON.parse(validated.stdout).report.firstDamage);
    // the last row before it
    const before = decodeSync(TORN.bytes.subarray(0, firstDamage?.byteOffset), { strict: true }).samples;
    expect(firstDamage?.afterMs).toBe(before.timestampMs.at(-1));
  });

  test("contains only the rows between --from and --to", async () => {
    const { stdout } = await asi(["report", MATCH.path, "-o", "-", "--from", "14:31", "--to", "14:32"]);
    const { timestampMs } = unpackSamples(fromBase64(dataIn(stdout).samples));
    expect([timestampMs[0], timestampMs.at(-1)]).toEqual(
      ["2025-03-15T14:31:00Z", "2025-03-15T14:32:00Z"].map((text) => Date.parse(text)),
    );
  });

  test("writes one report per input, and never overwrites a file or the input", async () => {
    const folder = scratchFolder();
    MATCH.copyTo(folder, "a.asi");
    TORN.copyTo(folder, "b.asi");
    const { status } = await asi(["report", ".", "-d", "out", "--name", "{input}"], { cwd: folder });
    expect([status, namesIn(join(folder, "out"))]).toEqual([3, ["a.html", "b.html"]]);
    writeFileSync(join(folder, "a.html"), "mine");
    expect((await asi(["report", "a.asi", "--name", "{input}"], { cwd: folder })).stderr).toMatch(
      /FILE_EXISTS/,
    );
    expect(textOf(folder, "a.html")).toBe("mine");
    const onto = await asi(["report", "a.asi", "-o", "a.asi", "--force"], { cwd: folder });
    expect(onto.status).toBe(2);
    expectSame(readFileSync(join(folder, "a.asi")), MATCH.bytes, "the recording");
    expect((await asi(["report", ".", "-o", "x.html"], { cwd: folder })).status).toBe(2);
  });
});

describe("a report's HTML", () => {
  const { info, report } = { info: { serial: "X" }, report: {} };
  const data = (name: string) =>
    ({
      version: 1,
      name,
      inspection: { info, report },
      samples: "",
    }) as unknown as ReportData;

  test("contains no text of a recording that could become markup", () => {
    const name = `</script><!-- <script>&amp;'"\\ $& $1 \u2028\u0000\ud800é`;
    const html = reportHtml("<body><!-- asi-recording --></body>", data(name));
    const [, json = ""] = ELEMENT.exec(html) ?? [];
    expect(html).toBe(`<body><script type="application/json" id="asi-recording">${json}</script></body>`);
    expect(json).toMatch(/^[ -%'-;=?-~]+$/);
    expect(JSON.parse(json).name).toBe(name);
  });

  test("comes from a template with one placeholder for the recording", () => {
    for (const template of ["<body></body>", "<!-- asi-recording --><!-- asi-recording -->"]) {
      expect(() => reportHtml(template, data("x"))).toThrow(/must contain <!-- asi-recording --> once/);
    }
  });
});
