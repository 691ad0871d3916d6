import { Type } from "@sinclair/typebox";
import type { FastifyReply } from "fastify";
import { describe, expect, it } from "vitest";
import { JsonObject } from "../domain/activities/resource.js";
import { ordering } from "../wire/types.js";
import { tellIgnored } from "./ignored.js";

const query = Type.Object({
  limit: Type.Optional(Type.String()),
  ordering: ordering(["name", "birthdate"]),
  search: Type.Optional(Type.String()),
});
const body = Type.Object({
  name: Type.String(),
  json: JsonObject("Free"),
  profile: Type.Union([Type.Object({ city: Type.String() }), Type.Null()]),
  list: Type.Array(Type.Object({ id: Type.Number() })),
});

function ignoredOf(givenQuery: unknown, givenBody?: unknown): string | undefined {
  let told: string | undefined;
  const reply = {
    header: (_: string, value: string) => {
      told = value;
    },
  };
  tellIgnored(
    reply as unknown as FastifyReply,
    { schema: query, given: givenQuery },
    { schema: body, given: givenBody },
  );
  return told;
}

describe("ignored parts of a request", () => {
  it("are not reported if everything has an effect", () => {
    expect(ignoredOf({ limit: "25", search: "a" }, { name: "a", json: { free: 1 }, profile: null })).toBe(
      undefined,
    );
  });

  it("include unknown members on every level", () => {
    const given = { nickname: "x", profile: { city: "B", zip: 1 }, list: [{ id: 1 }, { id: 2, more: 3 }] };
    expect(ignoredOf({ colour: "red" }, given)).toBe("colour, nickname, profile.zip, list.1.more");
  });

  it("include a limit that is not a positive number", () => {
    for (const limit of ["abc", "0", "-5", "1.5"]) expect(ignoredOf({ limit })).toBe("limit");
    expect(ignoredOf({ limit: "" })).toBe(undefined);
  });

  it("include an ordering by a field that the list does not have", () => {
    for (const ordering of ["colour", "name,-colour", "id", "__proto__"])
      expect(ignoredOf({ ordering })).toBe("ordering");
    for (const ordering of ["", "-Name, birthdate", "name,"]) expect(ignoredOf({ ordering })).toBe(undefined);
  });

  it("are named in the header with escaped characters", () => {
    expect(ignoredOf({ "a\r\nX-Y: 1": "", "\ud800,": "" })).toBe("a%0D%0AX-Y%3A%201, %EF%BF%BD%2C");
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`n${n}`, ""]));
    expect(ignoredOf(many)?.split(", ")).toHaveLength(20);
  });
});
