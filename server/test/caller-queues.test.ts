/** Tests that a caller whose queries wait does not occupy slots that all callers share. */
import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { authorize } from "../src/domain/change/access.js";
import { fetchRawData, newRawDataReading } from "../src/domain/raw-data/fetch.js";
import { PageCache } from "../src/domain/raw-data/page-cache.js";
import { whenHasherIsFree } from "../src/domain/secrets/passwords.js";
import { accountCaller, addressCaller, type Caller, onBehalfOf } from "../src/fairness/callers.js";
import { findUser, type PasswordAttempts } from "../src/oauth/model.js";
import type { OperatorContext } from "../src/operator/commands.js";
import { newStore } from "./databases.js";
import { type TestAccount, TestService } from "./service.js";
import { store } from "./team.js";

/** Number of queries by the busy caller; hundreds are still waiting when the other caller has been served. */
const MANY = 400;

let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore());
});

/** Fills the database queue of the caller. @returns the number of finished queries, and a promise for the end of all */
function fillQueue(caller: Caller) {
  const queue = { answered: 0, ended: Promise.resolve() };
  queue.ended = onBehalfOf(caller, async () => {
    const all = Array.from({ length: MANY }, async () => {
      await s.store.database.pool.query("SELECT pg_sleep(0.01)");
      queue.answered += 1;
    });
    await Promise.all(all);
  });
  return queue;
}

/** Returns an account whose requests come from a separate address. */
const callerOf = ({ id }: TestAccount): Caller => ({ name: accountCaller(id), group: `address of ${id}` });

it("a password of an unrelated user is hashed before the passwords of many accounts of another address", async () => {
  let hashed = 0;
  const hashOf = (caller: Caller) =>
    onBehalfOf(caller, () =>
      whenHasherIsFree(async () => {
        await setImmediate();
        return ++hashed;
      }),
    );
  const many = Array.from({ length: 60 }, (_, id) =>
    hashOf({ name: accountCaller(id), group: addressCaller("192.0.2.1").group }),
  );
  const stranger = await hashOf(addressCaller("192.0.2.2"));
  expect(stranger).toBeLessThan(10);
  expect(await Promise.all(many)).toHaveLength(60);
});

it("four pages of raw data are read concurrently for one address, regardless of its number of accounts; another address can still read", async () => {
  const reading = newRawDataReading(new PageCache(s.clock, 0));
  const startMs = Date.parse("2024-06-01T10:00:00Z");
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  // Formatting is blocked, so every page that was read waits for it.
  const formatting = reading.writes.run(0, () => held);
  const page = async (group: string) => {
    const owner = await s.manager();
    const device = await s.longOwned(owner);
    const ctx = { ...s.ctx, caller: { id: owner.id, role: "MANAGER", scopes: null } } as OperatorContext;
    const target = await authorize(ctx, "fetchRawData", { device: device.id });
    return () =>
      onBehalfOf({ name: accountCaller(owner.id), group }, () =>
        fetchRawData(ctx, reading, target, { start: startMs, stop: startMs + 1_000 } as never, false),
      );
  };
  const pages: (() => Promise<unknown>)[] = [];
  for (let n = 0; n < 6; n++) pages.push(await page("club"));
  const other = await page("home");
  const read = pages.map((page) => page());
  await expect.poll(() => reading.reads.waiting).toBe(2);
  await expect.poll(() => reading.writes.waiting).toBe(4);
  const home = other();
  await expect.poll(() => reading.writes.waiting).toBe(5);
  end();
  await Promise.all([formatting, home, ...read]);
});

describe("while queries of one caller wait for the database", () => {
  it("a login of another caller is checked, even if logins of the first caller are in progress", async () => {
    const { username, password } = await s.manager();
    const attemptsOf = (caller: string): PasswordAttempts => {
      const count = async () => {
        await s.store.database.pool.query("SELECT 1");
      };
      return { caller, count, succeeded: count };
    };
    const logIn = (caller: Caller) =>
      onBehalfOf(caller, () => findUser(s.ctx, attemptsOf(caller.name), username, password));
    const [busy, late] = [addressCaller("192.0.2.1"), addressCaller("192.0.2.2")];
    const queue = fillQueue(busy);
    const waiting = Array.from({ length: 16 }, () => logIn(busy));
    expect(await logIn(late)).toMatchObject({ username });
    expect(queue.answered).toBeLessThan(MANY / 2);
    await queue.ended;
    for (const found of await Promise.all(waiting)) expect(found).toMatchObject({ username });
  });

  it("another caller can read a page of raw data, even if pages of the first caller are in progress", async () => {
    const [busy, late] = [await s.manager(), await s.manager()];
    const reading = newRawDataReading(new PageCache(s.clock, 0));
    const startMs = Date.parse("2024-06-01T10:00:00Z");
    const pageOf = async (owner: TestAccount) => {
      const device = await s.longOwned(owner);
      await store(s, device.id, [{ t: startMs, speed: 1_000 }]);
      const ctx = { ...s.ctx, caller: { id: owner.id, role: "MANAGER", scopes: null } } as OperatorContext;
      const target = await authorize(ctx, "fetchRawData", { device: device.id });
      return (start: number) =>
        onBehalfOf(callerOf(owner), () =>
          fetchRawData(ctx, reading, target, { start, stop: startMs + 1_000 } as never, false),
        );
    };
    const [busyPage, latePage] = [await pageOf(busy), await pageOf(late)];
    const queue = fillQueue(callerOf(busy));
    const waiting = Array.from({ length: 16 }, (_, index) => busyPage(startMs - index));
    const { resource } = await latePage(startMs);
    expect(JSON.parse(Buffer.from(resource.bytes).toString()).count).toBe(1);
    expect(queue.answered).toBeLessThan(MANY / 2);
    await queue.ended;
    expect(await Promise.all(waiting)).toHaveLength(16);
  });
});
