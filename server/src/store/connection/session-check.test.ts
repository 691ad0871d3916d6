import type pg from "pg";
import { expect, it } from "vitest";
import { requirePreparedStatements } from "./session-check.js";

/**
 * Creates a pool behind a pooler that does not keep prepared statements.
 * @param sessionOf number of the session for each statement, in order; the last one repeats
 */
function poolBehind(sessionOf: readonly number[]): pg.Pool {
  const sessions = new Map<number, Map<string, string>>();
  let statements = 0;
  const connect = async () => {
    const prepared = new Set<string>();
    return {
      release: () => undefined,
      async query({ name, text }: { name: string; text: string }) {
        const session = sessionOf[Math.min(statements++, sessionOf.length - 1)] ?? 0;
        const known = sessions.get(session) ?? new Map<string, string>();
        sessions.set(session, known);
        if (prepared.has(name) !== known.has(name))
          throw Object.assign(new Error("mixed up"), { code: known.has(name) ? "42P05" : "26000" });
        if (!prepared.has(name)) known.set(name, text);
        prepared.add(name);
        return { rows: [{ of: /'(.)'/.exec(known.get(name) ?? "")?.[1] }] };
      },
    };
  };
  return { connect } as unknown as pg.Pool;
}

it.each([
  ["one session for both connections", [1, 1]],
  ["a session that no connection has prepared", [1, 2, 3]],
  ["the session of the other connection", [1, 2, 1, 2]],
  ["the session of the other connection, after each has kept its own for a while", [1, 2, 2, 1, 2]],
])("a pooler that does not keep prepared statements is detected by %s", async (_, sessionOf) => {
  await expect(requirePreparedStatements(poolBehind(sessionOf))).rejects.toThrow(
    "does not keep prepared statements",
  );
});

it("two connections that keep their sessions are accepted", async () => {
  await requirePreparedStatements(poolBehind([1, 2, 2, 1, 1, 2, 2, 1]));
});
