/** Kills the service between the commit of a change and the delivery of its event. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { stopAfterTest } from "../cleanup.js";
import { Processes, type RunningProcess } from "../processes.js";
import { type Received, type Receiver, startReceiver } from "../receiver.js";

const KILLS = Number(process.env.WEBHOOK_KILLS ?? 50);
/** Use a short lease, because the delivery of a killed worker must restart during the test. */
const LEASE_MS = 3_000;
/** All deliveries finish after the last lease has expired; the rest is a reserve for a busy machine. */
const PATIENCE_MS = LEASE_MS + 60_000;

const idOf = ({ headers }: Received) => String(headers["webhook-id"]);

/** Creates one activity with a webhook per kill, because identical waiting events are merged. */
async function prepare(processes: Processes, running: RunningProcess, receiver: Receiver) {
  const { id, token } = await processes.manager(running, "ann");
  const activities: { path: string; log: string }[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const activity = await running.send("POST", "/api/v1/activities/", token, {
      name: "A ride",
      json: { sport: "biking" },
      // The first installed schema.
      json_schema: 1,
      owner: id,
    });
    expect([activity.status, activity.body]).toEqual([201, expect.anything()]);
    const path = `/api/v1/activities/${activity.body.id}/`;
    const webhook = await running.send("POST", `${path}webhooks/`, token, {
      webhook_url: receiver.url,
      secret_token: "secret",
      activity_events: true,
      timeframes_events: true,
    });
    expect(webhook.status).toBe(200);
    activities.push({ path, log: `${path}webhooks/${webhook.body.id}/deliveries/` });
  }
  return { token, activities };
}

it(`every event arrives if the service is killed ${KILLS} times between the change and the delivery`, async () => {
  const processes = await Processes.onNewDatabase({
    WEBHOOK_ALLOW_PRIVATE: "true",
    JOB_POLL_MS: "200",
    JOB_LEASE_MS: String(LEASE_MS),
  });
  const receiver = await startReceiver();
  stopAfterTest(() => receiver.stop());
  let running = await processes.start();
  const { token, activities } = await prepare(processes, running, receiver);
  /** Ids of events that the receiver has acknowledged. */
  const acknowledged = new Set<string>();
  let holds = false;
  receiver.behaviour = (response) => {
    // The receiver has the event, but the service gets no response.
    if (holds) return;
    const last = receiver.received.at(-1);
    response.writeHead(204).end();
    if (last !== undefined) acknowledged.add(idOf(last));
  };
  let killedBefore = 0;
  for (const [kill, { path }] of activities.entries()) {
    holds = kill % 3 === 1;
    const before = receiver.received.length;
    const changed = await running.send("PATCH", path, token, { name: `Change ${kill}` });
    expect(changed.status).toBe(200);
    if (holds) await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(before);
    if (kill % 3 === 2) await sleep(Math.random() * 20);
    await running.kill();
    if (acknowledged.size < kill + 1) killedBefore += 1;
    holds = false;
    running = await processes.start();
  }
  const ids = new Set<string>();
  const undelivered = new Map(activities.map(({ path, log }) => [path, log]));
  const read = async () => {
    for (const [path, log] of undelivered) {
      const { results } = (await running.send("GET", log, token)).body;
      expect(results).toHaveLength(1);
      if (results[0].state !== "delivered") continue;
      ids.add(results[0].message_id);
      undelivered.delete(path);
    }
    return [...undelivered.keys()];
  };
  await expect.poll(read, { timeout: PATIENCE_MS, interval: 250 }).toEqual([]);
  expect(ids.size).toBe(KILLS);
  expect([...ids].filter((id) => !acknowledged.has(id))).toEqual([]);
  // If most kills came too late, this test would prove nothing.
  expect(killedBefore).toBeGreaterThan(KILLS / 4);
});
