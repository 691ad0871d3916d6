/** The operator's commands on a service with a database of its own: lists and jobs are those of the tests of a file. */
import { desc } from "drizzle-orm";
import { afterAll, beforeAll } from "vitest";
import { type Arguments, type CommandName, commands, type Outcome } from "../src/operator/commands.js";
import { auditLog } from "../src/store/schema.js";
import { newStore, TestService } from "./service.js";

export let s: TestService;

export const OPERATOR = "root";

/** Starts a service before the tests of a file. */
export function withOperator(): void {
  beforeAll(async () => {
    s = await TestService.start(await newStore(), { webhookAllowPrivate: true, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await s.stop();
    await s.store.close();
  });
}

export const run = (name: CommandName, args: Arguments = {}): Promise<Outcome> =>
  commands[name]({ ...s.ctx, database: s.store.database, operator: OPERATOR }, args);

export const list = async (name: CommandName, args: Arguments = {}) =>
  (await run(name, args)).items as Record<string, unknown>[];

export const refusal = (name: CommandName, args: Arguments) =>
  run(name, args).then(
    () => "done",
    (error) => error.code as string,
  );

export const lastAudit = async () => {
  const [row] = await s.store.database.queries.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
  return row;
};
