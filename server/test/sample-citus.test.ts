/** Tests samples on Citus, with a stand-in for its functions. No test has run on Citus itself. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { distributedTables, installCitusStandIn } from "./citus-stand-in.js";
import { newStore } from "./databases.js";
import { walk } from "./recordings.js";
import { isSpread } from "./sample-servers.js";
import { newScratchFolder } from "./scratch.js";
import { TestService } from "./service.js";

const START_MS = Date.parse("2024-03-01T10:00:00Z");

describe.runIf(process.env.TEST_DATABASE === "postgres" && !isSpread)("samples on Citus", () => {
  let s: TestService;
  let databaseUrl: string;

  beforeEach(async () => {
    const store = await newStore();
    s = await TestService.start(store, { rawDataCacheBytes: 0 });
    databaseUrl = store.databaseUrl ?? "";
  });

  const run = (name: "samples distribute" | "samples gather" | "samples servers", args = {}) =>
    commands[name]({ ...s.ctx, database: s.store.database, operator: "root" }, args);

  /** Moves the samples to a separate server. */
  const distributeToServers = () => {
    const servers = join(newScratchFolder(), "servers.txt");
    writeFileSync(servers, "postgres://a@127.0.0.1/samples\n");
    return run("samples distribute", { servers });
  };

  /** Makes the command wait for Citus until the work is done. */
  const whileCitusIsBusy = async (command: () => Promise<unknown>, work: () => Promise<void>) => {
    const { pool } = s.store.database;
    const holder = await pool.connect();
    await holder.query("BEGIN; LOCK TABLE stand_in_distributed IN SHARE MODE");
    const running = command();
    const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'stand_in_distributed'::regclass";
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
    try {
      await work();
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
    return running;
  };

  it("are distributed by device, with no local rows left, and moved back", async () => {
    await installCitusStandIn(databaseUrl);
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    await s.backdate(device, "2020-01-01T00:00:00Z");
    const recording = await walk(device.serial_number, new Date(START_MS).toISOString(), 600);

    expect(await run("samples distribute", { citus: true })).toMatchObject({ changed: true });
    expect(await distributedTables(databaseUrl)).toEqual([
      { name: "sample_chunks", column: "device_id", local: false },
    ]);
    expect(await run("samples distribute", { citus: true })).toMatchObject({ changed: false });
    expect(await run("samples servers")).toEqual({
      servers: [
        { server: "worker1:5432", shards: 16, bytes: 16 * 8192 },
        { server: "worker2:5432", shards: 16, bytes: 16 * 8192 },
      ],
      move: null,
    });
    expect((await s.load(device, ann, recording)).body.state).toBe("SUCCESS");
    expect(await run("samples gather", { dryRun: true })).toEqual({
      changed: false,
      statements: ["SELECT undistribute_table('sample_chunks')"],
    });

    expect(await run("samples gather")).toEqual({ changed: true });
    expect(await distributedTables(databaseUrl)).toEqual([]);
    expect(await run("samples servers")).toEqual({ servers: [], move: null });
  });

  it("leave no local rows when the command is run again after an interruption", async () => {
    await installCitusStandIn(databaseUrl);
    await s.store.database.pool.query(
      "SELECT create_distributed_table('sample_chunks', 'device_id', colocate_with => 'none')",
    );
    expect(await distributedTables(databaseUrl)).toMatchObject([{ local: true }]);
    await run("samples distribute", { citus: true });
    expect(await distributedTables(databaseUrl)).toMatchObject([{ local: false }]);
  });

  it("are planned without any change", async () => {
    await installCitusStandIn(databaseUrl);
    const plan = await run("samples distribute", { citus: true, dryRun: true });
    expect(plan).toEqual({
      changed: false,
      statements: [
        "SELECT create_distributed_table('sample_chunks', 'device_id', colocate_with => 'none')",
        "SELECT truncate_local_data_after_distributing_table('sample_chunks')",
      ],
    });
    expect(await distributedTables(databaseUrl)).toEqual([]);
  });

  it("require Citus, and no sample servers", async () => {
    await expect(run("samples distribute", { citus: true })).rejects.toThrow("CREATE EXTENSION citus");
    await installCitusStandIn(databaseUrl);
    await expect(run("samples distribute", { citus: true, servers: "servers.txt" })).rejects.toThrow(
      "Specify either --citus or --servers",
    );
    await expect(run("samples distribute")).rejects.toThrow("--servers FILE or --citus");
  });

  it("must be moved back before they are moved to servers", async () => {
    await installCitusStandIn(databaseUrl);
    await run("samples distribute", { citus: true });
    await expect(distributeToServers()).rejects.toThrow("asi-server samples gather");
  });

  it("are moved by only one command at a time", async () => {
    await installCitusStandIn(databaseUrl);
    const distribute = () => run("samples distribute", { citus: true });
    const gather = () => run("samples gather");
    const refuseAll = async () => {
      for (const other of [distribute, gather, distributeToServers])
        await expect(other()).rejects.toThrow("Another command is moving the samples");
    };
    expect(await whileCitusIsBusy(distribute, refuseAll)).toMatchObject({ changed: true });
    expect(await whileCitusIsBusy(gather, refuseAll)).toEqual({ changed: true });
    expect(await distribute()).toMatchObject({ changed: true });
  });
});
