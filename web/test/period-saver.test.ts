import { signal } from "@preact/signals";
import { ApiError, type Client, type Resource } from "asi-client";
import type { SessionPeriod } from "asi-convert/squad";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PeriodSaver } from "../src/app/sessions/period-saver.js";
import { periodsOfRows } from "../src/app/sessions/stored-periods.js";
import { renamed, withEnds, withoutPeriod, withPeriod } from "../src/squad/clock/period-edits.js";

type Rows = Resource["SessionPeriods"];

const SESSION = 4;
const KELLER = 21;
/** An athlete without a row in the table of the session. */
const HIDDEN = 22;
const NAMES = new Map([[KELLER, "Keller"]]);

const at = (minute: number) => new Date(Date.UTC(2026, 4, 16, 12, minute)).toISOString();
const row = (name: string, from: number | null, to: number | null, athlete: number | null = null) => ({
  name,
  start_time: from === null ? null : at(from),
  end_time: to === null ? null : at(to),
  athlete,
});

const STORED: Rows = [
  row("1st half", 0, 30, HIDDEN),
  row("1st half", 0, 45),
  row("1st half", 0, 40, KELLER),
  row("2nd half", 60, 105),
  row("2nd half", null, null, HIDDEN),
];

/** Opens the stored periods as the squad view does. `answer` is the response of the service to each request. */
function opened(rows: Rows, answer: (body: Rows) => { status: number; body: unknown }) {
  const sent: Rows[] = [];
  const client = {
    PUT: async (_: string, { body }: { body: Rows }) => {
      sent.push(body);
      const { status, body: content } = answer(body);
      const response = new Response(null, { status, headers: { ETag: '"2"' } });
      return status === 200 ? { data: content, response } : { error: content, response };
    },
  } as unknown as Client;
  const periods = signal<readonly SessionPeriod[]>(periodsOfRows(rows, NAMES));
  const saver = new PeriodSaver({ client, session: SESSION, names: NAMES, tag: '"1"' });
  return { sent, periods, saver, stop: saver.follow(periods) };
}

const accepts = (body: Rows) => ({ status: 200, body });
const settled = () => vi.advanceTimersByTimeAsync(5000);

describe("periods of a stored session in the squad view", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are not sent until the user changes them", async () => {
    const { sent, saver, stop } = opened(STORED, accepts);
    await settled();
    expect(saver.saving.value).toEqual({ name: "saved", isFirst: true });
    stop();
    await settled();
    expect(sent).toEqual([]);
  });

  it("keep the times of athletes whom the view does not show", async () => {
    const { sent, periods } = opened(STORED, accepts);
    const drill = { startMs: Date.parse(at(50)), endMs: Date.parse(at(55)) };
    periods.value = withPeriod(periods.value, "Drill", drill);
    await settled();
    expect(sent).toEqual([
      [
        row("1st half", 0, 45),
        row("1st half", 0, 40, KELLER),
        row("1st half", 0, 30, HIDDEN),
        row("Drill", 50, 55),
        row("2nd half", 60, 105),
        row("2nd half", null, null, HIDDEN),
      ],
    ]);
  });

  it("are renamed, moved and deleted with the times of these athletes", async () => {
    const { sent, periods } = opened(STORED, accepts);
    const ends = { startMs: Date.parse(at(0)), endMs: Date.parse(at(46)) };
    periods.value = withoutPeriod(
      withEnds(renamed(periods.value, "1st half", "First"), "First", ends),
      "2nd half",
    );
    await settled();
    expect(sent).toEqual([[row("First", 0, 46), row("First", 0, 40, KELLER), row("First", 0, 30, HIDDEN)]]);
  });

  it("name the athletes whose times the service refuses, and are saved without these times on request", async () => {
    const isRefused = ({ athlete }: Rows[number]) => athlete === HIDDEN;
    const { sent, periods, saver } = opened(STORED, (body) => {
      const at = body.findIndex(isRefused);
      return at < 0
        ? accepts(body)
        : { status: 400, body: { errors: [{ field: `${at}.athlete`, detail: "not in the squad" }] } };
    });
    periods.value = withoutPeriod(periods.value, "2nd half");
    await settled();
    expect(saver.saving.value).toEqual({ name: "refused", athletes: [HIDDEN] });
    saver.saveWithout([HIDDEN]);
    await settled();
    expect(saver.saving.value).toEqual({ name: "saved", isFirst: false });
    expect(sent.at(-1)).toEqual([row("1st half", 0, 45), row("1st half", 0, 40, KELLER)]);
  });

  it("report other refusals unchanged", async () => {
    const { periods, saver } = opened(STORED, () => ({
      status: 400,
      body: { errors: [{ field: "", detail: "A session has at most 500 rows of periods." }] },
    }));
    periods.value = [];
    await settled();
    expect(saver.saving.value).toEqual({ name: "failed", error: expect.any(ApiError) });
  });
});
