/** Tests that the number of finished jobs of an account is limited. */
import { and, asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { jobs } from "../src/store/schema.js";
import { startService, type TestService } from "./service.js";

const DAY_MS = 86_400_000;

const add = (s: TestService, rows: Partial<typeof jobs.$inferInsert>[]) =>
  s.store.database.queries.insert(jobs).values(
    rows.map((row, i) => ({
      jobId: `surplus-${row.chargedTo}-${row.kind}-${row.state}-${i}`,
      kind: "compute",
      state: "SUCCESS" as const,
      payload: {},
      details: { i },
      dueAt: s.clock.now(),
      createdAt: s.clock.now(),
      finishedAt: new Date(s.clock.now().getTime() - DAY_MS + i),
      ...row,
    })),
  );

describe("finished jobs", () => {
  it("are removed, oldest first, beyond the limit of an account and kind; other jobs and unfinished jobs remain", async () => {
    const s = await startService({ finishedJobsPerKind: 3 });
    const [ann, bob] = [(await s.manager()).id, (await s.manager()).id];
    const rows = (count: number, row: Partial<typeof jobs.$inferInsert>) =>
      Array.from({ length: count }, () => row);
    await add(s, rows(5, { chargedTo: ann, kind: "compute" }));
    await add(s, rows(4, { chargedTo: ann, kind: "derive", state: "FAILURE" }));
    await add(s, rows(3, { chargedTo: bob, kind: "compute" }));
    await add(s, rows(6, { chargedTo: bob, kind: "compute", state: "RETRY", finishedAt: null }));
    // These jobs ended at the same time.
    await add(
      s,
      rows(5, { chargedTo: bob, kind: "derive", finishedAt: new Date(s.clock.now().getTime() - DAY_MS) }),
    );
    let removed = 0;
    await applyRetention(s.ctx, {
      onRemoved: (kind, count) => {
        if (kind === "jobs") removed += count;
      },
    });
    const left = async (chargedTo: number, kind: string) =>
      (
        await s.store.database.queries
          .select({ details: jobs.details, state: jobs.state })
          .from(jobs)
          .where(and(eq(jobs.chargedTo, chargedTo), eq(jobs.kind, kind)))
          .orderBy(asc(jobs.id))
      ).map(({ details, state }) => `${state} ${details.i}`);
    expect(await left(ann, "compute")).toEqual(["SUCCESS 2", "SUCCESS 3", "SUCCESS 4"]);
    expect(await left(ann, "derive")).toEqual(["FAILURE 1", "FAILURE 2", "FAILURE 3"]);
    expect(await left(bob, "compute")).toHaveLength(9);
    expect(await left(bob, "derive")).toEqual(["SUCCESS 2", "SUCCESS 3", "SUCCESS 4"]);
    expect(removed).toBe(5);
    await applyRetention(s.ctx);
    expect(await left(ann, "compute")).toHaveLength(3);
  });
});
