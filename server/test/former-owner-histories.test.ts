/** Tests access to samples of former owners in random histories of ownerships, clocks, loads and reads. */
import fc from "fast-check";
import { describe, expect } from "vitest";
import {
  AHEAD_MS,
  heartRateOf,
  iso,
  latitudeOf,
  MINUTE_MS,
  type Owners,
  type Sample,
  withManagers,
} from "./former-owner-scene.js";
import { type TestDevice, TestService } from "./service.js";

const it = withManagers();

type Step =
  | { do: "take" | "release" | "read" | "hand over"; by: number }
  | { do: "upload" | "load"; by: number; offsets: number[] }
  | { do: "run jobs" }
  | { do: "wait"; ms: number }
  | { do: "backdate"; ms: number };

/** Index that means the owner at the time of the step. */
const OWNER = -1;
const anyone = fc.nat(2);
const mostlyOwner = fc.oneof({ weight: 4, arbitrary: fc.constant(OWNER) }, { weight: 1, arbitrary: anyone });
/** Milliseconds relative to now: mostly near now, sometimes long before. */
const offset = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -20, max: 24 }).map((n) => n * 15_000) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1, AHEAD_MS, AHEAD_MS + 1, -3_600_000) },
);
const offsets = fc.array(offset, { minLength: 1, maxLength: 6 });
// The clocks of two processes differ, and clocks can be set back.
const pause = fc.constantFrom(0, 1, 15_000, MINUTE_MS, 3 * MINUTE_MS, -30_000);
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(2, fc.record({ do: fc.constant("take"), by: anyone })),
  weighted(2, fc.record({ do: fc.constant("release"), by: mostlyOwner })),
  weighted(4, fc.record({ do: fc.constant("hand over"), by: anyone })),
  weighted(4, fc.record({ do: fc.constant("load"), by: mostlyOwner, offsets })),
  weighted(2, fc.record({ do: fc.constant("upload"), by: mostlyOwner, offsets })),
  weighted(2, fc.record({ do: fc.constant("run jobs") })),
  weighted(3, fc.record({ do: fc.constant("read"), by: fc.oneof(mostlyOwner, anyone) })),
  weighted(3, fc.record({ do: fc.constant("wait"), ms: pause })),
  weighted(2, fc.record({ do: fc.constant("backdate"), ms: fc.constantFrom(1, 15_000, 60_000, 600_000) })),
);

/** Reads samples of a device as a manager in every possible way. */
async function everythingRead(
  { s, manager, now, computedRead }: Owners,
  device: TestDevice,
  index: number,
  of = s,
) {
  const { token } = manager(index);
  const window = `start=${now() - 3 * 3_600_000}&stop=${now() + 3_600_000}`;
  const soon = `start=${now() + 1}&stop=${now() + AHEAD_MS}`;
  const get = (path: string) => of.get(`/api/v1/devices/${device.id}/${path}`, token);
  const [page, ahead, latest, ranges, computed] = await Promise.all([
    get(`raw-data/?${window}`),
    get(`raw-data/?${soon}`),
    get("latest-raw-data/?size=300"),
    get(`raw-data-ranges/?${window}`),
    computedRead(device, index, of),
  ]);
  for (const { status } of [page, ahead, latest, ranges]) expect([200, 403]).toContain(status);
  const samples: Sample[] = [
    ...(page.body.results ?? []),
    ...(ahead.body.results ?? []),
    ...(latest.status === 200 ? latest.body : []),
  ];
  const count = (ranges.body.results ?? []).reduce(
    (sum: number, { size }: { size: number }) => sum + size,
    0,
  );
  return { samples, count, computed };
}

function expectOwn({ samples, computed }: Awaited<ReturnType<typeof everythingRead>>, index: number): void {
  for (const sample of samples) {
    expect(sample["gnss.latitude"]).toBe(latitudeOf(index));
    expect([null, heartRateOf(index)]).toContain(sample["ecg.hr"]);
  }
  for (const heartRate of [computed?.hr_min ?? null, computed?.hr_max ?? null]) {
    expect([null, heartRateOf(index)]).toContain(heartRate);
  }
}

/** Checks that computed data begin and end with samples that the owner may read, and include the heart rates of all of them. */
function expectFrom(times: readonly number[], computed: Awaited<ReturnType<Owners["computedRead"]>>): void {
  const heard = times.filter((ms) => ms % 2 === 0);
  const { first_timestamp: first = null, last_timestamp: last = null } = computed ?? {};
  if (first === null || last === null) expect(computed === undefined ? [] : heard).toEqual([]);
  else {
    expect(times).toContain(first);
    expect(times).toContain(last);
    expect(heard.filter((ms) => ms < first || ms > last)).toEqual([]);
  }
}

/** Reference implementation of the rules: checks every ownership and every sample. */
class Model {
  ownerships: { by: number; from: number; to: number }[] = [];
  samples = new Map<number, number>();
  waiting: { by: number; times: number[] }[] = [];

  get current() {
    const last = this.ownerships.at(-1);
    return last?.to === Number.POSITIVE_INFINITY ? last : undefined;
  }

  take(by: number, nowMs: number): void {
    if (this.current !== undefined) return;
    const from = Math.max(nowMs, this.ownerships.at(-1)?.to ?? nowMs);
    this.ownerships.push({ by, from, to: Number.POSITIVE_INFINITY });
  }

  release(by: number, nowMs: number): void {
    const { current } = this;
    if (current?.by !== by) return;
    const to = Math.max(nowMs, current.from);
    current.to = to;
    // An empty ownership has no effect.
    if (current.from === to) this.ownerships.pop();
    for (const ms of this.samples.keys()) if (ms >= to) this.samples.delete(ms);
  }

  runJobs(nowMs: number): void {
    for (const { by, times } of this.waiting.splice(0)) {
      for (const ms of times) {
        const owner = this.ownerships.find(({ from, to }) => from <= ms && ms < to)?.by;
        if (owner === by && ms <= nowMs + AHEAD_MS && !this.samples.has(ms)) this.samples.set(ms, by);
      }
    }
  }

  readable(by: number): number[] {
    const own = this.ownerships.filter((ownership) => ownership.by === by);
    return [...this.samples.keys()].filter((ms) => own.some(({ from, to }) => from <= ms && ms < to));
  }
}

/** `npm test` runs some of the histories, `npm run test:more` all of them. */
const HISTORIES = process.env.TEST_ALL_HISTORIES === "1" ? 10 : 1;

describe("random histories of owners, clocks, loads and reads", () => {
  it("users read all of their own samples and no samples loaded by other owners", async ({ owners }) => {
    const { s, now, take, frameOf, release, upload, managers } = owners;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
        s.clock.stopAt(Date.now());
        const device = await s.device();
        const model = new Model();
        let latest = now();
        const someone = (by: number) => (by === OWNER ? (model.current?.by ?? 0) : by);
        const acts = {
          async take(by: number) {
            await take(device, by);
            model.take(by, now());
            // The jobs compute the loaded samples before anyone reads them.
            if (model.current?.by === by) await frameOf(device, by);
          },
          async release(by: number) {
            await release(device, by);
            model.release(by, now());
          },
          async upload(by: number, times: number[]) {
            const { status } = await upload(device, by, times);
            expect(status).toBe(model.current?.by === by ? 200 : 403);
            if (status === 200) model.waiting.push({ by, times });
          },
          async runJobs() {
            // A job added while the clock was ahead waits until that time.
            s.clock.stopAt(latest);
            await s.runJobs();
            model.runJobs(now());
          },
          async read(by: number) {
            const read = await everythingRead(owners, device, by);
            expectOwn(read, by);
            const readable = model.readable(by);
            const window = [now() - 3 * 3_600_000, now() + 3_600_000] as const;
            expect(read.count).toBe(readable.filter((ms) => window[0] <= ms && ms <= window[1]).length);
            expectFrom(readable, read.computed);
          },
          async backdate(ms: number) {
            const last = model.ownerships.at(-1);
            if (last === undefined) return;
            const from = last.from - ms;
            const isFree = model.ownerships.every((other) => other === last || other.to <= from);
            const done = await s.backdate(device, iso(from)).then(
              () => true,
              () => false,
            );
            expect(done).toBe(isFree);
            if (done) last.from = from;
          },
        };
        for (const next of steps) {
          latest = Math.max(latest, now());
          if (next.do === "wait") s.clock.stopAt(now() + next.ms);
          else if (next.do === "run jobs") await acts.runJobs();
          else if (next.do === "backdate") await acts.backdate(next.ms);
          else {
            const by = someone(next.by);
            if (next.do === "hand over") await acts.release(someone(OWNER));
            if (next.do === "hand over" || next.do === "take") await acts.take(by);
            else if (next.do === "release") await acts.release(by);
            else if (next.do === "read") await acts.read(by);
            else if ("offsets" in next) {
              await acts.upload(
                by,
                next.offsets.map((ms) => now() + ms),
              );
              if (next.do === "load") await acts.runJobs();
            }
          }
        }
        s.clock.stopAt(latest);
        for (const index of managers.keys()) await acts.read(index);
        await s.runJobs();
      }),
      { numRuns: 6 * HISTORIES },
    );
  });

  it("users read no samples of other owners, even if they act concurrently in two processes with different clocks", async ({
    owners,
  }) => {
    const { s, take, managers, manager, upload } = owners;
    const other = await TestService.start(s.store);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 8 }),
        async (bursts) => {
          const start = Date.now();
          s.clock.stopAt(start);
          other.clock.stopAt(start + 20_000);
          const device = await s.device();
          await take(device, 0);
          const act = async (next: Step, place: number) => {
            const at = place % 2 === 0 ? s : other;
            const atNow = at.clock.now().getTime();
            if (next.do === "wait") at.clock.stopAt(atNow + next.ms);
            else if (next.do === "run jobs") await at.runJobs();
            else if (next.do === "backdate") {
              await at.backdate(device, iso(atNow - next.ms)).catch(() => undefined);
            } else {
              for (const by of next.by === OWNER ? managers.keys() : [next.by]) {
                if (next.do === "hand over") for (const one of managers) await at.release(device, one);
                if (next.do === "hand over" || next.do === "take") await at.take(device, manager(by));
                else if (next.do === "release") await at.release(device, manager(by));
                else if (next.do === "read") expectOwn(await everythingRead(owners, device, by, at), by);
                else if ("offsets" in next) {
                  await upload(
                    device,
                    by,
                    next.offsets.map((ms) => atNow + ms),
                    at,
                  );
                  if (next.do === "load") await at.runJobs();
                }
              }
            }
          };
          for (const burst of bursts) {
            const done = await Promise.allSettled(burst.map(act));
            for (const one of done) if (one.status === "rejected") throw one.reason;
          }
          for (const index of managers.keys()) {
            expectOwn(await everythingRead(owners, device, index), index);
          }
          s.clock.advance(3_600_000);
          await s.runJobs();
        },
      ),
      { numRuns: 3 * HISTORIES },
    );
    s.clock.stopAt(Date.now());
  });
});
