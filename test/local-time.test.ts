import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type ConvertOptions, convert } from "../src/index.js";
import { offsetIn, offsetText, TimeZone } from "../src/rows/time-zone.js";
import { pieces } from "./drive.js";
import { ENGINES } from "./every-engine.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { examples } from "./long-form.js";
import { thrown, wholeText } from "./whole.js";

/** Zones with special features. */
const ZONES = [
  "UTC",
  "Europe/Zurich",
  "America/New_York",
  // quarter and half hours
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "America/St_Johns",
  "Pacific/Chatham",
  // summer time of 30 minutes
  "Australia/Lord_Howe",
  // no 30 December 2011
  "Pacific/Apia",
  // the shortest time between two changes since 1970, in October 2000
  "America/Recife",
  "Africa/Casablanca",
  // 44 minutes and 30 seconds until 1972
  "Africa/Monrovia",
];

// Creating a formatter takes much longer than using it.
const CLOCKS = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    }),
  ]),
);

/** The local time, computed differently, one field at a time. */
function clockReading(zone: string, ms: number): string {
  // 17/05/2025, 16:30:00
  const [day, month, year, ...time] = CLOCKS.get(zone)?.format(ms).split(/\D+/) ?? [];
  const fraction = String(((ms % 1000) + 1000) % 1000).padStart(3, "0");
  return `${year}-${month}-${day}T${time.join(":")}.${fraction}`;
}

const asUtcMs = (reading: string) => Date.parse(`${reading}Z`);

const recordingOf = (times: readonly number[]) =>
  joined([asiInf(), ...times.map((ms) => navPvt(civilTime(ms)))]);

const timesOf = async (times: readonly number[], options: ConvertOptions) => {
  const { body: csv } = convert(recordingOf(times), { columns: ["timestamp"], header: false, ...options });
  return (await wholeText(csv)).trimEnd().split("\n");
};

describe("local times", () => {
  it.for([
    [
      "when clocks are set forward",
      "Europe/Zurich",
      "2025-03-30T00:59:59.900Z",
      ["2025-03-30T01:59:59.900+01:00", "2025-03-30T03:00:00.000+02:00"],
    ],
    [
      "when clocks are set back",
      "Europe/Zurich",
      "2025-10-26T00:59:59.900Z",
      ["2025-10-26T02:59:59.900+02:00", "2025-10-26T02:00:00.000+01:00"],
    ],
    [
      "across midnight in a zone with an offset in quarter hours",
      "Asia/Kathmandu",
      "2025-05-17T18:14:59.900Z",
      ["2025-05-17T23:59:59.900+05:45", "2025-05-18T00:00:00.000+05:45"],
    ],
    [
      "when half an hour is skipped",
      "Australia/Lord_Howe",
      "2025-10-04T15:29:59.900Z",
      ["2025-10-05T01:59:59.900+10:30", "2025-10-05T02:30:00.000+11:00"],
    ],
    [
      "across a day that did not exist",
      "Pacific/Apia",
      "2011-12-30T09:59:59.900Z",
      ["2011-12-29T23:59:59.900-10:00", "2011-12-31T00:00:00.000+14:00"],
    ],
  ] as const)("are correct for each row %s", async ([, timeZone, first, expected]) => {
    const ms = Date.parse(first);
    for (const engine of ENGINES) {
      expect(await timesOf([ms, ms + 100], { time: "local", timeZone, engine }), engine).toEqual(expected);
    }
    const clocks = expected.map((time) => time.slice(0, 23).replace("T", " "));
    expect(await timesOf([ms, ms + 100], { time: "excel", timeZone })).toEqual(clocks);
  });

  it("have the offset that is valid at that time, in any zone and order of rows", async () => {
    const change = fc
      .tuple(
        fc.integer({ min: 1970, max: 2037 }),
        fc.integer({ min: 0, max: 365 }),
        fc.integer({ min: 0, max: 86_399_999 }),
      )
      .map(([year, day, ms]) => Date.UTC(year, 0, 1 + day) + ms);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ZONES),
        fc.array(change, { minLength: 1, maxLength: 40 }),
        fc.constantFrom(...ENGINES),
        async (timeZone, times, engine) => {
          const written = await timesOf(times, { time: "local", timeZone, engine });
          const expected = times.map((ms) => {
            const reading = clockReading(timeZone, ms);
            return reading + offsetText(asUtcMs(reading) - ms);
          });
          expect(written).toEqual(expected);
          // without offsets that have seconds, which ISO 8601 cannot express
          const parsed = written.map((text, i) => (text.length === 29 ? Date.parse(text) : times[i]));
          expect(parsed).toEqual(times);
        },
      ),
      { numRuns: examples(300) },
    );
  });

  it("are correct before and after every change of the offset", async () => {
    for (const zone of ZONES) {
      const known = new TimeZone(zone);
      const end = Date.UTC(2030, 0);
      let changes = 0;
      // One `expect` for each of a hundred thousand values would take seconds.
      const wrong: number[] = [];
      for (let ms = Date.UTC(1999, 0); ms < end; ) {
        const { toMs, offsetMs } = known.periodAt(ms);
        wrong.push(...[ms, toMs - 1].filter((at) => asUtcMs(clockReading(zone, at)) - at !== offsetMs));
        if (known.offsetAt(toMs) !== offsetMs) changes += 1;
        ms = toMs;
      }
      expect(wrong, zone).toEqual([]);
      expect(changes > 0, zone).toBe(
        !["UTC", "Asia/Kolkata", "Asia/Kathmandu", "Africa/Monrovia"].includes(zone),
      );
    }
  });

  it("do not depend on the division of the input", async () => {
    const start = Date.parse("2025-10-26T00:30:00Z");
    const times = Array.from({ length: 4_000 }, (_, i) => start + i * 1000);
    const whole = recordingOf(times);
    const options = { columns: ["timestamp"], time: "local", timeZone: "Europe/Zurich" } as const;
    const once = await wholeText(convert(whole, options).body);
    expect(once.match(/\+02:00/g)).toHaveLength(1800);
    expect(once.match(/\+01:00/g)).toHaveLength(2200);
    for (const size of [997, 60_000]) {
      expect(await wholeText(convert(pieces(whole, size), options).body)).toBe(once);
    }
  });

  it("request few offsets from the platform, not one for each row", async () => {
    const format = vi.spyOn(Intl.DateTimeFormat.prototype as { format: unknown }, "format", "get");
    try {
      const start = Date.parse("2025-10-26T00:30:00Z");
      await timesOf(
        Array.from({ length: 3_000 }, (_, i) => start + i * 1000),
        {
          time: "local",
          timeZone: "Europe/Zurich",
        },
      );
      // both ends of a block of days, and a search for the change in it
      expect(format.mock.calls.length).toBeGreaterThan(0);
      expect(format.mock.calls.length).toBeLessThan(50);
    } finally {
      format.mockRestore();
    }
  });
});

describe("the times of a CSV", () => {
  const ms = Date.parse("2025-05-17T14:30:00.050Z");

  it.for<[ConvertOptions, string]>([
    [{}, "1747492200.050"],
    [{ time: "unix" }, "1747492200.050"],
    [{ time: "unix", timeZone: "Europe/Zurich" }, "1747492200.050"],
    [{ time: "iso" }, "2025-05-17T14:30:00.050Z"],
    [{ time: "iso", decimalMark: "," }, "2025-05-17T14:30:00.050Z"],
    [{ time: "local", timeZone: "America/New_York" }, "2025-05-17T10:30:00.050-04:00"],
    [{ time: "excel" }, "2025-05-17 14:30:00.050"],
    [{ time: "excel", timeZone: "Europe/Zurich" }, "2025-05-17 16:30:00.050"],
    [{ time: "excel", timeZone: "Europe/Zurich", decimalMark: "," }, "2025-05-17 16:30:00,050"],
  ])("with %j", async ([options, expected]) => {
    for (const engine of ENGINES) expect(await timesOf([ms], { ...options, engine })).toEqual([expected]);
  });

  it("can be at any position among the columns", async () => {
    const bytes = joined([asiInf(), navPvt({ ...civilTime(ms), altitudeMm: -5 })]);
    const { body: csv } = convert(bytes, { time: "excel", decimalMark: ",", timeZone: "Asia/Kolkata" });
    expect(await wholeText(csv)).toBe(
      "timestamp;latitude;longitude;altitude;speed;hr\n2025-05-17 20:00:00,050;0,0000000;0,0000000;-0,005;0,000;\n",
    );
  });
});

describe("the times of JSON lines", () => {
  const ms = Date.parse("2025-05-17T14:30:00.050Z");

  it.for<[ConvertOptions, unknown]>([
    [{}, "2025-05-17T14:30:00.050Z"],
    [{ time: "iso" }, "2025-05-17T14:30:00.050Z"],
    [{ time: "unix" }, 1747492200.05],
    [{ time: "local", timeZone: "Europe/Zurich" }, "2025-05-17T16:30:00.050+02:00"],
  ])("with %j", async ([options, expected]) => {
    const text = await wholeText(convert(recordingOf([ms]), { ...options, format: "jsonl" }).body);
    expect(JSON.parse(text).timestamp).toEqual(expected);
  });
});

describe("times are refused before a byte is read", () => {
  it.for<[string, ConvertOptions, RegExp]>([
    [
      "an unknown format",
      { time: "utc" as "iso" },
      /time is "utc"; it must be one of unix, iso, local, excel/,
    ],
    ["local without a zone", { time: "local" }, /give one, such as Europe\/Zurich/],
    ["an unknown zone", { time: "local", timeZone: "Europe/Atlantis" }, /"Europe\/Atlantis" is unknown/],
    ["an empty zone", { timeZone: "" }, /"" is unknown/],
    ["a zone that is not text", { timeZone: null as unknown as string }, /null is unknown/],
    ["in GPX", { format: "gpx", time: "iso" }, /gpx defines how times are written/],
    ["in Parquet, a zone", { format: "parquet", timeZone: "UTC" }, /parquet defines .* timeZone/],
    [
      "for spreadsheets in JSON lines",
      { format: "jsonl", time: "excel" },
      /only as unix, iso, local, not as excel/,
    ],
    ["with a delimiter that is in them", { time: "excel", delimiter: " " }, /occurs in times/],
    ["with a different delimiter that is in them", { time: "iso", delimiter: ":" }, /occurs in times/],
  ])("%s", ([, options, message]) => {
    const source = new ReadableStream<Uint8Array>();
    const error = thrown(() => convert(source, options));
    expect(error).toMatchObject({ code: "BAD_OPTION", message: expect.stringMatching(message) });
    expect(source.locked).toBe(false);
  });
});

describe("an offset in the format of the platform", () => {
  it.for([
    ["5/17/2025, GMT+02:00", 7_200_000],
    ["5/17/2025, GMT-09:30", -34_200_000],
    ["5/17/2025, GMT\u221209:30", -34_200_000],
    ["1/1/1970, GMT-00:44:30", -2_670_000],
    ["5/17/2025, GMT", 0],
  ] as const)("%s is %i ms", ([text, offsetMs]) => {
    expect(offsetIn(text)).toBe(offsetMs);
  });

  it.for(["5/17/2025", "", "5/17/2025, UTC+2", "5/17/2025, GMT+2"])("%j is an error, not UTC", (text) => {
    expect(() => offsetIn(text)).toThrow(RangeError);
  });
});

describe("the instants of a local time", () => {
  const at = (text: string) => Date.parse(`${text}Z`);
  const iso = (ms: number) => new Date(ms).toISOString();

  it.for([
    // occurs once
    ["Europe/Zurich", "2025-05-17T16:30:00", "2025-05-17T14:30:00.000Z", "2025-05-17T14:30:00.000Z"],
    // occurs twice
    ["Europe/Zurich", "2025-10-26T02:30:00", "2025-10-26T00:30:00.000Z", "2025-10-26T01:30:00.000Z"],
    // skipped
    ["Europe/Zurich", "2025-03-30T02:30:00", "2025-03-30T01:00:00.000Z", "2025-03-30T00:59:59.999Z"],
    // a whole day was skipped
    ["Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T10:00:00.000Z", "2011-12-30T09:59:59.999Z"],
    ["Pacific/Apia", "2011-12-30T15:00:00", "2011-12-30T10:00:00.000Z", "2011-12-30T09:59:59.999Z"],
    ["Australia/Lord_Howe", "2025-04-06T01:45:00", "2025-04-05T14:45:00.000Z", "2025-04-05T15:15:00.000Z"],
  ] as const)("are the first and the last in %s of %s", ([name, local, earliest, latest]) => {
    const zone = new TimeZone(name);
    expect(iso(zone.earliestAt(at(local)))).toBe(earliest);
    expect(iso(zone.latestAt(at(local)))).toBe(latest);
  });

  it("enclose all instants with that local time", () => {
    const minutes = fc.integer({ min: Date.UTC(1999, 0) / 60_000, max: Date.UTC(2035, 0) / 60_000 });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), minutes, (name, minute) => {
        const zone = new TimeZone(name);
        const ms = minute * 60_000;
        const local = ms + zone.offsetAt(ms);
        const [first, last] = [zone.earliestAt(local), zone.latestAt(local)];
        expect(ms).toBeGreaterThanOrEqual(first);
        expect(ms).toBeLessThanOrEqual(last);
        for (const instant of [first, last]) expect(instant + zone.offsetAt(instant)).toBe(local);
      }),
      { numRuns: examples(2_000) },
    );
  });
});
