import { beforeAll, describe, expect, it } from "vitest";
import { readEvents } from "../src/app/live-events/read-events.js";
import { aroundDay, dateText, dayAfter, mondayOf, readDate, weeksUpTo } from "../src/app/parts/days.js";
import { accountOf } from "../src/app/recordings/account-of-upload.js";
import { addressedDevice, addressedRanges, addressOf } from "../src/app/recordings/address.js";
import { tooLarge } from "../src/app/recordings/too-large.js";

const at = (iso: string) => Date.parse(iso);
const iso = (ms: number) => new Date(ms).toISOString();

describe("the weeks of the calendar", () => {
  beforeAll(() => {
    process.env.TZ = "Europe/Zurich";
  });

  it("begin on Monday in the zone of the page", () => {
    // Sunday, 23:30 in UTC, is Monday in Zurich
    const ms = at("2025-05-18T23:30:00Z");
    expect(iso(mondayOf(ms, "utc"))).toBe("2025-05-12T00:00:00.000Z");
    expect(iso(mondayOf(ms, "local"))).toBe("2025-05-18T22:00:00.000Z");
    expect(iso(weeksUpTo(ms, "utc"))).toBe("2025-05-05T00:00:00.000Z");
  });

  it("have days of 23 and 25 hours when clocks change", () => {
    const spring = dayAfter(at("2025-03-30T12:00:00Z"), 0, "local");
    expect(dayAfter(spring, 1, "local") - spring).toBe(23 * 3_600_000);
    const autumn = dayAfter(at("2025-10-26T12:00:00Z"), 0, "local");
    expect(dayAfter(autumn, 1, "local") - autumn).toBe(25 * 3_600_000);
    expect(dateText(dayAfter(autumn, 14, "local"), "local")).toBe("2025-11-09");
    expect(dateText(dayAfter(at("2024-12-31T12:00:00Z"), 1, "utc"), "utc")).toBe("2025-01-01");
  });

  it("are read from an address, and other text is refused", () => {
    expect(readDate("2025-05-05", "utc")).toBe(at("2025-05-05T00:00:00Z"));
    expect(readDate("2025-05-05", "local")).toBe(at("2025-05-04T22:00:00Z"));
    for (const wrong of [null, "", "2025-02-30", "2025-5-5", "yesterday", "20250505", "2025-05-05T10:00"])
      expect(readDate(wrong, "utc")).toBe(null);
  });
});

describe("the address of ranges", () => {
  const range = (id: number, start: string, stop: string) => ({
    serviceAddress: "https://example.org/",
    device: { id, serial: `S-${id}`, name: "tracker", type: "T1" },
    startMs: at(start),
    stopMs: at(stop),
    size: 1,
  });
  const ranges = [
    range(12, "2025-05-17T14:30:00.000Z", "2025-05-17T15:15:00.500Z"),
    range(7, "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.000Z"),
  ];
  const read = (address: string) => {
    const [path = "", query = ""] = address.replace("#/recordings/", "").split("?");
    return [[path], new URLSearchParams(query)] as const;
  };

  it.each([[ranges], [ranges.slice(0, 1)]])("contains the ranges from which it was written", (some) => {
    const found = addressedRanges(...read(addressOf(some)));
    expect(found).toEqual(
      some.map(({ device, startMs, stopMs }) => ({ deviceId: device.id, window: { startMs, stopMs } })),
    );
    expect(addressedDevice(...read(addressOf(some)))).toBe("12");
  });

  it("ignores everything except ranges", () => {
    const one = "12,2025-05-17T14:30:00Z,2025-05-17T15:15:00Z";
    const wrong = ["", "12", "x,2025-05-17,2025-05-18", "12,2025-05-18,2025-05-17", "12,now,later"];
    const fields = [...wrong, one].map((text) => `range=${text}`).join("&");
    expect(addressedRanges(...read(`#/recordings/compare?${fields}`))).toEqual([
      { deviceId: 12, window: { startMs: at("2025-05-17T14:30:00Z"), stopMs: at("2025-05-17T15:15:00Z") } },
    ]);
    expect(addressedRanges(...read("#/recordings/12?from=2025-05-05"))).toEqual([]);
    expect(addressedDevice(...read("#/recordings/compare"))).toBeUndefined();
  });
});

describe("the days around a clock change", () => {
  beforeAll(() => {
    process.env.TZ = "Europe/Zurich";
  });

  const range = (start: string) => ({ startMs: at(start), stopMs: at(start) + 60_000 });

  const around = (date: string, ...starts: string[]) => {
    const { ofDay, otherDays } = aroundDay(starts.map(range), readDate(date, "local") ?? 0, "local");
    return [ofDay.map(({ startMs }) => iso(startMs)), otherDays.map(iso)];
  };

  it("are those of the calendar after a day of 23 hours", () => {
    // 23:30 on the day itself, 22:30 on the next day, and 0:30 on the day after that
    const starts = ["2025-03-30T21:30:00.000Z", "2025-03-31T20:30:00.000Z", "2025-03-31T22:30:00.000Z"];
    expect(around("2025-03-30", ...starts)).toEqual([starts.slice(0, 1), starts.slice(1)]);
  });

  it("are those of the calendar after a day of 25 hours", () => {
    // 23:30 on the day itself, 7:00 and 23:30 on the next day
    const starts = ["2025-10-26T22:30:00.000Z", "2025-10-27T06:00:00.000Z", "2025-10-27T22:30:00.000Z"];
    expect(around("2025-10-26", ...starts)).toEqual([starts.slice(0, 1), starts.slice(1, 2)]);
  });
});

describe("the summary of an upload", () => {
  const nothing = {
    samples_stored: 0,
    samples_known: 0,
    samples_refused: 0,
    samples_unowned: 0,
    start: null,
    stop: null,
  };
  const when = { start: "2025-05-17T14:30:00Z", stop: "2025-05-17T15:00:00Z" };
  const times = "from Sat, 17 May 2025, 14:30 to Sat, 17 May 2025, 15:00";

  it("names the numbers of new, known and refused samples", () => {
    expect(accountOf({ ...nothing, ...when, samples_stored: 18_000 }, "utc")).toEqual([
      `18,000 samples stored ${times}.`,
    ]);
    expect(accountOf({ ...nothing, ...when, samples_known: 18_000 }, "utc")).toEqual([
      `Nothing new: 18,000 samples were already stored ${times}.`,
    ]);
    const mixed = {
      ...nothing,
      ...when,
      samples_stored: 1,
      samples_known: 2,
      samples_refused: 7,
      samples_unowned: 4,
    };
    expect(accountOf(mixed, "utc")).toEqual([
      "1 sample stored.",
      `2 samples were already stored ${times}.`,
      "3 samples were refused, because another manager owned the device at that time, or the time is in the future.",
      "4 samples were refused, because nobody owned the device at that time. Ask the person who runs the service to let your ownership begin earlier, then upload the file again.",
    ]);
    expect(accountOf({ ...nothing, samples_refused: 1 }, "utc")).toEqual([
      "1 sample was refused, because another manager owned the device at that time, or the time is in the future.",
    ]);
    // the text is one sentence, and the empty calendar agrees with it
    expect(accountOf({ ...nothing, samples_refused: 18_001, samples_unowned: 18_001 }, "utc")).toEqual([
      "18,001 samples were refused, because nobody owned the device at that time. Ask the person who runs the service to let your ownership begin earlier, then upload the file again.",
    ]);
    expect(accountOf(nothing, "utc")).toEqual(["The recording contained no samples to store."]);
  });

  it("says how much of the file is unreadable", () => {
    const report = { damage: { badChecksums: 2, overlong: 0, overruns: 1 } };
    expect(accountOf({ ...nothing, ...when, samples_stored: 5, report }, "utc").at(-1)).toBe(
      "The file is damaged: 3 frames could not be read.",
    );
  });
});

describe("a file that is too large", () => {
  const file = (size: number) => ({ size });

  it("is refused with its size, the limit and the required action, in bytes if both sizes look the same in MB", () => {
    const reason = (size: number, limit: number | null) => tooLarge(file(size), limit).reason;
    expect(reason(87_000_000, 33_554_432)).toMatch(
      /^The file has 87 MB, and the service accepts at most 34 MB\. To split it, open it in the viewer, /,
    );
    expect(reason(33_554_433, 33_554_432)).toMatch(
      /^The file has 33,554,433 bytes, and the service accepts at most 33,554,432 bytes\. To split it/,
    );
    expect(reason(87_000_000, null)).toMatch(
      /^The file has 87 MB, and the service accepts less\. To split it/,
    );
  });
});

describe("server-sent events", () => {
  const text =
    'retry: 3000\n\nid: 1\nevent: samples\ndata: [{"é":1}]\n\n: still here\n\nevent: end\ndata: {"reason":"stopping"}\n\n';

  it("are the same for any division of the bytes", async () => {
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size <= bytes.length; size++) {
      let heard = 0;
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
          controller.close();
        },
      });
      const events = [];
      for await (const event of readEvents(stream, () => heard++)) events.push(event);
      expect(events).toEqual([
        { event: "open", data: "" },
        { event: "samples", data: '[{"é":1}]', id: "1" },
        { event: "open", data: "" },
        { event: "end", data: '{"reason":"stopping"}' },
      ]);
      expect(heard).toBe(Math.ceil(bytes.length / size));
    }
  });
});
