/** Provides a session on the service itself, the people who change and read it, and the model of their rights. */
import { asc, eq, inArray, sql } from "drizzle-orm";
import { expect } from "vitest";
import { applySampleRetention } from "../src/jobs/sample-retention.js";
import { commands } from "../src/operator/commands.js";
import { sessionFigures, sessionTimeframes, timeframes } from "../src/store/schema.js";
import { recordingOf, rowAt } from "./recordings.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";
import {
  BLOCK_MS,
  BLOCKS,
  type Frame,
  SAMPLES,
  SessionModel,
  type SessionTimes,
  type Span,
  type Stored,
  speedOf,
} from "./session-model.js";
import { newActivity } from "./team.js";

export const START_MS = Date.parse("2024-06-01T13:00:00.000Z");
const LONG_BEFORE = "2020-01-01T00:00:00.000Z";
const EVER = 1_000_000;
export const PLAYERS = 3;
export const DEVICES = 3;

const timeOf = (block: number): string => new Date(START_MS + block * BLOCK_MS).toISOString();
const spanOf = (startMs: number, endMs: number): Span => ({
  from: Math.round((startMs - START_MS) / BLOCK_MS),
  to: Math.round((endMs - START_MS) / BLOCK_MS),
});

/** Returns samples that begin a minute after the start of the block. */
const samplesOf = (place: number, block: number) =>
  Array.from({ length: SAMPLES }, (_, n) => {
    const ms = START_MS + block * BLOCK_MS + 60_000 + n * 100;
    return { ...rowAt(ms), speed: speedOf(place, block) / 1000 };
  });

export type Step =
  | { do: "upload"; by: number; device: number; span: Span }
  | { do: "release" | "take"; by: number; device: number }
  | { do: "wait" | "run jobs" | "retention" | "delete session" }
  | { do: "consent"; athlete: number; to: number; read: Span; write: Span }
  | { do: "withdraw"; athlete: number; to: number }
  | { do: "periods"; rows: { name: string; span: Span; athlete: number | null }[] }
  | { do: "leave" | "thresholds" | "erase"; athlete: number }
  | { do: "assign"; athlete: number; device: number; span: Span }
  | { do: "unassign"; which: number }
  | { do: "move"; which: number; athlete: number; span: Span }
  | { do: "move away" | "delete frame"; which: number }
  | { do: "delete samples"; device: number; span: Span }
  | { do: "session time"; span: Span };

/** Runs the service and the model step by step. */
export class SessionHistory {
  readonly s: TestService;
  readonly model = new SessionModel();
  /** The owner of the squad and another manager. */
  readonly managers: TestAccount[] = [];
  readonly athletes: TestAccount[] = [];
  readonly devices: TestDevice[] = [];
  squad = 0;
  session = 0;
  time: Span = { from: 0, to: BLOCKS };
  periods: SessionTimes["periods"] = [];
  #elsewhere = 0;
  #block = BLOCKS / 2;

  private constructor(s: TestService) {
    this.s = s;
  }

  static async begin(s: TestService): Promise<SessionHistory> {
    s.clock.stopAt(START_MS + (BLOCKS / 2) * BLOCK_MS);
    const history = new SessionHistory(s);
    history.managers.push(await s.manager(), await s.manager());
    const [owner] = history.managers as [TestAccount];
    for (let place = 0; place < DEVICES; place++) {
      const device = await s.ownedDevice(owner);
      await s.backdate(device, LONG_BEFORE);
      history.devices.push(device);
      history.model.devices.push(device.id);
      history.model.ownerships.push({
        device: device.id,
        manager: owner.id,
        span: { from: -EVER, to: EVER },
      });
    }
    history.squad = (await history.#own("POST", "/api/v2/squads/", { name: "First team" })).body.id;
    for (let place = 0; place < PLAYERS; place++) await history.#join(place);
    for (let place = 0; place < PLAYERS; place++)
      await history.#assign(history.athlete(place), place, { from: 0, to: BLOCKS });
    history.#elsewhere = await newActivity(s, owner);
    await history.#play();
    return history;
  }

  get times(): SessionTimes {
    return { session: this.time, periods: this.periods };
  }

  get owner(): TestAccount {
    return this.manager(0);
  }

  manager(place: number): TestAccount {
    return this.managers[place] as TestAccount;
  }

  athlete(place: number): TestAccount {
    return this.athletes[place] as TestAccount;
  }

  #own(method: string, path: string, json?: unknown) {
    return this.s.send(method, path, { token: this.owner.token, json });
  }

  /** Creates an athlete who allows the owner to read and write the whole session. */
  async #join(place: number): Promise<void> {
    const athlete = await this.s.athlete();
    this.athletes[place] = athlete;
    const all = { from: 0, to: BLOCKS + 6 };
    await this.#consent(athlete, this.owner, { read: all, write: all });
    await this.#member(athlete, {});
  }

  async #member({ id }: TestAccount, params: Record<string, unknown>): Promise<void> {
    const body = { squad: this.squad, athlete: id, start_time: LONG_BEFORE, params };
    const { status } = await this.#own("POST", "/api/v2/members/", body);
    if (status === 201) this.model.members.add(id);
  }

  async #leave({ id }: TestAccount): Promise<void> {
    const { body } = await this.#own("GET", `/api/v2/members/?squad=${this.squad}&athlete=${id}`);
    for (const member of body.results)
      expect((await this.#own("DELETE", `/api/v2/members/${member.id}/`)).status).toBe(204);
    this.model.members.delete(id);
  }

  #assign({ id }: TestAccount, place: number, { from, to }: Span) {
    return this.#own("POST", "/api/v2/assignments/", {
      device: this.devices[place]?.id,
      athlete: id,
      start_time: timeOf(from),
      end_time: timeOf(to),
    });
  }

  async #play(): Promise<void> {
    this.time = { from: 0, to: BLOCKS };
    const { status, body } = await this.#own("POST", "/api/v2/sessions/", {
      name: "Round 3",
      squad: this.squad,
      kind: "match",
      sport: "soccer",
      start_time: timeOf(0),
      end_time: timeOf(BLOCKS),
    });
    expect(status).toBe(201);
    this.session = body.id;
  }

  async #consent(
    athlete: TestAccount,
    manager: TestAccount,
    spans: { read: Span; write: Span } | undefined,
  ): Promise<void> {
    const path = `/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`;
    const { model } = this;
    expect((await this.s.send("DELETE", path, { token: athlete.token })).status).toBe(204);
    model.permissions = model.permissions.filter(
      (one) => one.athlete !== athlete.id || one.manager !== manager.id,
    );
    if (spans === undefined) return;
    const wanted = [
      { permission: "READ" as const, span: spans.read },
      { permission: "WRITE" as const, span: spans.write },
    ];
    const body = wanted.map(({ permission, span }) => ({
      permission,
      start_time: timeOf(span.from),
      expiration_time: timeOf(span.to),
    }));
    expect((await this.s.post(path, body, athlete.token)).status).toBe(200);
    for (const { permission: kind, span } of wanted)
      model.permissions.push({ athlete: athlete.id, manager: manager.id, kind, span });
  }

  /** Returns the time frames of the session as stored. */
  async frames(): Promise<Frame[]> {
    const rows = await this.s.store.database.queries
      .select({ frame: timeframes, period: sessionTimeframes.period })
      .from(sessionTimeframes)
      .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
      .where(eq(sessionTimeframes.sessionId, this.session))
      .orderBy(asc(timeframes.id));
    return rows.map(({ frame, period }) => ({
      id: frame.id,
      athlete: frame.athleteId,
      device: frame.deviceId,
      period,
      span: spanOf(frame.startTime.getTime(), frame.endTime.getTime() + 1),
    }));
  }

  async samples(): Promise<Stored[]> {
    const ids = this.devices.map(({ id }) => id);
    const { rows } = await this.s.store.database.queries.execute<{ device_id: string; start_ms: string }>(
      sql`SELECT device_id, start_ms FROM sample_chunks WHERE device_id IN ${ids}`,
    );
    return rows.map((row) => ({
      device: Number(row.device_id),
      block: Math.floor((Number(row.start_ms) - START_MS) / BLOCK_MS),
    }));
  }

  async act(step: Step): Promise<void> {
    const before = await this.samples();
    this.model.remember(await this.frames(), before, this.times);
    await this.#act(step);
    if (step.do === "retention") return this.model.loseToRetention(before);
    const after = new Set((await this.samples()).map((one) => JSON.stringify(one)));
    this.model.forget(before.filter((one) => !after.has(JSON.stringify(one))));
  }

  async #act(step: Step): Promise<void> {
    const { s, model } = this;
    const frame = async (which: number) => {
      const frames = await this.frames();
      return frames[which % Math.max(1, frames.length)];
    };
    switch (step.do) {
      case "upload":
        return this.#upload(this.manager(step.by), step.device, step.span);
      case "take":
      case "release":
        return this.#changeOwner(step.do, this.manager(step.by), step.device);
      case "wait":
        this.#block = Math.min(BLOCKS + 2, this.#block + 1);
        s.clock.stopAt(START_MS + this.#block * BLOCK_MS);
        return;
      case "run jobs":
        return s.runJobs();
      case "retention": {
        const clock = { now: () => new Date(s.clock.now().getTime() + 10_000 * 86_400_000) };
        return applySampleRetention({ ...s.ctx, clock }, undefined, () => undefined);
      }
      case "delete session":
        expect((await this.#own("DELETE", `/api/v2/sessions/${this.session}/`)).status).toBe(204);
        await this.expectNoFigures();
        this.periods = [];
        return this.#play();
      case "consent":
        return this.#consent(this.athlete(step.athlete), this.manager(step.to), step);
      case "withdraw":
        return this.#consent(this.athlete(step.athlete), this.manager(step.to), undefined);
      case "periods": {
        const periods = step.rows.map((row) => ({
          ...row,
          athlete: row.athlete === null ? null : this.athlete(row.athlete).id,
        }));
        const rows = periods.map(({ span, ...row }) => ({
          ...row,
          start_time: timeOf(span.from),
          end_time: timeOf(span.to),
        }));
        const { status } = await this.#own("PUT", `/api/v2/sessions/${this.session}/periods/`, rows);
        if (status === 200) this.periods = periods;
        return;
      }
      case "leave":
        return this.#leave(this.athlete(step.athlete));
      case "thresholds":
        await this.#leave(this.athlete(step.athlete));
        return this.#member(this.athlete(step.athlete), { max_hr: 190 + (this.#block % 3) });
      case "erase": {
        const { id } = this.athlete(step.athlete);
        await commands["athlete erase"](s.ctx, { id: String(id), samples: true, yes: true });
        model.permissions = model.permissions.filter(({ athlete }) => athlete !== id);
        model.members.delete(id);
        this.periods = this.periods.filter(({ athlete }) => athlete !== id);
        const kept = await s.store.database.queries.$count(sessionFigures, eq(sessionFigures.athleteId, id));
        expect(kept).toBe(0);
        return this.#join(step.athlete);
      }
      case "assign":
        await this.#assign(this.athlete(step.athlete), step.device, step.span);
        return;
      case "unassign": {
        const { results } = (await this.#own("GET", "/api/v2/assignments/")).body;
        const one = results[step.which % Math.max(1, results.length)];
        if (one !== undefined) await this.#own("DELETE", `/api/v2/assignments/${one.id}/`);
        return;
      }
      case "move": {
        const found = await frame(step.which);
        await this.#own("PATCH", `/api/v1/timeframes/${found?.id ?? 0}/`, {
          athlete: this.athlete(step.athlete).id,
          start_time: timeOf(step.span.from),
          end_time: new Date(Date.parse(timeOf(step.span.to)) - 1).toISOString(),
        });
        return;
      }
      case "move away":
        await this.#own("PATCH", `/api/v1/timeframes/${(await frame(step.which))?.id ?? 0}/`, {
          activity: this.#elsewhere,
        });
        return;
      case "delete frame":
        await this.#own("DELETE", `/api/v1/timeframes/${(await frame(step.which))?.id ?? 0}/`);
        return;
      case "delete samples":
        await commands["samples delete"](s.ctx, {
          serialNumber: this.devices[step.device]?.serial_number,
          start: timeOf(step.span.from),
          stop: timeOf(step.span.to),
        });
        return;
      case "session time": {
        const { status } = await this.#own("PATCH", `/api/v2/sessions/${this.session}/`, {
          start_time: timeOf(step.span.from),
          end_time: timeOf(step.span.to),
        });
        if (status === 200) this.time = step.span;
        return;
      }
    }
  }

  /** Uploads a recording of past samples as a manager; the service refuses samples of other owners. */
  async #upload(by: TestAccount, place: number, { from, to }: Span): Promise<void> {
    const rows = Array.from({ length: to - from }, (_, n) => from + n)
      .filter((block) => block < this.#block)
      .flatMap((block) => samplesOf(place, block));
    const recording = await recordingOf(this.devices[place]?.serial_number ?? "", rows);
    const { status } = await this.s.send("POST", "/api/v2/recordings/", {
      token: by.token,
      body: new Blob([recording as Uint8Array<ArrayBuffer>]),
      headers: { "Content-Type": "application/octet-stream" },
    });
    expect(status).toBeLessThan(500);
  }

  async #changeOwner(what: "take" | "release", by: TestAccount, place: number): Promise<void> {
    const { model } = this;
    const device = this.devices[place] as TestDevice;
    const { status } = await this.s[what](device, by);
    if (status >= 300) return;
    const now = this.#block;
    if (what === "take")
      model.ownerships.push({ device: device.id, manager: by.id, span: { from: now, to: EVER } });
    for (const one of model.ownerships)
      if (what === "release" && one.device === device.id && one.span.to === EVER) one.span.to = now;
  }

  /** Checks that the database contains no figures of deleted sessions or erased people. */
  async expectNoFigures(): Promise<void> {
    const { queries } = this.s.store.database;
    expect(await queries.$count(sessionFigures, inArray(sessionFigures.sessionId, [this.session]))).toBe(0);
  }

  async end(): Promise<void> {
    await commands["account delete"](this.s.ctx, { username: this.owner.username });
    await this.expectNoFigures();
  }
}
