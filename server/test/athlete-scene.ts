/** Managers and an athlete on the shared service. */
import { randomUUID } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { auditLog, jobs } from "../src/store/schema.js";
import { withSharedService } from "./file-service.js";
import { managingManager } from "./people.js";
import type { TestAccount, TestService } from "./service.js";

export const email = "someone@example.org";
export const unique = () => `athlete-${randomUUID()}`;

/** The smallest PNG: one transparent pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

async function athletesOn(s: TestService) {
  /** A manager who may create managed athletes. */
  const ann = await managingManager({}, "", s);
  const [bob, eve] = await Promise.all([s.manager(), s.athlete()]);

  const managed = async (by: TestAccount, more: Record<string, unknown> = {}) => {
    const { status, body } = await s.post(
      "/api/v1/athletes/create-managed/",
      { managed_by: by.id, ...more },
      by.token,
    );
    if (status !== 201) throw new Error(`Not created: ${status} ${JSON.stringify(body)}`);
    return body as { id: number; username: string };
  };

  const grant = (
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

  const mailsTo = (username: string) =>
    s.store.database.queries
      .select()
      .from(jobs)
      .where(and(eq(jobs.kind, "mail"), sql`${jobs.payload}->>'username' = ${username}`));

  const lastAudit = async (id: number) =>
    (
      await s.store.database.queries
        .select()
        .from(auditLog)
        .where(and(eq(auditLog.entity, "account"), eq(auditLog.entityId, id)))
        .orderBy(desc(auditLog.id))
        .limit(1)
    )[0];

  return { s, ann, bob, eve, managed, grant, mailsTo, lastAudit };
}

/** Creates an `it` for a file with a service, two managers and an athlete. */
export const withAthletes = () =>
  withSharedService().extend("athletes", { scope: "file" }, ({ service }) => athletesOn(service));
