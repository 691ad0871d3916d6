import { describe, expect, it } from "vitest";
import { rowsOf } from "../src/index.js";
import { TextPieces } from "../src/tracks/text-pieces.js";
import { joined } from "./frames.js";
import { readTrack } from "./track-files.js";
import { asiError } from "./whole.js";

/** A comment makes the parser read a point. */
const PARSED = "<!-- -->";

const gpx = (points: string) => `<gpx>\n<trk><trkseg>\n${points}</trkseg></trk></gpx>`;

const rowsIn = async (track: string | Uint8Array) => {
  const { samples, summary } = await readTrack(
    typeof track === "string" ? new TextEncoder().encode(track) : track,
  );
  return { rows: [...rowsOf(samples)], summary };
};

describe("points with the shape of earlier ones have the values that the parser reads", () => {
  const time = (second: number) =>
    new Date(Date.UTC(2024, 11, 31, 23, 59, 50, 40) + 1000 * second).toISOString();
  const point = (second: number, content: string, latitude = `${47 + second / 1e4}`) =>
    `<trkpt lat="${latitude}" lon="-8.${second}">${content}<time>${time(second)}</time></trkpt>\r\n`;

  it.each<[string, (second: number) => string]>([
    ["all alike", (i) => point(i, `<ele>${i / 7}</ele><speed>-0.0</speed><cad>${i}</cad>`)],
    ["some with a heart rate", (i) => point(i, i % 3 ? `<x:hr>${100 + i}</x:hr>` : "")],
    ["an extension with a different altitude", (i) => point(i, `<ele>${i}</ele><x><ele>9${i}</ele></x>`)],
    ["a value that looks like a placeholder", (i) => point(i, `<cad>9${i}</cad><ele> 500 </ele>`)],
    ["coordinates of 26 digits", (i) => point(i, "", `47.${i}384567126631736755371${i}`)],
    [
      "a missing value, an exponent and a zone",
      (i) =>
        point(i, i === 5 ? "<ele>NaN</ele>" : `<ele>${i}</ele>`, i === 6 ? "4.7e1" : "47").replace(
          i === 7 ? "Z<" : "none",
          "+02:00<",
        ),
    ],
    ["a different name for each point", (i) => point(i, `<name>Point ${i}</name>`)],
    ["a point within a point", (i) => point(i, i === 9 ? point(1, "") : "")],
  ])("%s", async (_, write) => {
    const seconds = Array.from({ length: 20 }, (_, second) => second);
    const parsed = seconds.map((i) => write(i).replace("</trkpt>", `${PARSED}</trkpt>`));
    const { rows, summary } = await rowsIn(gpx(seconds.map(write).join("")));
    expect(rows.length).toBeGreaterThan(15);
    expect({ rows, summary }).toEqual(await rowsIn(gpx(parsed.join(""))));
  });

  it("count towards the line of a later error", async () => {
    const points = Array.from({ length: 20 }, (_, i) => point(i, "\n\n")).join("");
    for (const bad of ["<ele>high</ele>", "<time>2023-02-29T00:00:00Z</time>", "</trk>"]) {
      const error = await asiError(rowsIn(gpx(`${points}<trkpt lat="1" lon="2">${bad}</trkpt>`)));
      expect(error, bad).toMatchObject({ code: "BAD_TRACK", line: 3 + 3 * 20 });
    }
  });
});

it("a text in two pieces, divided anywhere, is the same as in one, even with invalid characters", () => {
  const bytes = joined([
    new TextEncoder().encode("\ufeffa\u00e9\u4e2d\ud83d\ude00\ufeff"),
    Uint8Array.of(0x61, 0xe2, 0x82, 0x41, 0x80, 0xf0, 0x9f, 0x98, 0xc3),
  ]);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const pieces = new TextPieces("utf-8");
    const text = pieces.decode(bytes.subarray(0, cut)) + pieces.decode(bytes.subarray(cut)) + pieces.end();
    expect(text, `divided at byte ${cut}`).toBe(new TextDecoder().decode(bytes));
  }
});
