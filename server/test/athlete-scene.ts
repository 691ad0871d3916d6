/** Managers and an athlete on the shared service. */
import { randomUUID } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { beforeAll } from "vitest";
import { auditLog, jobs } from "../src/store/schema.js";
import { managingManager } from "./people.js";
import { service, type TestAccount, type TestService } from "./service.js";

export let s: TestService;
/** May create managed athletes. */
export let ann: TestAccount;
export let bob: TestAccount;
export let eve: TestAccount;

export const email = "someone@example.org";
export const unique = () => `athlete-${randomUUID()}`;

/** The smallest PNG: one transparent pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export const managed = async (by: TestAccount, more: Record<string, unknown> = {}) => {
  const { status, body } = await s.post(
    "/api/v1/athletes/create-managed/",
    { managed_by: by.id, ...more },
    by.token,
  );
  if (status !== 201) throw new Error(`Not created: ${status} ${JSON.stringify(body)}`);
  return body as { id: number; username: string };
};

export const grant = (
  athlete: TestAccount,
  manager: TestAccount,
  permission: string,
  start: string,
  end: string,
) =>
  s.post(
    `/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`,
    { start_time: start, expiration_time: end, permission },
    athlete.token,
  );

export const mailsTo = (username: string) =>
  s.store.database.queries
    .select()
    .from(jobs)
    .where(and(eq(jobs.kind, "mail"), sql`${jobs.payload}->>'username' = ${username}`));

export const lastAudit = async (id: number) =>
  (
    await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "account"), eq(auditLog.entityId, id)))
      .orderBy(desc(auditLog.id))
      .limit(1)
  )[0];

/** Prepares two managers and an athlete before the tests of a file. */
export function withAthletes(): void {
  beforeAll(async () => {
    s = await service();
    ann = await managingManager();
    [bob, eve] = await Promise.all([s.manager(), s.athlete()]);
  });
}
