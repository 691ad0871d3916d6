/** Tests the effects of operator commands on jobs and webhooks, as seen by users. */
import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { jobs, webhookDeliveries } from "../src/store/schema.js";
import { startMailServer } from "./mail-server.js";
import { OPERATOR, withOperator } from "./operator-scene.js";
import { type TestAccount, TestService } from "./service.js";
import { newActivity, Team } from "./team.js";

const it = withOperator();

describe("job list, retry and revoke", () => {
  it("list jobs without their content, and immediately run a job that waits for its next attempt", async ({
    operator: { s, list, run, lastAudit, refusal },
  }) => {
    const server = await startMailServer();
    const at = await TestService.start(s.store, { smtpUrl: server.url });
    server.refuses = true;
    const ann = await at.manager();
    await at.runJobs();
    const [failing] = await list("job list", { state: "RETRY", kind: "mail", account: undefined });
    expect(failing).toMatchObject({
      kind: "mail",
      state: "RETRY",
      failures: 1,
      due: expect.any(String),
      finished: null,
    });
    expect(JSON.stringify(failing)).not.toContain(ann.username);
    server.refuses = false;
    await at.runJobs();
    expect(server.mails).toHaveLength(0);
    const jobId = String(failing?.job_id);
    expect(await run("job retry", { jobId })).toEqual({ job_id: jobId, kind: "mail", state: "RETRY" });
    expect(await lastAudit()).toMatchObject({ operation: "job retry", operator: OPERATOR, entity: "job" });
    await at.runJobs();
    expect(server.mails).toHaveLength(1);
    expect(await refusal("job retry", { jobId })).toBe("job_not_retriable");
    expect(await refusal("job retry", { jobId: "job-none" })).toBe("not_found");
  });

  it("run a failed computation again, but no other failed job, because the content of the others was erased", async ({
    operator: { s, refusal, run, list },
  }) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 10);
    const { queries } = s.store.database;
    await s.runJobs();
    const failed = async (kind: string, payload: object) => {
      const jobId = `job-${randomUUID()}`;
      await transact(s.ctx, "test", async (unit) => {
        const job = await unit.enqueue({
          kind: "compute",
          payload: { ...payload },
          chargedTo: team.manager.id,
        });
        await unit.queries
          .update(jobs)
          .set({ jobId, kind, failures: 1000 })
          .where(eq(jobs.id, job?.id ?? 0));
      });
      return jobId;
    };
    // An invalid number makes the computation fail repeatedly, until the job fails.
    const broken = await failed("compute", { timeframe: "x" });
    await s.runJobs();
    const [row] = await queries.select().from(jobs).where(eq(jobs.jobId, broken));
    expect(row).toMatchObject({ state: "FAILURE", payload: {}, details: { code: "failed", timeframe: "x" } });
    expect(await refusal("job retry", { jobId: broken })).toBe("job_not_retriable");
    await queries
      .update(jobs)
      .set({ details: { code: "failed", timeframe: frame } })
      .where(eq(jobs.jobId, broken));
    expect(await run("job retry", { jobId: broken })).toMatchObject({ state: "PENDING" });
    await s.runJobs();
    expect(
      (await list("job list", { kind: "compute", state: "SUCCESS" })).map(({ job_id }) => job_id),
    ).toContain(broken);
    const lost = await failed("bulk-load", { device: team.device.id, manager: team.manager.id });
    await s.runJobs();
    expect(await refusal("job retry", { jobId: lost })).toBe("job_not_retriable");
  });

  it("revoke a waiting job with its content, and a webhook call with its delivery", async ({
    operator: { s, list, run, refusal },
  }) => {
    const ann = await s.manager();
    await s.runJobs();
    await s.post("/api/v1/account/request-password-reset/", { username: ann.username });
    const [mail] = await list("job list", { kind: "mail", state: "PENDING" });
    const jobId = String(mail?.job_id);
    expect(await run("job revoke", { jobId })).toEqual({
      job_id: jobId,
      kind: "mail",
      was: "PENDING",
      state: "REVOKED",
    });
    const [row] = await s.store.database.queries.select().from(jobs).where(eq(jobs.jobId, jobId));
    expect(row).toMatchObject({
      state: "REVOKED",
      payload: {},
      finishedAt: expect.any(Date),
      leaseToken: null,
    });
    expect(await refusal("job revoke", { jobId })).toBe("job_ended");

    const { id } = await webhookOf(s, ann, "http://127.0.0.1:9/hook");
    const [call] = await list("job list", { kind: "webhook", account: ann.username });
    await run("job revoke", { jobId: String(call?.job_id) });
    const [delivery] = await s.store.database.queries
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, id));
    expect(delivery).toMatchObject({
      state: "failed",
      response: "Not sent: the operator of the service has revoked the job.",
    });
  });

  it("revoke a running job, whose later results are not recorded", async ({ operator: { s, list, run } }) => {
    const server = await startMailServer();
    const at = await TestService.start(s.store, { smtpUrl: server.url });
    await s.runJobs();
    const release = server.hold({ refuses: true });
    await at.manager();
    const done = at.runJobs();
    await expect.poll(() => server.held()).toBe(1);
    const [running] = await list("job list", { state: "STARTED" });
    const jobId = String(running?.job_id);
    expect(await run("job revoke", { jobId })).toMatchObject({ was: "STARTED", state: "REVOKED" });
    release();
    await done;
    expect(await list("job list", { state: "REVOKED" })).toContainEqual(
      expect.objectContaining({ job_id: jobId, failures: 0, code: "revoked" }),
    );
  });
});

/** Creates a webhook for an account, and a waiting delivery. */
async function webhookOf(
  s: TestService,
  owner: TestAccount,
  webhook_url: string,
): Promise<{ id: number; path: string }> {
  const activity = await newActivity(s, owner);
  const path = `/api/v1/activities/${activity}/webhooks/`;
  const body = { webhook_url, secret_token: "sesame", activity_events: true, timeframes_events: true };
  const { id } = (await s.post(path, body, owner.token)).body;
  await s.post(`${path}${id}/test/`, undefined, owner.token);
  return { id, path: `${path}${id}/` };
}

describe("webhook list and disable", () => {
  it("list webhooks without their secrets, and stop a webhook with all its calls until its owner updates it", async ({
    operator: { s, list, run, lastAudit, refusal },
  }) => {
    const ann = await s.manager();
    const { id, path } = await webhookOf(s, ann, "http://127.0.0.1:9/stop");
    const [row] = await list("webhook list", { account: ann.username });
    expect(row).toMatchObject({ id, owner: ann.username, url: "http://127.0.0.1:9/stop", disabled: null });
    expect(JSON.stringify(row)).not.toContain("secret");
    expect(await run("webhook disable", { id: String(id) })).toEqual({ id, disabled: expect.any(String) });
    expect(await lastAudit()).toMatchObject({
      operation: "webhook disable",
      operator: OPERATOR,
      entity: "webhook",
      before: { disabledAt: null, secretToken: "***" },
    });
    const deliveries = (await s.get(`${path}deliveries/`, ann.token)).body.results;
    expect(deliveries).toMatchObject([{ state: "failed", response: expect.stringContaining("operator") }]);
    expect(await list("job list", { kind: "webhook", state: "PENDING", account: ann.username })).toEqual([]);
    expect((await list("webhook list", { disabled: true })).map((webhook) => webhook.id)).toContain(id);
    await s.send("PATCH", path, { token: ann.token, json: { activity_events: false } });
    expect(await list("webhook list", { account: ann.username })).toMatchObject([{ disabled: null }]);
    const refused = ["999999", "x", "0"].map((wrong) => refusal("webhook disable", { id: wrong }));
    expect(await Promise.all(refused)).toEqual(["not_found", "invalid", "invalid"]);
  });
});
