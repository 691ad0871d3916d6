import { DrizzleQueryError } from "drizzle-orm";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { errorRecord, errorText } from "./error-record.js";

const SECRET = "ann@example.org";

/** Creates an error like those that the server sends. */
function databaseError(code: string, message: string): Error {
  const error = new pg.DatabaseError(message, 0, "error");
  return Object.assign(error, {
    severity: "ERROR",
    code,
    detail: `Key (email)=(${SECRET}) already exists.`,
    where: `JSON data, line 1: "${SECRET}"`,
    table: "accounts",
    constraint: "accounts_email",
    internalQuery: `SELECT '${SECRET}'`,
  });
}

const failedQuery = (cause: Error) =>
  new DrizzleQueryError(
    `insert into "accounts" ("email", "x") values ($1, 'it''s ${SECRET}') limit 4711`,
    [SECRET, `${SECRET}\n    at a.b (c.ts:1:1)`],
    cause,
  );

describe("the log of an error", () => {
  it("contains the text of a failed statement with placeholders, its kind and its location, but no values", () => {
    const record = errorRecord(
      failedQuery(databaseError("23505", "duplicate key value violates a constraint")),
    );
    expect(record).toMatchObject({
      type: "DrizzleQueryError",
      message: "The query failed.",
      statement: `insert into "accounts" ("email", "x") values ($1, ?) limit ?`,
      stack: expect.stringMatching(/^ {4}at /),
      cause: {
        code: "23505",
        message: "duplicate key value violates a constraint",
        table: "accounts",
        constraint: "accounts_email",
      },
    });
    expect(JSON.stringify(record)).not.toContain(SECRET);
  });

  it.each([
    [
      "a message of the database that quotes the value",
      databaseError("22P02", `invalid input syntax: "${SECRET}"`),
    ],
    ["a text that is not JSON", parseError()],
    [
      "a refused email",
      Object.assign(new Error(`550 no such user ${SECRET}`), { responseCode: 550, rejected: [SECRET] }),
    ],
    ["an unknown field", Object.assign(new Error("failed"), { client: { password: SECRET } })],
    [
      "causes of causes",
      new Error("one", { cause: new Error("two", { cause: failedQuery(new Error("three")) }) }),
    ],
    ["several at once", new AggregateError([failedQuery(new Error("one"))], "several")],
    ["a value that is not an error", SECRET],
  ])("contains no value: %s", (_name, error) => {
    expect(JSON.stringify(errorRecord(error))).not.toContain(SECRET);
    expect(errorText(error)).not.toContain(SECRET);
  });

  it("stops at circular causes", () => {
    const error = new Error("one");
    error.cause = error;
    expect(JSON.stringify(errorRecord(error)).length).toBeLessThan(100_000);
  });
});

function parseError(): unknown {
  try {
    return JSON.parse(`${SECRET}`);
  } catch (error) {
    return error;
  }
}
