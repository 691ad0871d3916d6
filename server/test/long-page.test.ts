/** Tests pages with megabytes of results: `limit` can be 3000. */
import { expect, it } from "vitest";
import { listActivities } from "../src/domain/activities/list.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";
import { schemaId } from "./team.js";

const MIB = 1024 * 1024;
const ACTIVITIES = 30;

/** Creates an activity with a course of 1 MiB. */
async function createLarge(s: TestService, ann: TestAccount, name: string): Promise<void> {
  const json_schema = await schemaId(s, "activity_soccer");
  const gpx = `<gpx>${name.repeat(MIB / name.length)}</gpx>`;
  const sent = { name, json: { sport: "soccer", gpx }, json_schema, owner: ann.id };
  expect((await s.post("/api/v1/activities/", sent, ann.token)).status).toBe(201);
}

it("a page of large activities is read and written in pieces, completely and in order", async () => {
  const s = await service();
  const ann = await s.manager();
  const names = Array.from({ length: ACTIVITIES }, (_, n) => `n${String(n).padStart(2, "0")}`);
  for (const name of names) await createLarge(s, ann, name);

  const caller = {
    id: ann.id,
    role: "MANAGER" as const,
    username: ann.username,
    canCreateManagedAthletes: false,
    scopes: null,
  };
  let pieces = 0;
  const page = await listActivities({ ...s.ctx, caller }, { ordering: "-name", limit: "3000" });
  let largest = 0;
  let text = "";
  for await (const piece of page.json()) {
    largest = Math.max(largest, piece.length);
    pieces += 1;
    text += piece;
  }
  expect(pieces).toBeGreaterThan(ACTIVITIES);
  expect(largest).toBeLessThan(1.1 * MIB);
  const { results, ...head } = JSON.parse(text);
  expect(head).toEqual({ count: ACTIVITIES, page: 1, next: null, previous: null });
  expect(results.map(({ name }: { name: string }) => name)).toEqual(names.toReversed());

  const answer = await s.get("/api/v1/activities/?ordering=-name&limit=3000", ann.token);
  expect(answer.body).toEqual(JSON.parse(text));
  const second = await s.get("/api/v1/activities/?ordering=-name&limit=20&page=2", ann.token);
  expect([second.body.previous, second.body.next, second.body.results]).toEqual([1, null, results.slice(20)]);
});

it("a page with too many bytes is refused with the number of results that fit; its counts and page numbers are unchanged", async () => {
  const s = await startService({ pageMaxBytes: 4 * MIB });
  const ann = await s.manager();
  for (const name of ["a", "b", "c", "d", "e"]) await createLarge(s, ann, name);
  const list = (query: string) => s.get(`/api/v1/activities/?${query}`, ann.token);
  const { status, headers, body } = await list("limit=3000");
  expect([status, headers.get("X-Error-Code"), body]).toEqual([
    400,
    "page_too_large",
    { limit: [`This page has more than ${4 * MIB} bytes. Request fewer results per page: 3 of these fit.`] },
  ]);
  const pages = [await list("limit=3"), await list("limit=3&page=2")].map((answer) => answer.body);
  expect(pages.map(({ count, page, next }) => [count, page, next])).toEqual([
    [5, 1, 2],
    [5, 2, null],
  ]);
  const names = pages.flatMap(({ results }) => results).map(({ name }: { name: string }) => name);
  expect(names).toEqual(["a", "b", "c", "d", "e"]);
  // One result is always sent, even if it exceeds the limit of the service.
  expect((await list("limit=1&page=5")).body.results).toHaveLength(1);
});
