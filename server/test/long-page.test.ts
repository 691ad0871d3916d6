/** Pages whose results hold megabytes each: `limit` may be 3000. */
import { expect, it } from "vitest";
import { listActivities } from "../src/domain/activities/list.js";
import { service } from "./service.js";
import { schemaId } from "./team.js";

const MIB = 1024 * 1024;
const ACTIVITIES = 30;

it("row 43: a page of large activities is read and written in pieces, and is whole and in order", async () => {
  const s = await service();
  const ann = await s.manager();
  const json_schema = await schemaId(s, "activity_soccer");
  const names = Array.from({ length: ACTIVITIES }, (_, n) => `n${String(n).padStart(2, "0")}`);
  for (const name of names) {
    const gpx = `<gpx>${name.repeat(MIB / name.length)}</gpx>`;
    const sent = { name, json: { sport: "soccer", gpx }, json_schema, owner: ann.id };
    expect((await s.post("/api/v1/activities/", sent, ann.token)).status).toBe(201);
  }

  const caller = {
    id: ann.id,
    role: "MANAGER" as const,
    username: ann.username,
    canCreateManagedAthletes: false,
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
