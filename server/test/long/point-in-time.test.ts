/** Tests the runbook in docs/operating.md: a base backup and the archived log restore the state before a mistake. */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/operator/commands.js";
import { openStore } from "../../src/store/open.js";
import { stopAfterTest } from "../cleanup.js";
import { OLDEST_PROGRAMS, type PostgresServer, startPostgres } from "../postgres.js";
import { timesFrom, walk } from "../recordings.js";
import { newScratchFolder } from "../scratch.js";
import { type TestAccount, type TestDevice, TestService } from "../service.js";
import { testConfig } from "../test-config.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

const START = "2024-06-01T10:00:00.000Z";
const [first = 0, last = 0] = [timesFrom(START, 600)[0], timesFrom(START, 600).at(-1)];

/** Creates a folder for the base backup and the archived log that the server can write. */
function archiveOf(as: PostgresServer["as"]): string {
  const archive = mkdtempSync(join(tmpdir(), "asi-archive-"));
  stopAfterTest(async () => rmSync(archive, { recursive: true, force: true }));
  mkdirSync(join(archive, "wal"));
  for (const folder of [archive, join(archive, "wal")])
    if (as.uid !== undefined) chownSync(folder, as.uid, as.gid ?? as.uid);
  return archive;
}

async function serviceOn(url: string, erasureList: string): Promise<TestService> {
  const settings = { databaseUrl: `${url}postgres`, erasureList };
  const store = await openStore(testConfig(settings));
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= store.close();
    return closed;
  };
  stopAfterTest(close);
  return TestService.start({ ...store, close }, settings);
}

const countOf = async (s: TestService, device: TestDevice, by: TestAccount) => {
  const token = await s.logIn(by.username, by.password);
  const { body } = await s.get(`/api/v1/devices/${device.id}/raw-data/?start=${first}&stop=${last}`, token);
  return body.count;
};

async function untilPromoted(url: string): Promise<void> {
  for (let isRecovering = true; isRecovering; await sleep(100)) {
    const client = new pg.Client(`${url}postgres`);
    await client.connect();
    const { rows } = await client.query("SELECT pg_is_in_recovery() AS waits");
    await client.end();
    isRecovering = rows[0].waits;
  }
}

describe.runIf(isPostgres)("a base backup and the archived log", () => {
  it("restore the state before a mistake without erased people, and accept new rows", async () => {
    const files = newScratchFolder();
    chmodSync(files, 0o755);
    const server = await startPostgres({
      ...(OLDEST_PROGRAMS === undefined ? {} : { programs: OLDEST_PROGRAMS }),
      durable: true,
      settings: ["archive_mode=on"],
    });
    stopAfterTest(() => server.stop());
    const archive = archiveOf(server.as);
    const erasureList = join(files, "erasures.jsonl");
    const s = await serviceOn(server.url, erasureList);
    // Operators usually set this in postgresql.conf, but the test does not know the folder earlier.
    const command = `test ! -f ${archive}/wal/%f && cp %p ${archive}/wal/%f`;
    await s.store.database.pool.query(`ALTER SYSTEM SET archive_command = '${command}'`);
    await s.store.database.pool.query("SELECT pg_reload_conf()");
    const ann = await s.manager();
    const device = await s.longOwned(ann);

    const { port } = new URL(server.url);
    const base = join(archive, "base");
    server.program("pg_basebackup", [
      "-h",
      "127.0.0.1",
      "-p",
      port,
      "-U",
      "postgres",
      "-D",
      base,
      "--checkpoint=fast",
    ]);

    await s.load(device, ann, await walk(device.serial_number, START, 600));
    const eve = await s.athlete();
    expect(await countOf(s, device, ann)).toBe(600);
    const { rows } = await s.store.database.pool.query("SELECT clock_timestamp()::text AS moment");
    await sleep(1_100);
    await commands["athlete erase"](s.ctx, { id: String(eve.id), yes: true });
    const wrong = await commands["samples delete"](s.ctx, {
      serialNumber: device.serial_number,
      start: START,
      stop: new Date(last + 1).toISOString(),
    });
    const late = await s.manager();
    expect(wrong.samples_deleted).toBe(600);

    await s.stop();
    await s.store.close();
    await server.halt("fast");
    expect(readdirSync(join(archive, "wal")).length).toBeGreaterThan(0);
    appendFileSync(
      join(base, "postgresql.auto.conf"),
      `restore_command = 'cp ${archive}/wal/%f %p'
recovery_target_time = '${rows[0].moment}'
recovery_target_action = 'promote'
`,
    );
    const signal = join(base, "recovery.signal");
    writeFileSync(signal, "");
    if (server.as.uid !== undefined) chownSync(signal, server.as.uid, server.as.gid ?? server.as.uid);
    const recovered = await server.startOn(base);
    stopAfterTest(() => recovered.stop());
    await untilPromoted(recovered.url);

    const again = await serviceOn(recovered.url, erasureList);
    expect(await countOf(again, device, ann)).toBe(600);
    await expect(again.logIn(late.username, late.password)).rejects.toThrow();
    // The start has erased again everyone who was erased after that time.
    await expect(again.logIn(eve.username, eve.password)).rejects.toThrow();
    expect(await commands["erasures apply"](again.ctx, {})).toEqual({
      ...{ listed: 1, erased: 0 },
      recordings_waiting: 0,
    });
    const bob = await again.manager();
    expect((await again.get("/api/v1/account/", bob.token)).body.id).toBe(bob.id);
  });
});
