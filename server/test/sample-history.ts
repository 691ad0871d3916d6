/** Provides a device with managers and athletes on the service itself, and the model of their samples. */
import { join } from "node:path";
import { and, eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { deletePermissions } from "../src/domain/permissions/remove.js";
import { applySampleRetention } from "../src/jobs/sample-retention.js";
import { commands } from "../src/operator/commands.js";
import { backup } from "../src/store/backup/backup.js";
import { restore } from "../src/store/backup/restore.js";
import { permissions } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { unzip } from "./personal-data-scene.js";
import { recordingOf, rowAt } from "./recordings.js";
import { Model } from "./sample-model.js";
import type { Step } from "./sample-steps.js";
import { newScratchFolder } from "./scratch.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";
import { grant, newActivity, schemaId } from "./team.js";

const HOUR_MS = 3_600_000;
/** Disables the cache, because its pages of raw data can be two minutes old. */
const NO_CACHE = { rawDataCacheBytes: 0 };
const iso = (ms: number) => new Date(ms).toISOString();

interface Manager extends TestAccount {
  activity: number;
}

/** A backup, the model at that time, and the people erased since then. */
interface Kept {
  file: string;
  model: Model;
  managers: Manager[];
  athletes: TestAccount[];
  erased: { do: "delete" | "erase"; id: number }[];
}

/** Runs the service and the model step by step. */
export class History {
  readonly s: TestService;
  readonly device: TestDevice;
  model = new Model();
  managers: Manager[] = [];
  athletes: TestAccount[] = [];
  kept: Kept | undefined;
  backups = 0;
  readonly folder = newScratchFolder();

  private constructor(s: TestService, device: TestDevice) {
    this.s = s;
    this.device = device;
  }

  static async begin(): Promise<History> {
    const s = await TestService.start(await newStore(), NO_CACHE);
    s.clock.stopAt(Date.now());
    const history = new History(s, await s.device());
    history.athletes = [await s.athlete(), await s.athlete()];
    for (let i = 0; i < 3; i++) history.managers.push(await history.newManager());
    for (const manager of history.managers)
      for (const one of history.athletes) await history.permit(manager, one);
    return history;
  }

  get now(): number {
    return this.s.clock.now().getTime();
  }

  manager(index: number): Manager {
    const found = this.managers[index];
    if (found === undefined) throw new Error(`There is no manager ${index}`);
    return found;
  }

  athlete(index: number): TestAccount {
    const found = this.athletes[index];
    if (found === undefined) throw new Error(`There is no athlete ${index}`);
    return found;
  }

  async newManager(): Promise<Manager> {
    const account = await this.s.manager();
    return { ...account, activity: await newActivity(this.s, account) };
  }

  async permit(manager: Manager, athlete: TestAccount): Promise<void> {
    await grant(this.s, athlete.id, manager.id, "WRITE", "2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z");
    this.model.permitted.add(`${manager.id} ${athlete.id}`);
  }

  async act(step: Step): Promise<void> {
    const { s, device, model, now } = this;
    switch (step.do) {
      case "wait":
        s.clock.stopAt(now + step.ms);
        return;
      case "take":
      case "hand over":
        if (step.do === "hand over") {
          for (const one of this.managers) await s.release(device, one);
          model.release(model.current?.by ?? 0, now);
        }
        await s.take(device, this.manager(step.by));
        return model.take(this.manager(step.by).id, now);
      case "release":
        await s.release(device, this.manager(step.by));
        return model.release(this.manager(step.by).id, now);
      case "load":
        return this.load(this.manager(step.by), step.offsets);
      case "frame":
        return this.frame(
          this.manager(step.by),
          this.athlete(step.athlete),
          now + step.offset,
          step.lengthMs,
        );
      case "move":
        return this.move(step.which, this.athlete(step.athlete), now + step.offset, step.lengthMs);
      case "permit":
        return this.permit(this.manager(step.by), this.athlete(step.athlete));
      case "refuse":
        return this.refuse(this.manager(step.by), this.athlete(step.athlete));
      case "backdate":
        return this.backdate(step.ms);
      case "delete":
        return this.deleteManager(step.by);
      case "erase":
        return this.erase(step.athlete);
      case "delete samples": {
        const [start, stop] = [now + step.offset, now + step.offset + step.lengthMs];
        const { serial_number: serialNumber } = device;
        await commands["samples delete"](s.ctx, { serialNumber, start: iso(start), stop: iso(stop) });
        return model.drop([...model.samples].filter((ms) => start <= ms && ms < stop));
      }
      case "retention": {
        const later = { now: () => new Date(this.now + 1_000 * 86_400_000) };
        await applySampleRetention({ ...s.ctx, clock: later }, undefined, () => undefined);
        return model.samples.clear();
      }
      case "back up":
        return this.backUp();
    }
  }

  /** Sends a recording of a manager at any time; the service refuses samples of other owners. */
  async load(manager: Manager, offsets: readonly number[]): Promise<void> {
    const times = [...new Set(offsets)].sort((a, b) => a - b).map((ms) => this.now + ms);
    const recording = await recordingOf(this.device.serial_number, times.map(rowAt));
    const asi_b64 = Buffer.from(recording).toString("base64");
    const path = `/api/v1/devices/${this.device.id}/bulk-load/`;
    const { status } = await this.s.post(path, { asi_b64 }, manager.token);
    expect(status).toBe(this.model.current?.by === manager.id ? 200 : 403);
    await this.s.runJobs();
    if (status === 200) this.model.load(manager.id, times, this.now);
  }

  async frame(manager: Manager, athlete: TestAccount, from: number, lengthMs: number): Promise<void> {
    const { model } = this;
    const hasOwned = model.hasOwned(manager.id);
    const isPermitted = model.permitted.has(`${manager.id} ${athlete.id}`);
    const body = {
      start_time: iso(from),
      end_time: iso(from + lengthMs),
      params: {},
      device: this.device.id,
      activity: manager.activity,
      athlete: athlete.id,
      owner: manager.id,
      json_schema: await schemaId(this.s, "timeframe_soccer"),
    };
    const before = model.copy();
    const { status, body: made } = await this.s.post("/api/v1/timeframes/", body, manager.token);
    expect(status).toBe(!hasOwned ? 400 : isPermitted ? 201 : 403);
    if (status !== 201) return;
    const frame = {
      id: made.id,
      by: manager.id,
      athlete: athlete.id,
      from,
      to: from + lengthMs,
      at: this.now,
    };
    model.frames.push(frame);
    // A check that does not use the rules: a later time frame takes no samples from other athletes.
    for (const { id } of this.athletes)
      expect(model.exported(id)).toEqual(expect.arrayContaining(before.exported(id)));
  }

  /** Assigns a manager's time frame to another athlete and time. */
  async move(which: number, athlete: TestAccount, from: number, lengthMs: number): Promise<void> {
    const { model, managers, now } = this;
    const frame = model.frames[which];
    const manager = managers.find(({ id }) => id === frame?.by);
    if (frame === undefined || manager === undefined) return;
    const { status } = await this.s.send("PATCH", `/api/v1/timeframes/${frame.id}/`, {
      token: manager.token,
      json: { start_time: iso(from), end_time: iso(from + lengthMs), athlete: athlete.id },
    });
    const isPermitted = [athlete.id, frame.athlete].every((id) => model.permitted.has(`${manager.id} ${id}`));
    expect(status).toBe(!model.hasOwned(manager.id) ? 400 : isPermitted ? 200 : 403);
    if (status === 200) Object.assign(frame, { athlete: athlete.id, from, to: from + lengthMs, at: now });
  }

  async refuse(manager: Manager, athlete: TestAccount): Promise<void> {
    const theirs = and(eq(permissions.managerId, manager.id), eq(permissions.athleteId, athlete.id));
    await transact(this.s.ctx, "test", (unit) => deletePermissions(unit, theirs));
    this.model.permitted.delete(`${manager.id} ${athlete.id}`);
  }

  async backdate(ms: number): Promise<void> {
    const last = this.model.ownerships.at(-1);
    if (last === undefined) return;
    const from = last.from - ms;
    const isFree = this.model.ownerships.every((other) => other === last || other.to <= from);
    const done = await this.s.backdate(this.device, iso(from)).then(
      () => true,
      () => false,
    );
    expect(done).toBe(isFree);
    if (done) last.from = from;
  }

  async deleteManager(index: number): Promise<void> {
    const { id, username } = this.manager(index);
    await commands["account delete"](this.s.ctx, { username });
    this.model.delete(id);
    this.kept?.erased.push({ do: "delete", id });
    const next = await this.newManager();
    this.managers[index] = next;
    for (const athlete of this.athletes) await this.permit(next, athlete);
  }

  async erase(index: number): Promise<void> {
    const { id } = this.athlete(index);
    await commands["athlete erase"](this.s.ctx, { id: String(id), samples: true, yes: true });
    this.model.erase(id);
    this.kept?.erased.push({ do: "erase", id });
    const next = await this.s.athlete();
    this.athletes[index] = next;
    for (const manager of this.managers) await this.permit(manager, next);
  }

  async backUp(): Promise<void> {
    const file = join(this.folder, `${this.backups++}`);
    await backup(this.s.store.database, file, this.folder);
    const { managers, athletes } = this;
    this.kept = {
      file,
      model: this.model.copy(),
      managers: [...managers],
      athletes: [...athletes],
      erased: [],
    };
  }

  /** Checks that every account reads and exports exactly its own samples, and that no others exist. */
  async check(of = this.s): Promise<void> {
    const { model, device, now } = this;
    const window = `start=${now - 12 * HOUR_MS}&stop=${now + 12 * HOUR_MS}`;
    const ascending = (times: readonly number[]) => [...times].sort((a, b) => a - b);
    for (const { id, token } of this.managers) {
      const { status, body } = await of.get(`/api/v1/devices/${device.id}/raw-data/?${window}`, token);
      const read =
        status === 200 ? body.results.map((one: Record<string, number>) => one["gnss.timestamp"]) : [];
      expect(read).toEqual(ascending(model.readable(id)));
    }
    for (const { id, token } of this.athletes) {
      const response = await fetch(`${of.service.url}/api/v1/athletes/${id}/export/`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const files = await unzip(Buffer.from(await response.arrayBuffer()));
      const samples = [...files].filter(([name]) => name.startsWith("samples/"));
      const exported = samples.flatMap(([, text]) => text.trim().split("\n").slice(1));
      // The first column is the time in seconds, with three decimals.
      expect(ascending(exported.map((line) => Math.round(Number.parseFloat(line) * 1000)))).toEqual(
        ascending(model.exported(id)),
      );
    }
    const { rows } = await of.store.database.queries.execute<{ n: number }>(
      sql`SELECT coalesce(sum(n), 0)::int AS n FROM sample_chunks WHERE device_id = ${device.id}`,
    );
    expect(rows[0]?.n).toBe(model.samples.size);
  }

  /** Restores the backup, and checks that it has the state at that time without the people erased since. */
  async checkRestored(): Promise<void> {
    const { kept, s } = this;
    if (kept === undefined) return;
    await s.stop();
    await restore(s.store.database.queries, kept.file);
    const again = await TestService.start(s.store, { ...NO_CACHE, dataDir: s.config.dataDir });
    again.clock.stopAt(this.now);
    this.model = kept.model;
    // Use the order of ids, as the service does at startup.
    for (const { do: what, id } of kept.erased.toSorted((a, b) => a.id - b.id)) this.model[what](id);
    const isLeft = ({ id }: TestAccount) => !kept.erased.some((gone) => gone.id === id);
    this.managers = kept.managers.filter(isLeft);
    this.athletes = kept.athletes.filter(isLeft);
    await this.check(again);
    await again.stop();
  }
}
