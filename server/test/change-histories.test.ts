/**
 * Tests random histories of a session, with late uploads, retention, erasure, and changed rights. Copies begin at any point and
 * follow the changes from time to time. At the end, each copy must equal a new copy that reads everything.
 */
import fc from "fast-check";
import { describe, expect } from "vitest";
import { earlierTransactionsEnded } from "./earlier-transactions.js";
import { withOwnService } from "./file-service.js";
import type { TestAccount } from "./service.js";
import { DEVICES, PLAYERS, SessionHistory, type Step } from "./session-history.js";
import { BLOCKS } from "./session-model.js";
import { step } from "./session-steps.js";
import { Warehouse } from "./warehouse.js";

const it = withOwnService();

/** Number of histories. `npm test` runs some of them, `npm run test:more` all. */
const HISTORIES = Number(process.env.CHANGE_HISTORIES ?? (process.env.TEST_ALL_HISTORIES === "1" ? 300 : 3));

type Other =
  | { do: "let in"; role: "coach" | "physician" }
  | { do: "let out" }
  | { do: "rename squad" | "rename session"; name: string }
  | { do: "rename athlete"; athlete: number; name: string }
  | { do: "renumber"; athlete: number; number: number };

const name = fc.constantFrom("Ada", "Bea", "Cem");
const other: fc.Arbitrary<Other> = fc.oneof(
  fc.record({
    do: fc.constant("let in" as const),
    role: fc.constantFrom("coach" as const, "physician" as const),
  }),
  fc.record({ do: fc.constant("let out" as const) }),
  fc.record({ do: fc.constantFrom("rename squad" as const, "rename session" as const), name }),
  fc.record({ do: fc.constant("rename athlete" as const), athlete: fc.nat(PLAYERS - 1), name }),
  fc.record({
    do: fc.constant("renumber" as const),
    athlete: fc.nat(PLAYERS - 1),
    number: fc.integer({ min: 1, max: 9 }),
  }),
);

/** What the copies do after a step. */
const reading = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: "nothing" as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("begin" as const), reader: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("follow" as const),
      which: fc.nat(9),
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
);

const anyDevice = fc.nat(DEVICES - 1);
const blocks = fc.tuple(fc.nat(BLOCKS - 1), fc.integer({ min: 1, max: BLOCKS }));
const span = blocks.map(([from, length]) => ({ from, to: from + length }));

/** Steps that are less frequent: samples are added and removed. */
const ofSamples: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("upload"), by: fc.constant(0), device: anyDevice, span }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("retention") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete samples"), device: anyDevice, span }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("erase"), athlete: fc.nat(PLAYERS - 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("run jobs") }) },
);

const ALWAYS = { from: 0, to: 2 * BLOCKS };
const ofRights: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("withdraw"), athlete: fc.nat(PLAYERS - 1), to: fc.constant(0) }),
  fc.record({
    do: fc.constant("consent"),
    athlete: fc.nat(PLAYERS - 1),
    to: fc.constant(0),
    read: fc.constant(ALWAYS),
    write: fc.constant(ALWAYS),
  }),
  fc.record({ do: fc.constantFrom("release", "take"), by: fc.constant(0), device: anyDevice }),
);

const moment = fc.tuple(
  fc.oneof(
    { weight: 3, arbitrary: step },
    { weight: 3, arbitrary: ofSamples },
    { weight: 2, arbitrary: ofRights },
    { weight: 2, arbitrary: other },
  ),
  reading,
);

/** A history with a guest of the squad, and the copies that follow it. */
class Followed {
  readonly copies: { reader: TestAccount; isAthlete: boolean; warehouse: Warehouse }[] = [];
  readonly history: SessionHistory;
  readonly guest: TestAccount;

  private constructor(history: SessionHistory, guest: TestAccount) {
    this.history = history;
    this.guest = guest;
  }

  static async begin(s: SessionHistory["s"]): Promise<Followed> {
    const history = await SessionHistory.begin(s);
    const followed = new Followed(history, await s.manager());
    await history.act({ do: "upload", by: 0, device: 0, span: { from: 0, to: BLOCKS } });
    await followed.act({ do: "let in", role: "coach" });
    return followed;
  }

  async act(one: Other): Promise<void> {
    const { s, owner, squad, session } = this.history;
    const own = (method: string, path: string, json?: unknown) =>
      s.send(method, path, { token: owner.token, json });
    const grants = `/api/v2/squads/${squad}/grants/`;
    switch (one.do) {
      case "let in": {
        const { body } = await own("POST", grants, { username: this.guest.username, role: one.role });
        await s.post(`/api/v2/invitations/${body.id}/accept/`, undefined, this.guest.token);
        return;
      }
      case "let out":
        for (const { id } of (await own("GET", grants)).body.results) await own("DELETE", `${grants}${id}/`);
        return;
      case "rename squad":
        expect((await own("PATCH", `/api/v2/squads/${squad}/`, { name: one.name })).status).toBe(200);
        return;
      case "rename session":
        expect((await own("PATCH", `/api/v2/sessions/${session}/`, { name: one.name })).status).toBe(200);
        return;
      case "renumber": {
        const { id } = this.history.athlete(one.athlete);
        const { results } = (await own("GET", `/api/v2/members/?squad=${squad}&athlete=${id}`)).body;
        for (const member of results)
          expect((await own("PATCH", `/api/v2/members/${member.id}/`, { number: one.number })).status).toBe(
            200,
          );
        return;
      }
      case "rename athlete": {
        const { id, token } = this.history.athlete(one.athlete);
        const json = { athlete_profile: { first_name: one.name } };
        const { status } = await s.send("PATCH", `/api/v1/athletes/${id}/`, { token, json });
        expect(status).toBeLessThan(300);
        return;
      }
    }
  }

  async read(
    what:
      | { do: "nothing" }
      | { do: "begin"; reader: number }
      | { do: "follow"; which: number; limit: number },
  ) {
    if (what.do === "follow")
      await this.copies[what.which % Math.max(1, this.copies.length)]?.warehouse.follow(what.limit);
    if (what.do !== "begin") return;
    const { s, managers } = this.history;
    const isAthlete = what.reader === 3;
    const reader = [...managers, this.guest][what.reader] ?? this.history.athlete(0);
    this.copies.push({ reader, isAthlete, warehouse: await Warehouse.of(s, reader, { isAthlete }) });
  }

  /** Removes copies of other people, because an erased athlete can no longer read them. */
  forgetErased(): void {
    const { id } = this.history.athlete(0);
    const left = this.copies.filter(({ reader, isAthlete }) => !isAthlete || reader.id === id);
    this.copies.splice(0, this.copies.length, ...left);
  }

  /** Compares each copy with a new one. @returns the number of copies */
  async end(): Promise<number> {
    const { s } = this.history;
    await s.runJobs();
    await earlierTransactionsEnded(s);
    const anew = new Map<number, Warehouse>();
    const copies = this.copies.splice(0);
    for (const { reader, isAthlete, warehouse } of copies) {
      await warehouse.follow();
      const expected = anew.get(reader.id) ?? (await Warehouse.of(s, reader, { isAthlete }));
      anew.set(reader.id, expected);
      expect(warehouse.contents()).toEqual(expected.contents());
    }
    return copies.length;
  }
}

const isOther = (one: { do: string }): one is Other =>
  ["let in", "let out", "rename squad", "rename session", "rename athlete", "renumber"].includes(one.do);

/** Consecutive histories on one session, because creating a session takes most of the time. */
const IN_A_ROW = Math.min(10, HISTORIES);

describe("over random histories", () => {
  it("a copy that applies the changes from any point matches the service", async ({ service }) => {
    let compared = 0;
    const history = fc.array(moment, { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: IN_A_ROW, maxLength: IN_A_ROW }), async (histories) => {
        const followed = await Followed.begin(service);
        for (const moments of histories) {
          await followed.read({ do: "begin", reader: 0 });
          for (const [one, reading] of moments) {
            if (isOther(one)) await followed.act(one);
            else await followed.history.act(one);
            followed.forgetErased();
            await followed.read(reading);
          }
          compared += await followed.end();
        }
        await followed.history.end();
      }),
      { numRuns: Math.ceil(HISTORIES / IN_A_ROW), endOnFailure: true },
    );
    expect(compared).toBeGreaterThanOrEqual(HISTORIES);
  }, 1_800_000);
});
