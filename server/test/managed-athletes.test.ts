import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import {
  accounts,
  activities,
  computedData,
  jsonSchemas,
  permissions,
  timeframes,
} from "../src/store/schema.js";
import { unique, withAthletes } from "./athlete-scene.js";
import { managingManager } from "./people.js";
import type { TestAccount } from "./service.js";

const it = withAthletes();

describe("managed athletes", () => {
  it.for([
    ["its own path", "update-managed/"],
    ["the athlete's path", ""],
  ] as const)(
    "are updated by their manager on %s",
    async ([_, end], { athletes: { s, managed, ann, bob, eve, lastAudit } }) => {
      const { id, username } = await managed(ann, { athlete_profile: { first_name: "Max", weight: 70 } });
      const path = `/api/v1/athletes/${id}/${end}`;
      const send = (method: string, json: unknown, by = ann, query = "") =>
        s.send(method, path + query, { token: by.token, json });
      const patched = await send("PATCH", { athlete_profile: { last_name: "May" }, username: "x", email: 3 });
      expect(patched.status).toBe(201);
      expect(patched.headers.get("deprecation")).toBe("@1704067200");
      expect(patched.body).toMatchObject({
        username,
        email: "",
        athlete_profile: { first_name: "Max", last_name: "May", weight: 70 },
      });
      expect((await send("PUT", patched.body)).body).toEqual(patched.body);
      expect((await send("PUT", { external_id: "x" })).body).toEqual({
        managed_by: ["This field is required."],
      });
      const external_id = unique();
      const replaced = await send("PUT", { managed_by: ann.id, external_id });
      expect(replaced.status).toBe(201);
      expect(replaced.body).toMatchObject({
        external_id,
        managed_by: ann.id,
        athlete_profile: { weight: 70 },
      });
      expect((await send("PUT", { managed_by: bob.id })).status).toBe(403);
      expect((await send("PATCH", { managed_by: bob.id })).status).toBe(403);
      expect((await send("PATCH", {}, ann, "?is_managed=false")).status).toBe(404);
      expect((await send("PUT", { managed_by: ann.id }, bob)).status).toBe(403);
      expect((await send("PUT", { managed_by: eve.id }, eve)).status).toBe(403);
      expect(await lastAudit(id)).toMatchObject({ operation: "updateManagedAthlete", accountId: ann.id });
    },
  );

  it("cannot be updated by a manager without the right, and athletes who manage themselves cannot be updated by anyone else", async ({
    athletes: { s, managed, eve, ann },
  }) => {
    const carl = await managingManager();
    const { id } = await managed(carl);
    await s.store.database.queries
      .update(accounts)
      .set({ canCreateManagedAthletes: false })
      .where(eq(accounts.id, carl.id));
    for (const end of ["update-managed/", ""]) {
      const update = (of: number, by: TestAccount) =>
        s.send("PUT", `/api/v1/athletes/${of}/${end}`, { token: by.token, json: { managed_by: by.id } });
      expect((await update(id, carl)).status).toBe(403);
      expect((await update(eve.id, ann)).status).toBe(403);
      expect((await update(999999999, ann)).status).toBe(404);
    }
  });

  it.for([
    ["its own path", "delete-managed/"],
    ["the athlete's path", ""],
  ] as const)(
    "are deleted by their manager on %s, with or without the right to create athletes",
    async ([_, end], { athletes: { s, bob, eve } }) => {
      const carl = await s.manager({}, "?create_default_athlete=true");
      const [{ id }] = (await s.get("/api/v1/athletes/", carl.token)).body.results;
      const remove = (by: TestAccount, query = "") =>
        s.send("DELETE", `/api/v1/athletes/${id}/${end}${query}`, { token: by.token });
      expect((await remove(bob)).status).toBe(403);
      expect((await remove(eve)).status).toBe(403);
      expect((await remove(carl, "?is_managed=false")).status).toBe(404);
      const done = await remove(carl);
      expect([done.status, done.body, done.headers.get("deprecation")]).toEqual([204, "", "@1704067200"]);
      expect((await remove(carl)).status).toBe(404);
      expect((await s.get(`/api/v1/athletes/?managed_by=${carl.id}`, carl.token)).body.count).toBe(0);
    },
  );
});

describe("deleting an athlete", () => {
  it("also deletes permissions, tokens, time frames and their computed data", async ({
    athletes: { s, grant, bob, eve, lastAudit },
  }) => {
    const fay = await s.athlete();
    const path = `/api/v1/athletes/${fay.id}/`;
    await grant(fay, bob, "READ", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    const { queries } = s.store.database;
    const device = await s.ownedDevice(bob);
    const [schema] = await queries.select().from(jsonSchemas).limit(1);
    const jsonSchemaId = schema?.id ?? 0;
    const now = new Date();
    const [activity] = await queries
      .insert(activities)
      .values({ name: "Match", json: {}, jsonSchemaId, ownerId: bob.id, createdAt: now })
      .returning();
    const frame = (athleteId: number) => ({
      startTime: now,
      endTime: new Date(now.getTime() + 1000),
      params: {},
      deviceId: device.id,
      activityId: activity?.id ?? 0,
      athleteId,
      ownerId: bob.id,
      jsonSchemaId,
      assignedAt: now,
    });
    const frames = await queries
      .insert(timeframes)
      .values([frame(fay.id), frame(eve.id)])
      .returning();
    const [gone, kept] = frames.map(({ id }) => id);
    await queries.insert(computedData).values(
      [gone, kept].map((timeframeId = 0) => ({
        timeframeId,
        timeframeVersion: 1,
        dataVersion: 1,
        rulesVersion: 1,
        data: "{}",
        further: "{}",
        computedAt: now,
      })),
    );

    expect((await s.send("DELETE", path, { token: bob.token })).status).toBe(403);
    expect((await s.send("DELETE", path, { token: eve.token })).status).toBe(403);
    expect((await s.send("DELETE", `${path}?is_managed=1`, { token: fay.token })).status).toBe(404);
    const stale = { token: fay.token, headers: { "If-Match": '"other"' } };
    expect((await s.send("DELETE", path, stale)).status).toBe(412);
    const done = await s.send("DELETE", path, { token: fay.token });
    expect([done.status, done.headers.get("deprecation")]).toEqual([204, "@1704067200"]);

    expect((await s.get("/api/v1/account/", fay.token)).status).toBe(403);
    await expect(s.logIn(fay.username, fay.password)).rejects.toThrow("invalid_grant");
    expect((await s.get(path, bob.token)).status).toBe(404);
    expect(await queries.select().from(accounts).where(eq(accounts.id, fay.id))).toEqual([]);
    expect(await queries.select().from(permissions).where(eq(permissions.athleteId, fay.id))).toEqual([]);
    const left = await queries
      .select({ id: timeframes.id, computed: computedData.timeframeId })
      .from(timeframes)
      .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(eq(timeframes.activityId, activity?.id ?? 0));
    expect(left).toEqual([{ id: kept, computed: kept }]);
    expect(
      await queries
        .select()
        .from(computedData)
        .where(eq(computedData.timeframeId, gone ?? 0)),
    ).toEqual([]);
    expect(await lastAudit(fay.id)).toMatchObject({
      operation: "deleteAthlete",
      accountId: fay.id,
      before: null,
      after: null,
    });
  });
});
