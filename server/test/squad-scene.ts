import { eq } from "drizzle-orm";
import { accounts, assignments, squadMembers, squads } from "../src/store/schema.js";
import { managingManager } from "./people.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";
import { type Sample, store } from "./team.js";

/** Start of the first session in these tests. */
export const START = "2024-06-01T13:00:00.000Z";

/** Returns a time some minutes after `START`. */
export const minute = (minutes: number): string =>
  new Date(Date.parse(START) + minutes * 60_000).toISOString();

export interface TestPlayer {
  athlete: number;
  name: string;
  device: TestDevice;
}

/** A manager with a squad. Each player wears a device. Members and assignments are inserted as rows, not with the operations. */
export class SquadScene {
  readonly s: TestService;
  readonly manager: TestAccount;
  readonly squad: number;
  readonly players: TestPlayer[] = [];

  private constructor(s: TestService, manager: TestAccount, squad: number) {
    this.s = s;
    this.manager = manager;
    this.squad = squad;
  }

  static async of(s: TestService, names: readonly string[] = []): Promise<SquadScene> {
    const manager = await managingManager({}, "", s);
    const [squad] = await s.store.database.queries
      .insert(squads)
      .values({ name: "First team", ownerId: manager.id, createdAt: new Date() })
      .returning();
    const scene = new SquadScene(s, manager, squad?.id ?? 0);
    for (const name of names) await scene.add(name);
    return scene;
  }

  /** Adds a managed athlete with a device. */
  async add(name: string, params: Record<string, unknown> = {}): Promise<TestPlayer> {
    const { s, manager } = this;
    const { status, body } = await s.post(
      "/api/v1/athletes/create-managed/",
      { managed_by: manager.id, athlete_profile: { first_name: name } },
      manager.token,
    );
    if (status !== 201) throw new Error(`No athlete: ${status} ${JSON.stringify(body)}`);
    const player = { athlete: body.id as number, name, device: await this.device() };
    this.players.push(player);
    await this.join(player.athlete, params, this.players.length);
    await this.assign(player.athlete, player.device);
    return player;
  }

  /** Adds a device that the manager has owned since 2020. */
  async device(): Promise<TestDevice> {
    const device = await this.s.ownedDevice(this.manager);
    await this.s.backdate(device, "2020-01-01T00:00:00Z");
    return device;
  }

  join(athleteId: number, params: Record<string, unknown>, number: number) {
    return this.s.store.database.queries.insert(squadMembers).values({
      squadId: this.squad,
      athleteId,
      number,
      position: "MF",
      params,
      startTime: new Date("2020-01-01T00:00:00Z"),
      endTime: new Date("2999-01-01T00:00:00Z"),
    });
  }

  assign(athleteId: number, { id }: TestDevice, from = "2020-01-01T00:00:00Z", to = "2999-01-01T00:00:00Z") {
    return this.s.store.database.queries.insert(assignments).values({
      ownerId: this.manager.id,
      deviceId: id,
      athleteId,
      startTime: new Date(from),
      endTime: new Date(to),
    });
  }

  /** Returns the body of a session, which by default lasts an hour from `START`. */
  body(changes: Record<string, unknown> = {}) {
    return {
      name: "Round 3",
      squad: this.squad,
      kind: "match",
      sport: "soccer",
      start_time: START,
      end_time: minute(60),
      ...changes,
    };
  }

  send(method: string, path: string, json?: unknown, headers: Record<string, string> = {}) {
    return this.s.send(method, path, { token: this.manager.token, json, headers });
  }

  async session(changes: Record<string, unknown> = {}): Promise<number> {
    const { status, body } = await this.send("POST", "/api/v2/sessions/", this.body(changes));
    if (status !== 201) throw new Error(`No session: ${status} ${JSON.stringify(body)}`);
    return body.id;
  }

  figures(session: number, token = this.manager.token, query = "") {
    return this.s.get(`/api/v2/sessions/${session}/figures/${query}`, token);
  }

  /** Runs jobs until the figures of all players are computed, and returns the table. */
  async completeTable(session: number) {
    for (;;) {
      await this.s.runJobs();
      const { body } = await this.figures(session);
      if (body.computing.length === 0) return body;
    }
  }

  /** Stores samples at a steady speed, ten per second, between two minutes of the session. */
  run(device: TestDevice, fromMinute: number, toMinute: number, speedMmPerS = 3000, hr = 150) {
    return store(this.s, device.id, this.samples(fromMinute, toMinute, speedMmPerS, hr));
  }

  samples(fromMinute: number, toMinute: number, speedMmPerS = 3000, hr = 150): Sample[] {
    const samples: Sample[] = [];
    for (let t = Date.parse(minute(fromMinute)); t < Date.parse(minute(toMinute)); t += 100)
      samples.push({ t, speed: speedMmPerS, hr });
    return samples;
  }

  /** Returns the time frames of the activity as version 1 lists them. */
  async frames(activity: number) {
    const { body } = await this.s.get(
      `/api/v1/timeframes/?activity=${activity}&limit=100&ordering=id`,
      this.manager.token,
    );
    return body.results as {
      id: number;
      athlete: number;
      device: number;
      start_time: string;
      end_time: string;
      params: Record<string, unknown>;
    }[];
  }
}

/** Creates a squad with a session of an hour, and its players. */
export async function squadWithSession(s: TestService, ...names: string[]) {
  const scene = await SquadScene.of(s, names);
  const [first, second] = scene.players as [TestPlayer, TestPlayer];
  const session = await scene.session();
  return { scene, first, second, session, path: `/api/v2/sessions/${session}/` };
}

export type GuestRole = "coach" | "analyst" | "physician";

/** Invites a new manager to the squad, who accepts the invitation. */
export async function guestOf(scene: SquadScene, role: GuestRole): Promise<TestAccount & { grant: number }> {
  const guest = await scene.s.manager();
  const { username } = guest;
  const { body } = await scene.send("POST", `/api/v2/squads/${scene.squad}/grants/`, { username, role });
  const accepted = await scene.s.post(`/api/v2/invitations/${body.id}/accept/`, undefined, guest.token);
  if (accepted.body.role !== role) throw new Error(`Not accepted: ${accepted.status}`);
  return { ...guest, grant: body.id };
}

/** Logs in as a managed athlete, who gets a password for this. */
export async function tokenOf({ s }: SquadScene, { athlete }: TestPlayer): Promise<string> {
  const { queries } = s.store.database;
  const other = await s.athlete();
  const [known] = await queries.select().from(accounts).where(eq(accounts.id, other.id));
  const [account] = await queries
    .update(accounts)
    .set({ passwordHash: known?.passwordHash ?? null })
    .where(eq(accounts.id, athlete))
    .returning();
  return s.logIn(account?.username ?? "", other.password);
}

/** Returns the bodies of two halves of 30 minutes for all players, from a minute on. */
export const halvesFrom = (from: number) =>
  ["1st half", "2nd half"].map((name, i) => ({
    name,
    start_time: minute(from + 30 * i),
    end_time: minute(from + 30 * (i + 1)),
    athlete: null,
  }));

/** Returns the body of a period of the first half. */
export const half = (changes: Record<string, unknown> = {}) => ({
  name: "1st half",
  start_time: minute(5),
  end_time: minute(25),
  athlete: null,
  ...changes,
});

/** Replaces the periods of the session with this path. */
export const putPeriods = (scene: SquadScene, path: string, rows: unknown) =>
  scene.send("PUT", `${path}periods/`, rows);

/** Header of `periods.csv`. */
export const PERIODS = "period,start,end,player\n";

/** Replaces the periods of a session with the rows of a `periods.csv`, given without its header. */
export const setPeriods = (scene: SquadScene, session: number, csv: string) =>
  scene.s.send("PUT", `/api/v2/sessions/${session}/periods/`, {
    token: scene.manager.token,
    body: PERIODS + csv,
    headers: { "Content-Type": "text/csv" },
  });
