/**
 * Provides operator commands on a service with a separate database, so that lists and jobs contain only data from the tests in
 * this file.
 */
import { desc } from "drizzle-orm";
import { type Arguments, type CommandName, commands, type Outcome } from "../src/operator/commands.js";
import { auditLog } from "../src/store/schema.js";
import { withOwnService } from "./file-service.js";
import type { TestService } from "./service.js";

export const OPERATOR = "root";

function commandsOn(s: TestService) {
  const run = (name: CommandName, args: Arguments = {}): Promise<Outcome> =>
    commands[name]({ ...s.ctx, database: s.store.database, operator: OPERATOR }, args);

  return {
    s,
    run,

    list: async (name: CommandName, args: Arguments = {}) =>
      (await run(name, args)).items as Record<string, unknown>[],

    refusal: (name: CommandName, args: Arguments) =>
      run(name, args).then(
        () => "done",
        (error) => error.code as string,
      ),

    async lastAudit() {
      const [row] = await s.store.database.queries
        .select()
        .from(auditLog)
        .orderBy(desc(auditLog.id))
        .limit(1);
      return row;
    },
  };
}

/** Creates an `it` for a file with a service and operator commands. */
export const withOperator = () =>
  withOwnService({ webhookAllowPrivate: true, host: "127.0.0.1" }).extend(
    "operator",
    { scope: "file" },
    ({ service }) => commandsOn(service),
  );
