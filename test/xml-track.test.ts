import { describe, expect, it } from "vitest";
import { rowsOf } from "../src/index.js";
import { ascii, joined } from "./frames.js";
import { readTrack } from "./track-files.js";
import { asiError } from "./whole.js";

const START_MS = Date.UTC(2024, 4, 11, 9, 30);

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function gpx(points: string): Uint8Array {
  return utf8(`<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Wrist &amp; Watch" xmlns="http://www.topografix.com/GPX/1/1"
  xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
 <metadata><time>1999-01-01T00:00:00Z</time></metadata>
 <trk><name>Run</name><trkseg>
${points}
 </trkseg></trk>
</gpx>
`);
}

async function rowsIn(track: Uint8Array) {
  const { samples, summary } = await readTrack(track);
  return { rows: [...rowsOf(samples)], summary };
}

describe("GPX of other programs", () => {
  it("may have white space before the XML declaration, like the TCX of Strava", async () => {
    const point = '<trkpt lat="47" lon="8"><time>2024-05-11T09:30:00Z</time></trkpt>';
    const track = joined([ascii("  \n\n          "), gpx(point)]);
    expect((await rowsIn(track)).rows).toEqual((await rowsIn(gpx(point))).rows);
    const torn = joined([ascii("\n\n"), gpx("</trkpt>")]);
    expect(await asiError(rowsIn(torn))).toMatchObject({ code: "BAD_TRACK", line: 8 });
    expect(await asiError(rowsIn(gpx("</trkpt>")))).toMatchObject({ line: 6 });
  });

  it("may have heart rate and speed in the extension", async () => {
    const { rows, summary } = await rowsIn(
      gpx(`<trkpt lat="47.1234567" lon="-8.7654321">
        <ele>412.3</ele><time>2024-05-11T09:30:00.100Z</time>
        <extensions><gpxtpx:TrackPointExtension>
          <gpxtpx:atemp>21</gpxtpx:atemp><gpxtpx:hr>144</gpxtpx:hr><gpxtpx:speed>3.456</gpxtpx:speed>
        </gpxtpx:TrackPointExtension></extensions>
      </trkpt>`),
    );
    expect(rows).toEqual([
      {
        timestamp: START_MS + 100,
        latitude: 47.1234567,
        longitude: -8.7654321,
        altitude: 412.3,
        speed: 3.456,
        hr: 144,
      },
    ]);
    expect(summary).toEqual({
      format: "gpx",
      rows: 1,
      damage: null,
      start: START_MS + 100,
      end: START_MS + 100,
      speedsFromPositions: 0,
      speedUnit: "m/s",
      intervals: 0,
      leftOut: { withoutTime: 0, withoutPosition: 0, intervals: 0 },
    });
  });

  it("may have no speeds, which are then computed from the positions of each segment", async () => {
    const at = (second: number, lat: number) =>
      `<trkpt lat="${lat}" lon="0"><time>2024-05-11T09:30:${String(second).padStart(2, "0")}Z</time></trkpt>`;
    const { rows, summary } = await rowsIn(
      gpx(`${at(0, 0)}${at(10, 0.001)}</trkseg><trkseg>${at(20, 0.005)}${at(30, 0.0055)}${at(31, 0.0055)}`),
    );
    expect(rows.map(({ speed }) => speed)).toEqual([11.12, 11.12, 5.56, 5.56, 0]);
    expect(rows.map(({ altitude }) => altitude)).toEqual([null, null, null, null, null]);
    expect(summary).toMatchObject({ rows: 5, speedsFromPositions: 5 });
  });

  it("may have speeds at some points; measured speeds are kept, and the first point gets the next known one", async () => {
    const at = (second: number, speed: string) =>
      `<trkpt lat="${second * 1e-4}" lon="0"><time>2024-05-11T09:30:${String(second).padStart(2, "0")}Z</time>${speed && `<speed>${speed}</speed>`}</trkpt>`;
    const speedsOf = async (points: string) => (await rowsIn(gpx(points))).rows.map(({ speed }) => speed);
    expect(await speedsOf(at(0, "") + at(10, "2.5") + at(20, ""))).toEqual([2.5, 2.5, 11.12]);
    expect(await speedsOf(at(0, "") + at(0, "2.5") + at(10, ""))).toEqual([2.5, 2.5, 11.12]);
    expect(await speedsOf(at(0, "") + at(0, "") + at(10, ""))).toEqual([11.12, 11.12, 11.12]);
    const inTwo = `${at(0, "")}</trkseg><trkseg>${at(10, "2.5")}${at(20, "")}`;
    expect(await speedsOf(inTwo)).toEqual([0, 2.5, 11.12]);
  });

  it("may have several points in each second, and no speeds", async () => {
    const tenth = (i: number) =>
      `<trkpt lat="${i * 5e-6}" lon="0"><time>2024-05-11T09:30:0${Math.floor(i / 10)}Z</time></trkpt>`;
    const { rows } = await rowsIn(gpx(Array.from({ length: 30 }, (_, i) => tenth(i)).join("")));
    expect(new Set(rows.map(({ speed }) => speed))).toEqual(new Set([5.56]));
  });

  it.each([
    ["an offset of its zone", "2024-05-11T11:30:00+02:00"],
    ["no zone, which is UTC", "2024-05-11T09:30:00"],
    ["white space and a fraction of nine digits", " 2024-05-11T09:29:59.999999999Z "],
    ["a leap second", "2024-05-11T09:29:60Z"],
  ])("a time with %s", async (_, time) => {
    const { rows } = await rowsIn(gpx(`<trkpt lat="0" lon="0"><time>${time}</time></trkpt>`));
    expect(rows).toMatchObject([{ timestamp: START_MS }]);
  });

  it("may have the speed in the point (GPX 1.0), values in CDATA, or an extension with another time", async () => {
    const { rows } = await rowsIn(
      gpx(`<trkpt lat="1" lon="2"><time><![CDATA[2024-05-11T09:30:00Z]]></time><speed>2.5</speed>
        <extensions><x:lap xmlns:x="urn:x"><x:time>yesterday</x:time><x:ele>high</x:ele></x:lap></extensions></trkpt>`),
    );
    expect(rows).toMatchObject([{ timestamp: START_MS, speed: 2.5, altitude: null }]);
  });

  it("may have points without time or with impossible positions, which are omitted and counted", async () => {
    const { rows, summary } = await rowsIn(
      gpx(`<trkpt lat="1" lon="2"/><trkpt lat="1" lon="2"><ele>3</ele></trkpt>
        <trkpt lat="180" lon="180"><time>2024-05-11T09:30:00Z</time></trkpt>
        <trkpt lat="1" lon="2"><ele>NaN</ele><time>2024-05-11T09:30:00Z</time></trkpt>`),
    );
    expect(rows).toMatchObject([{ altitude: null, speed: 0 }]);
    expect(summary.leftOut).toEqual({ withoutTime: 2, withoutPosition: 1, intervals: 0 });
  });

  it("may have a byte order mark, or be UTF-16", async () => {
    const text = new TextDecoder().decode(
      gpx(`<trkpt lat="1" lon="2"><time>2024-05-11T09:30:00Z</time></trkpt>`),
    );
    const utf16 = new Uint8Array(
      Uint16Array.from(`\ufeff${text}`, (character) => character.charCodeAt(0)).buffer,
    );
    for (const track of [utf8(`\ufeff${text}`), utf16]) {
      expect((await rowsIn(track)).rows).toMatchObject([{ timestamp: START_MS }]);
    }
  });
});

describe("TCX of other programs", () => {
  const tcx = (points: string) =>
    utf8(`<?xml version="1.0"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
  xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2">
<Activities><Activity Sport="Running"><Id>2024-05-11T09:30:00.000Z</Id>
<Lap StartTime="2024-05-11T09:30:00.000Z"><TotalTimeSeconds>10</TotalTimeSeconds><DistanceMeters>20</DistanceMeters>
<AverageHeartRateBpm><Value>99</Value></AverageHeartRateBpm>
<Track>${points}</Track></Lap></Activity></Activities></TrainingCenterDatabase>`);

  it.each([
    ["with a prefix", "ns3:TPX", "ns3:Speed", ""],
    ["without a prefix", "TPX", "Speed", ' xmlns="http://www.garmin.com/xmlschemas/ActivityExtension/v2"'],
  ])("may have a speed in its extension, %s", async (_, tpx, speed, xmlns) => {
    const { rows, summary } = await rowsIn(
      tcx(`<Trackpoint><Time>2024-05-11T09:30:00.000Z</Time>
        <Position><LatitudeDegrees>47.1234567</LatitudeDegrees><LongitudeDegrees>-8.5</LongitudeDegrees></Position>
        <AltitudeMeters>412.3</AltitudeMeters><DistanceMeters>0</DistanceMeters>
        <HeartRateBpm xsi:type="HeartRateInBeatsPerMinute_t"><Value>144</Value></HeartRateBpm><Cadence>80</Cadence>
        <Extensions><${tpx}${xmlns}><${speed}>3.25</${speed}></${tpx}></Extensions></Trackpoint>`),
    );
    expect(rows).toEqual([
      { timestamp: START_MS, latitude: 47.1234567, longitude: -8.5, altitude: 412.3, speed: 3.25, hr: 144 },
    ]);
    expect(summary).toMatchObject({ format: "tcx", rows: 1 });
  });

  // 4 m/s north, a point each second
  const run = (points: number, speed: (second: number) => string) =>
    tcx(
      Array.from({ length: points }, (_, second) => {
        const time = new Date(START_MS + 1000 * second).toISOString();
        const latitude = (second * 4) / 111_195;
        return `<Trackpoint><Time>${time}</Time><Position><LatitudeDegrees>${latitude.toFixed(7)}</LatitudeDegrees><LongitudeDegrees>0</LongitudeDegrees></Position><Extensions><TPX><Speed>${speed(second)}</Speed></TPX></Extensions></Trackpoint>`;
      }).join("\n"),
    );

  it.each<[string, Uint8Array, "m/s" | "km/h", number]>([
    ["in m/s", run(60, () => "4.1"), "m/s", 4.1],
    ["in km/h, as some devices write them", run(60, () => "14.4"), "km/h", 4],
    ["in km/h, for more points than are examined", run(3000, () => "14.4"), "km/h", 4],
    ["in an undetectable unit, over a few metres", run(10, () => "14.4"), "m/s", 14.4],
    ["that fit neither", run(60, () => "40"), "m/s", 40],
  ])("may have speeds %s", async (_, track, unit, speed) => {
    const { rows, summary } = await rowsIn(track);
    expect(summary.speedUnit).toBe(unit);
    expect(new Set(rows.map((row) => row.speed))).toEqual(new Set([speed]));
  });

  it("may have a pause between two tracks, over which no speed is computed", async () => {
    // 3 m/s north, 200 m in a pause of 5 s, then 2 m/s
    const pointsOf = (from: number, fromM: number, step: number, count: number) =>
      Array.from({ length: count }, (_, i) => {
        const time = new Date(START_MS + 1000 * (from + i)).toISOString();
        return `<Trackpoint><Time>${time}</Time><Position><LatitudeDegrees>${((fromM + i * step) / 111_195).toFixed(7)}</LatitudeDegrees><LongitudeDegrees>0</LongitudeDegrees></Position></Trackpoint>`;
      }).join("");
    // the second number is more than the points that are examined for the unit
    for (const count of [5, 2500]) {
      const { rows } = await rowsIn(
        tcx(`${pointsOf(0, 0, 3, count)}</Track><Track>${pointsOf(count + 5, 3 * count + 200, 2, 5)}`),
      );
      expect(rows.map(({ speed }) => Math.round(speed))).toEqual([...Array(count).fill(3), 2, 2, 2, 2, 2]);
    }
  });

  it("may have points with only a heart rate, which are omitted and counted", async () => {
    const { rows, summary } = await rowsIn(
      tcx(
        `<Trackpoint><Time>2024-05-11T09:30:00Z</Time><HeartRateBpm><Value>90</Value></HeartRateBpm></Trackpoint>`,
      ),
    );
    expect(rows).toEqual([]);
    expect(summary).toMatchObject({ rows: 0, start: null, leftOut: { withoutPosition: 1 } });
  });
});

describe("an XML track that cannot be read is refused with its line", () => {
  it.each<[string, string, number, RegExp]>([
    ["a word instead of a latitude", '<trkpt lat="north" lon="2"></trkpt>', 6, /lat is "north"/],
    ["no longitude", '<trkpt lat="1"></trkpt>', 6, /has no lon/],
    ["a word instead of an altitude", '<trkpt lat="1" lon="2">\n<ele>high</ele></trkpt>', 7, /ele is "high"/],
    ["an invalid time", '<trkpt lat="1" lon="2">\n\n<time>noon</time></trkpt>', 8, /time is "noon"/],
    [
      "a day that does not exist",
      '<trkpt lat="1" lon="2"><time>2023-02-29T00:00:00Z</time></trkpt>',
      6,
      /date or time does not exist/,
    ],
    ["tags that do not match", '<trkpt lat="1" lon="2"></trkseg>', 6, /not well-formed/],
    [
      "an entity that is not one of the five",
      '<trkpt lat="1" lon="2"><time>&now;</time></trkpt>',
      6,
      /not well-formed.*entity/,
    ],
  ])("%s", async (_, points, line, message) => {
    const error = await asiError(readTrack(gpx(points)));
    expect(error).toMatchObject({ code: "BAD_TRACK", line });
    expect(error.message).toMatch(message);
  });

  it("after a cut anywhere", async () => {
    const track = gpx(`<trkpt lat="1" lon="2"><time>2024-05-11T09:30:00Z</time></trkpt>`);
    const end = track.lastIndexOf(0x3e);
    for (let length = 1; length <= end; length++) {
      const error = await asiError(readTrack(track.subarray(0, length)));
      expect(error, `${length} bytes`).toMatchObject({ code: "BAD_TRACK", line: expect.any(Number) });
    }
  });

  it.each([
    ["nothing", ""],
    ["a CSV", "timestamp,latitude\n1,2\n"],
    ["a picture", "\x89PNG\r\n\x1a\n"],
  ])("%s is not a track", async (_, text) => {
    expect(await asiError(readTrack(ascii(text)))).toMatchObject({ code: "BAD_TRACK", byteOffset: 0 });
  });

  it("another kind of XML", async () => {
    const error = await asiError(readTrack(utf8("<html><body/></html>")));
    expect(error).toMatchObject({ code: "BAD_TRACK", line: 1 });
    expect(error.message).toMatch(/<html> is the root, neither <gpx> nor <TrainingCenterDatabase>/);
  });
});

describe("hostile XML causes an error, in bounded memory", () => {
  function* repeated(head: string, text: string, times: number): Generator<Uint8Array> {
    yield utf8(head);
    const piece = utf8(text.repeat(1000));
    for (let i = 0; i < times / 1000; i++) yield piece;
  }

  it("whose entities would expand to billions", async () => {
    const entities = Array.from(
      { length: 10 },
      (_, i) => `<!ENTITY lol${i + 1} "${`&lol${i};`.repeat(10)}">`,
    );
    const track = `<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY lol0 "lol">${entities.join("")}]>\n<gpx><trk><name>&lol10;</name></trk></gpx>`;
    const error = await asiError(readTrack(utf8(track)));
    expect(error).toMatchObject({ code: "BAD_TRACK", line: 2 });
  });

  it("if it refers to a system file", async () => {
    const track =
      '<!DOCTYPE gpx [<!ENTITY file SYSTEM "file:///etc/passwd">]><gpx><trk><name>&file;</name></trk></gpx>';
    expect(await asiError(readTrack(utf8(track)))).toMatchObject({ code: "BAD_TRACK" });
  });

  it.each<[string, string, string, RegExp]>([
    ["elements within elements", "<gpx>", "<a>", /nested more than 64 deep/],
    ["an element text that never ends", "<gpx><trk><name>", "lorem ipsum ", /longer than 1048576 characters/],
    ["an unclosed tag", "<gpx><trk ", 'a="1" ', /not well-formed|longer than 1048576 characters/],
    ["an unclosed attribute", '<gpx creator="', "lorem ipsum ", /longer than 1048576 characters/],
    ["an unclosed comment", "<gpx><!--", "lorem ipsum ", /longer than 1048576 characters/],
    ["an unclosed declaration", "<!DOCTYPE gpx [", '<!ENTITY a "b">', /longer than 1048576 characters/],
    ["white space without end", "<gpx>", "          ", /longer than 1048576 characters/],
    ["a name that never ends", "<", "lorem", /longer than 1048576 characters/],
  ])("%s", async (_, head, text, message) => {
    const error = await asiError(readTrack(repeated(head, text, 50_000_000)));
    expect(error).toMatchObject({ code: "BAD_TRACK", line: expect.any(Number) });
    expect(error.message).toMatch(message);
  });

  it("in one chunk that is longer than any string", async () => {
    const track = new Uint8Array(600_000_000).fill(0x20);
    track.set(utf8("<gpx>"));
    const error = await asiError(readTrack(track));
    expect(error).toMatchObject({ code: "BAD_TRACK" });
    expect(error.message).toMatch(/longer than 1048576 characters/);
  });

  it("with a number of endless digits", async () => {
    const track = gpx(`<trkpt lat="${"1".repeat(500_000)}x" lon="0"/>`);
    const error = await asiError(readTrack(joined([track])));
    expect(error.message.length).toBeLessThan(300);
  });
});
