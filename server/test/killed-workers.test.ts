/** Tests workers that are killed during a job. */
import { afterEach, describe, expect, it } from "vitest";
import { Processes, type RunningProcess } from "./processes.js";
import { answer, type Receiver, startReceiver } from "./receiver.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";
const SETTINGS = {
  JOB_LEASE_MS: "2000",
  JOB_POLL_MS: "200",
  WEBHOOK_ALLOW_PRIVATE: "true",
  WEBHOOK_TIMEOUT_MS: "45000",
};

let receiver: Receiver | undefined;

afterEach(() => receiver?.stop());

/** Creates a webhook for a new activity. @returns a function that changes the activity and thus calls the webhook */
async function webhookOf(processes: Processes, on: RunningProcess, url: string) {
  const { id, token } = await processes.manager(on, `ann-${Date.now()}`);
  const schemas = await on.send("GET", "/api/v1/json-schemas/?type=1", token);
  const schema = schemas.body.results.find(({ name }: { name: string }) => name === "activity_soccer");
  const { body: activity } = await on.send("POST", "/api/v1/activities/", token, {
    name: "A match",
    json: { sport: "soccer" },
    json_schema: schema.id,
    owner: id,
  });
  const path = `/api/v1/activities/${activity.id}/`;
  const hook = { webhook_url: url, secret_token: "secret", activity_events: true, timeframes_events: true };
  expect((await on.send("POST", `${path}webhooks/`, token, hook)).status).toBe(200);
  return async (through: RunningProcess, name: string) => {
    expect((await through.send("PATCH", path, token, { name })).status).toBe(200);
  };
}

describe("a worker that is killed", { timeout: 120_000 }, () => {
  it("leaves its jobs to the next worker when their leases expire", async () => {
    const hook = await startReceiver();
    receiver = hook;
    const processes = await Processes.onNewDatabase(SETTINGS);
    const first = await processes.start();
    const other = isPostgres ? await processes.start() : undefined;
    const change = await webhookOf(processes, first, hook.url);
    hook.behaviour = () => undefined;
    await change(first, "Renamed");
    await expect.poll(() => hook.received.length).toBe(1);
    hook.behaviour = answer(204);
    // On PostgreSQL, the remaining worker takes over the job; on the embedded database, the next process does.
    await first.kill();
    if (other !== undefined) await other.kill();
    await processes.start();
    await expect.poll(() => hook.received.length).toBe(2);
  });

  it.runIf(isPostgres)("loses no job and repeats no finished job when it is killed repeatedly", async () => {
    const hook = await startReceiver();
    receiver = hook;
    const processes = await Processes.onNewDatabase(SETTINGS);
    const api = await processes.start("--role", "api");
    const change = await webhookOf(processes, api, hook.url);
    const KILLS = 4;
    const CHANGES_PER_KILL = 15;
    let worker = await processes.start();
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = hook.received.length;
      hook.behaviour = () => undefined;
      await change(api, `name ${kills}`);
      await expect.poll(() => hook.received.length).toBeGreaterThan(before);
      // This worker is killed while it waits for a response; until then, both workers run the jobs for the other changes.
      hook.behaviour = answer(204);
      const next = await processes.start();
      for (let index = 1; index < CHANGES_PER_KILL; index += 1) {
        await change(api, `name ${kills} ${index}`);
      }
      await worker.kill();
      worker = next;
    }
    const client = await processes.query();
    try {
      const counted = async (condition: string) =>
        (await client.query(`SELECT count(*)::int AS n FROM ${condition}`)).rows[0].n as number;
      await expect
        .poll(() => counted("jobs WHERE state <> 'SUCCESS' AND kind = 'webhook'"), { timeout: 60_000 })
        .toBe(0);
      // Identical waiting events are merged, so there are at most as many deliveries as changes.
      expect(await counted("webhook_deliveries WHERE state <> 'delivered'")).toBe(0);
      expect(await counted("webhook_deliveries")).toBe(await counted("jobs WHERE kind = 'webhook'"));
      const { rows } = await client.query(
        "SELECT sum(losses)::int AS losses FROM jobs WHERE kind = 'webhook'",
      );
      const ids = hook.received.map(({ headers }) => String(headers["webhook-id"]));
      expect(rows[0].losses).toBeGreaterThanOrEqual(KILLS);
      // A call is repeated only if a worker was killed during it.
      expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(rows[0].losses);
    } finally {
      await client.end();
    }
  });
});
