import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { auditLog } from "../src/store/schema.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let eve: TestAccount;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  eve = await s.athlete();
  ann = await s.manager({ manager_profile: { first_name: "Ann", last_name: "Ash" } });
});

const path = ({ id }: TestAccount) => `/api/v1/athletes/${id}/managers/`;

describe("an athlete who wants to grant permissions", () => {
  it("identifies a manager by number and username, and then sees the name", async () => {
    expect((await s.get(path(eve), eve.token)).body.results).toEqual([]);
    const wanted = { manager: ann.id, username: ann.username.toUpperCase() };
    const found = await s.post(path(eve), wanted, eve.token);
    const shown = { id: ann.id, username: ann.username, first_name: "Ann", last_name: "Ash" };
    expect([found.status, found.body]).toEqual([200, shown]);
    await s.post(path(eve), wanted, eve.token);
    expect((await s.get(path(eve), eve.token)).body).toMatchObject({ count: 1, results: [shown] });
    const audited = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.operation, "findManager"), eq(auditLog.accountId, eve.id)));
    expect(audited.map(({ after }) => after)).toEqual([{ managerId: ann.id }]);
  });

  it("gets the same response for every wrong pair, so nobody can enumerate accounts", async () => {
    const ida = await s.athlete();
    const bob = await s.manager();
    const answers = await Promise.all(
      [
        { manager: ann.id, username: bob.username },
        { manager: bob.id, username: ann.username },
        { manager: 999_999_999, username: ann.username },
        { manager: eve.id, username: eve.username },
        { manager: ann.id, username: `${ann.username}%` },
      ].map((pair) => s.post(path(ida), pair, ida.token)),
    );
    const told = ({ status, body, headers }: (typeof answers)[number]) => [
      status,
      body,
      headers.get("x-error-code"),
    ];
    const one = [
      400,
      { username: ["There is no manager with this number and username."] },
      "manager_not_found",
    ];
    expect(answers.map(told)).toEqual(answers.map(() => one));
    expect((await s.get(path(ida), ida.token)).body.count).toBe(0);
  });

  it("can try only a limited number of pairs", async () => {
    const ida = await s.athlete();
    const tries = Array.from({ length: 21 }, () =>
      s.post(path(ida), { manager: ann.id, username: "nobody" }, ida.token),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });
});
