import { sql as raw } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { accounts } from "../../store/schema.js";
import { envelope, matchesSearch, orderBy, paging, searchTerms } from "./listing.js";

describe("lists", () => {
  it("split a search at spaces and commas, except in quoted phrases", () => {
    expect(searchTerms(" left,\"red shoe\"  'a b' c, ")).toEqual(["left", "red shoe", "a b", "c"]);
    expect(searchTerms('" , "')).toEqual([" , "]);
    expect(searchTerms(" , ")).toEqual([]);
  });

  it("convert a row to lower case once for any number of search terms", () => {
    const terms = Array.from({ length: 20 }, (_, i) => `term${i}`).join(" ");
    const search = matchesSearch(terms, [accounts.username, accounts.email]);
    const { sql, params } = new PgDialect().sqlToQuery(search ?? raw``);
    expect(params).toHaveLength(20);
    for (const column of ["username", "email"]) expect(sql.split(`"${column}"`)).toHaveLength(2);
  });

  it("clamp a limit, and replace an invalid limit by the default", () => {
    expect(paging({})).toEqual({ page: 1, limit: 150 });
    expect(paging({ limit: "3001" }).limit).toBe(3000);
    expect(paging({ limit: "0" }).limit).toBe(150);
    expect(paging({ limit: "25001" }, { default: 10_000, max: 25_000 }).limit).toBe(25_000);
  });

  it("are ordered by each field once, in any letter case, and then by id", () => {
    const columns = { name: accounts.username, born: accounts.birthDate };
    const fields = (ordering?: string) => orderBy(ordering, columns, accounts.id).length;
    expect(fields()).toBe(1);
    expect(fields("name,-BORN")).toBe(3);
    expect(fields(Array.from({ length: 1_200 }, () => "name,-name,Name").join())).toBe(2);
    expect(fields("unknown,__proto__,name")).toBe(2);
  });

  it("link to neighbouring pages only if these contain results", () => {
    expect(envelope(0, { page: 1, limit: 2 }, [])).toMatchObject({ next: null, previous: null });
    expect(envelope(4, { page: 1, limit: 2 }, [1, 2])).toMatchObject({ next: 2, previous: null });
    expect(envelope(4, { page: 2, limit: 2 }, [3, 4])).toMatchObject({ next: null, previous: 1 });
  });
});
