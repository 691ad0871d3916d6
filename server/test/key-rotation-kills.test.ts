/** Kills the rotation of the keys that encrypt secrets while processes of the service run. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { MAIN, Processes, type RunningProcess } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

/** `npm test` kills one rotation. */
const KILLS = process.env.TEST_ALL_HISTORIES === "1" ? 3 : 1;
/** Number of encrypted calls per kill, which are many batches of a rotation. */
const PER_KILL = 7_000;

const isPostgres = process.env.TEST_DATABASE === "postgres";

// The test starts a dozen processes, each of which takes many seconds on a busy machine.
describe.runIf(isPostgres)("key rotate with several processes", { timeout: 600_000 }, () => {
  it("survives kill -9 at any time while two processes read and write secrets", async () => {
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
    const processes = await Processes.onNewDatabase({
      SERVER_KEY: oldKey ?? "",
      WEBHOOK_ALLOW_PRIVATE: "true",
    });
    const file = join(newScratchFolder(), "new.key");
    writeFileSync(file, newKey ?? "");
    const [first, second] = await Promise.all([
      processes.start("--role", "api"),
      processes.start("--role", "api"),
    ]);
    const ann = await processes.manager(first, "ann");
    const client = await processes.query();
    const { rows: schemas } = await client.query(
      "SELECT id FROM json_schemas WHERE name = 'activity_soccer'",
    );
    const { body: activity } = await first.send("POST", "/api/v1/activities/", ann.token, {
      name: "A match",
      json: { sport: "soccer" },
      json_schema: Number(schemas[0].id),
      owner: ann.id,
    });
    const path = `/api/v1/activities/${activity.id}/webhooks/`;
    const add = ({ send }: RunningProcess, secret_token: string) =>
      send("POST", path, ann.token, {
        webhook_url: "http://127.0.0.1:9/",
        secret_token,
        activity_events: false,
        timeframes_events: false,
      });
    expect((await add(first, "secret")).status).toBe(200);
    // Add many earlier calls.
    await client.query(`
      INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, created_at)
      SELECT 'msg_' || n, id, webhook_url, secret_token, 'test', '{}', 'delivered', now()
      FROM webhooks, generate_series(1, ${KILLS * PER_KILL}) AS n`);
    const readable = async (from: RunningProcess) => {
      const { status, body } = await from.send("GET", `${path}?limit=100`, ann.token);
      expect(status).toBe(200);
      return body.results.map(({ secret_token }: { secret_token: string }) => secret_token);
    };
    const left = async () =>
      Number(
        (await client.query("SELECT count(*) FROM webhook_deliveries WHERE secret_token NOT LIKE 'k1:%'"))
          .rows[0].count,
      );
    let hooks = 1;
    for (let kills = 0; kills < KILLS; kills++) {
      const before = await left();
      // The rotation waits for this row, so it cannot end before it is killed.
      await client.query(`
        BEGIN; SELECT FROM webhook_deliveries WHERE id =
          (SELECT id FROM webhook_deliveries ORDER BY id OFFSET ${(kills + 1) * PER_KILL - 1} LIMIT 1) FOR UPDATE`);
      const running = execFile(process.execPath, [MAIN, "key", "rotate", "--new-key", file], {
        env: { ...processes.env },
      });
      const over = new Promise((done) => running.once("exit", done));
      while ((await left()) === before) await sleep(1);
      expect(running.kill("SIGKILL")).toBe(true);
      await over;
      expect(await left()).toBeGreaterThan(0);
      await client.query("ROLLBACK");
      for (const one of [first, second]) expect(await readable(one)).toHaveLength(hooks);
      expect((await add(second, `secret ${hooks}`)).status).toBe(200);
      hooks++;
    }
    const outcome = await processes.command("key", "rotate", "--new-key", file);
    expect(outcome).toMatchObject({ key: 1, unreadable: 0, next: expect.stringContaining("key finish") });
    expect(await left()).toBe(0);

    const third = await processes.startWith({ SERVER_KEY: newKey ?? "" }, "--role", "api");
    expect(await readable(third)).toEqual(await readable(first));
    const finish = ["key", "finish"];
    expect(await processes.refusal(finish, { SERVER_KEY: newKey ?? "" })).toContain("Add --yes");
    finish.push("--yes");
    expect(await processes.refusal(finish)).toContain("restart it with the new SERVER_KEY");
    expect(await processes.refusal(finish, { SERVER_KEY: newKey ?? "" })).toBe("no refusal");
    expect(await processes.refusal(["serve", "--role", "api"])).toContain(
      "are encrypted with the server key",
    );
    const secrets = await client.query("SELECT count(DISTINCT server_key_id) FROM encryption_keys");
    expect(Number(secrets.rows[0].count)).toBe(1);
    await client.end();
  });
});
