import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { describe, expect, it } from "vitest";
import {
  CalendarDate,
  DateTime,
  DateTimeOut,
  Email,
  Id,
  OptionalOrNull,
  ordering,
  Page,
  Query,
  Text,
} from "./types.js";

const instant = new Date("2024-01-01T06:00:00.000Z");

describe("values of the API", () => {
  it.each([
    ["a text of one line, at most 150 characters", Text(), ["", "abc", "é 😀", "x".repeat(150)]],
    ["an id", Id(), [1, Number.MAX_SAFE_INTEGER]],
    ["an email address", Email(), ["a@b.ch", "a.b+c@d.e.example", "é@münchen.de"]],
    ["a date", CalendarDate(), ["1990-12-31", "2024-02-29"]],
    ["a date-time", DateTime(), ["2024-01-01T06:00:00.000Z", "2024-01-01 06:00"]],
    ["a text in a query", Query.text(""), ["", "abc", "x".repeat(1_000)]],
    ["a boolean in a query", Query.boolean(""), ["true", "False", "1", "0"]],
    ["an integer in a query", Query.integer(""), ["0", "-5", "+5", "9007199254740991"]],
    [
      "an instant in a query",
      Query.instant("", "2024-01-01T06:00:00.000Z"),
      ["1704088800000", "-1", "2024-01-01T06:00:00.000Z"],
    ],
    ["a date in a query", Query.date(""), ["1990-12-31"]],
  ])("%s is accepted", (_, schema, values) => {
    for (const value of values) expect(Value.Check(schema, value), String(value)).toBe(true);
  });

  it.each([
    ["a text of one line", Text(), ["a\nb", "\u0000", "\u0085", "\ud800", "x".repeat(151), null]],
    ["an id", Id(), [0, -1, 1.5, 2 ** 53, "1"]],
    [
      "an email address",
      Email(),
      [
        ...[
          "",
          "a",
          "a@b",
          "@b.ch",
          "a@.",
          "a@b.",
          "a@b.c@d.ch",
          "a b@c.ch",
          "a@b c.ch",
          "a@b.c h",
          "a\n@b.ch",
        ],
        ...["<a@b.ch>", "a,b@c.ch", "x a@b.ch", "a@b.ch x", `${"x".repeat(250)}@b.ch`],
      ],
    ],
    ["a date", CalendarDate(), ["1990-13-01", "2023-02-29", "now"]],
    ["a date-time", DateTime(), ["now", "2024-01-01", ""]],
    ["a text in a query", Query.text(""), ["a\tb", "x".repeat(1_001)]],
    ["a boolean in a query", Query.boolean(""), ["yes", "", "truex", "xtrue", "10"]],
    ["an integer in a query", Query.integer(""), ["1.5", "1e3", "", "x1", "1x", "++1", "9007199254740993"]],
    ["an instant in a query", Query.instant("", "2024-01-01T06:00:00.000Z"), ["soon", "1.5", ""]],
  ])("%s is not accepted", (_, schema, values) => {
    for (const value of values) expect(Value.Check(schema, value), JSON.stringify(value)).toBe(false);
  });

  it.each([
    { schema: DateTime(), value: "2024-01-01T07:00+01:00", meaning: instant },
    { schema: Query.dateTime(""), value: "20240101T060000Z", meaning: instant },
    {
      schema: Query.instant("", "2024-01-01T06:00:00.000Z"),
      value: "2024-01-01T06:00:00Z",
      meaning: instant.getTime(),
    },
    { schema: Query.instant("", "2024-01-01T06:00:00.000Z"), value: "-5", meaning: -5 },
    { schema: Query.boolean(""), value: "TRUE", meaning: true },
    { schema: Query.boolean(""), value: "1", meaning: true },
    { schema: Query.boolean(""), value: "false", meaning: false },
    { schema: Query.boolean(""), value: "0", meaning: false },
    { schema: Query.integer(""), value: "+5", meaning: 5 },
    { schema: Type.Object({ a: OptionalOrNull(Type.Integer()) }), value: { a: null }, meaning: {} },
    { schema: Type.Object({ a: OptionalOrNull(Type.Integer()) }), value: {}, meaning: {} },
    { schema: Type.Object({ a: OptionalOrNull(Type.Integer()) }), value: { a: 0 }, meaning: { a: 0 } },
  ])("$value is decoded to $meaning", ({ schema, value, meaning }) => {
    expect(Value.Decode(schema, value)).toEqual(meaning);
  });

  it("an optional member that is absent internally is null in the API", () => {
    const schema = OptionalOrNull(Type.Integer());
    expect([undefined, 0].map((value) => Value.Encode(schema, value))).toEqual([null, 0]);
  });

  it("a date-time in a response is a valid date-time", () => {
    expect(Value.Check(DateTimeOut(), "2024-01-01T06:00:00.000Z")).toBe(true);
    expect(Value.Check(DateTimeOut(), "now")).toBe(false);
  });

  it("a page of a list contains its number, the numbers of its neighbours, and the results", () => {
    const schema = Page(Type.Integer());
    const page = { count: 1, page: 1, next: null, previous: null, results: [5] };
    expect(Value.Check(schema, page)).toBe(true);
    for (const [name, value] of Object.entries({
      count: "1",
      page: null,
      next: "2",
      previous: "0",
      results: ["5"],
    })) {
      expect(Value.Check(schema, { ...page, [name]: value }), name).toBe(false);
    }
  });

  it("an ordering contains the fields by which a list can be ordered", () => {
    const { description, openapi } = ordering(["name", "id"]);
    expect(description).toMatch(/field to order by.*: name, id$/);
    expect(openapi).toEqual({ type: "string", example: "name" });
  });
});
