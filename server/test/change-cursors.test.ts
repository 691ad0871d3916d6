/** Tests the validity and expiry of the cursors of `/api/v2/changes/`. */
import { join } from "node:path";
import { and, eq, ne, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { recordAthlete } from "../src/domain/change-log/objects.js";
import { applyRetention } from "../src/jobs/retention.js";
import { backup } from "../src/store/backup/backup.js";
import { restore } from "../src/store/backup/restore.js";
import { changes, PRUNED } from "../src/store/schema.js";
import { follow, followAtOnce, loaded, object, read } from "./change-reader.js";
import { newStore } from "./databases.js";
import { earlierTransactionsEnded } from "./earlier-transactions.js";
import { withOwnService } from "./file-service.js";
import { newScratchFolder } from "./scratch.js";
import { TestService } from "./service.js";

const it = withOwnService();
const DAY_MS = 86_400_000;
const isPostgres = process.env.TEST_DATABASE === "postgres";

describe("a cursor", () => {
  it.runIf(isPostgres)(
    "does not miss changes of a transaction that commits after transactions that started later",
    async ({ service: s }) => {
      const athletes = [await s.athlete(), await s.athlete()] as const;
      // A cursor is otherwise before the creation of the accounts.
      await earlierTransactionsEnded(s);
      const nexts = await Promise.all(athletes.map((athlete) => followAtOnce(s, athlete)));
      const [slow, quick] = athletes;
      await transact(s.ctx, "test", async (unit) => {
        await recordAthlete(unit, slow.id);
        await transact(s.ctx, "test", (other) => recordAthlete(other, quick.id));
        // The later transaction waits for the earlier one, so no cursor can be between them.
        for (const next of nexts) expect(await next()).toEqual([]);
      });
      await earlierTransactionsEnded(s);
      for (const [place, next] of nexts.entries())
        expect(await next()).toEqual([object("athlete", athletes[place]?.id ?? 0)]);
    },
  );

  it("is valid in every process of the service", async ({ service: s }) => {
    const { owner, device, load } = await loaded(s);
    await earlierTransactionsEnded(s);
    const { body } = await read(s, owner.token, "");
    const other = await TestService.start(s.store);
    await load("2024-05-17T13:00:00.000Z");
    await earlierTransactionsEnded(s);
    expect((await read(other, owner.token, body.next_cursor)).body.results).toMatchObject([
      { id: device.id },
    ]);
  });

  it("has expired if its reader has been offline for longer than changes are kept", async () => {
    const s = await TestService.start(await newStore());
    const { owner, load } = await loaded(s);
    const { body } = await read(s, owner.token, "");
    await load("2024-05-17T13:00:00.000Z");
    s.clock.advance((s.config.changesRetentionDays + 2) * DAY_MS);
    await applyRetention(s.ctx);
    expect(await s.store.database.queries.$count(changes)).toBe(0);
    const token = await s.logIn(owner.username, owner.password);
    const { status, body: problem } = await read(s, token, body.next_cursor);
    expect([status, problem.code]).toEqual([410, "cursor_expired"]);
    expect((await read(s, token, "")).status).toBe(200);
  });

  it("cannot skip changes that have expired", async () => {
    const s = await TestService.start(await newStore());
    const { owner, load } = await loaded(s);
    const { body } = await read(s, owner.token, "");
    await load("2024-05-17T13:00:00.000Z");
    await s.store.database.queries.update(changes).set({ changedAt: new Date(0) });
    await applyRetention(s.ctx);
    const { status, body: problem } = await read(s, owner.token, body.next_cursor);
    expect([status, problem.code]).toEqual([410, "cursor_expired"]);
  });

  it("has expired if more changes have followed than are kept for one account; cursors of other accounts remain valid", async () => {
    const most = 20_005;
    const s = await TestService.start(await newStore(), { changesPerAccount: most });
    const [owner, other] = [await s.manager(), await s.manager()];
    await earlierTransactionsEnded(s);
    const start = await read(s, owner.token, "");
    const others = await follow(s, other);
    const { queries } = s.store.database;
    const add = (account: number, first: number, count: number) =>
      queries.execute(sql`INSERT INTO changes (account_id, kind, object_id, xid, changed_at)
        SELECT ${account}::bigint, 'session', n, pg_current_xact_id(), ${s.clock.now()}
        FROM generate_series(${first}::bigint, ${first + count - 1}::bigint) AS n ORDER BY n`);
    await add(owner.id, 1, 5);
    await earlierTransactionsEnded(s);
    const early = await read(s, owner.token, start.body.next_cursor, 2);
    const late = await read(s, owner.token, start.body.next_cursor);
    await add(owner.id, 6, most);
    await add(other.id, 1, 3);
    const kept = and(eq(changes.accountId, owner.id), ne(changes.kind, PRUNED));
    for (const times of [1, 2]) {
      await applyRetention(s.ctx);
      expect(await queries.$count(changes, kept), `run ${times}`).toBe(most);
    }
    await earlierTransactionsEnded(s);
    for (const { body } of [start, early]) {
      const { status, body: problem } = await read(s, owner.token, body.next_cursor);
      expect([status, problem.code]).toEqual([410, "cursor_expired"]);
    }
    const { status, body } = await read(s, owner.token, late.body.next_cursor);
    expect([status, body.results[0].id, body.has_more]).toEqual([200, 6, true]);
    expect((await others()).map(({ id }) => id)).toEqual([1, 2, 3]);
    // The next removal moves the position.
    await add(owner.id, most + 6, 1);
    await applyRetention(s.ctx);
    expect((await read(s, owner.token, late.body.next_cursor)).body.code).toBe("cursor_expired");
    expect(await queries.$count(changes, eq(changes.kind, PRUNED))).toBe(1);
  });

  it("advances over a limited number of changes that its token cannot read", async ({ service: s }) => {
    const { owner, device, load } = await loaded(s);
    const token = await s.personalToken(owner, "samples:read");
    await earlierTransactionsEnded(s);
    const start = await read(s, token, "");
    await s.store.database.queries.execute(sql`
      INSERT INTO changes (account_id, kind, object_id, xid, changed_at)
      SELECT ${owner.id}::bigint, 'session', n, pg_current_xact_id(), ${s.clock.now()}
      FROM generate_series(1, 12000) AS n ORDER BY n`);
    await load("2024-05-17T13:00:00.000Z");
    await earlierTransactionsEnded(s);
    const pages = [await read(s, token, start.body.next_cursor)];
    while (pages.at(-1)?.body.has_more) pages.push(await read(s, token, pages.at(-1)?.body.next_cursor));
    expect(pages.map(({ body }) => body.results.map(({ id }: { id: number }) => id))).toEqual([
      [],
      [],
      [device.id],
    ]);
  });

  it("is refused if it was issued before a backup was restored", async () => {
    const s = await TestService.start(await newStore());
    const { owner } = await loaded(s);
    const { body } = await read(s, owner.token, "");
    const file = join(newScratchFolder(), "backup");
    await backup(s.store.database, file, newScratchFolder());
    await restore(s.store.database.queries, file);
    const { status, body: problem } = await read(s, owner.token, body.next_cursor);
    expect([status, problem.code]).toEqual([410, "history_replaced"]);
    const next = await follow(s, owner);
    expect(await next()).toEqual([]);
  });

  it("is refused if it belongs to another timeline of the database, and the changes of that timeline are deleted", async () => {
    const s = await TestService.start(await newStore());
    const { owner, load } = await loaded(s);
    const { body } = await read(s, owner.token, "");
    const { queries } = s.store.database;
    await queries.execute(sql`UPDATE change_epochs SET history = history || '0'`);
    const { status, body: problem } = await read(s, owner.token, body.next_cursor);
    expect([status, problem.code]).toEqual([410, "history_replaced"]);
    expect(await queries.$count(changes)).toBe(0);
    const next = await follow(s, owner);
    await load("2024-05-17T13:00:00.000Z");
    expect(await next()).toHaveLength(1);
  });

  it("is refused if it was not issued by the service", async ({ service: s }) => {
    const { token } = await s.manager();
    for (const cursor of ["x", Buffer.from("after:3").toString("base64url")])
      expect((await read(s, token, cursor)).status).toBe(400);
  });
});
