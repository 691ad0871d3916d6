/** Keeps a copy of all data that an account may read, and follows the changes. It is the reference for docs/warehouse.md. */
import { expect } from "vitest";
import type { Change } from "../src/domain/change-feed/resource.js";
import type { TestAccount, TestService } from "./service.js";

/** Statuses for an object that the reader may not read, or that does not exist. */
const GONE = [403, 404];

type Json = Record<string, unknown>;

/** The contents of a copy, for comparisons. */
export interface Contents {
  samples: Record<string, string>;
  sessions: Record<string, unknown>;
  figures: Record<string, unknown>;
  squads: Record<string, unknown>;
  athletes: Record<string, unknown>;
}

export class Warehouse {
  /** Lines of the samples by device and time. */
  readonly #samples = new Map<number, Map<number, string>>();
  /** Sessions with their periods, by id. */
  readonly #sessions = new Map<number, { session: Json; periods: unknown }>();
  readonly #figures = new Map<number, unknown>();
  readonly #squads = new Map<number, Json>();
  readonly #athletes = new Map<number, Json>();
  #cursor = "";
  readonly #s: TestService;
  readonly #reader: TestAccount;
  readonly #isAthlete: boolean;

  private constructor(s: TestService, reader: TestAccount, isAthlete: boolean) {
    this.#s = s;
    this.#reader = reader;
    this.#isAthlete = isAthlete;
  }

  /** Gets a cursor, and then reads everything. */
  static async of(
    s: TestService,
    reader: TestAccount,
    { isAthlete = false }: { isAthlete?: boolean } = {},
  ): Promise<Warehouse> {
    const warehouse = new Warehouse(s, reader, isAthlete);
    await warehouse.follow();
    await warehouse.#load();
    return warehouse;
  }

  /** Reads the changed objects. */
  async follow(limit = 100): Promise<Change[]> {
    const told: Change[] = [];
    for (let hasMore = true; hasMore; ) {
      const query = new URLSearchParams({ limit: String(limit) });
      if (this.#cursor !== "") query.set("cursor", this.#cursor);
      const body = await this.#read(`/api/v2/changes/?${query}`);
      for (const change of body.results as Change[]) await this.#apply(change);
      told.push(...(body.results as Change[]));
      this.#cursor = body.next_cursor as string;
      hasMore = body.has_more as boolean;
    }
    return told;
  }

  contents(): Contents {
    const times = [...this.#samples.values()].flatMap((lines) => [...lines.keys()]);
    expect(times.every(Number.isSafeInteger)).toBe(true);
    const sorted = <T>(map: ReadonlyMap<number, T>) => Object.fromEntries([...map].sort(([a], [b]) => a - b));
    const samples = [...this.#samples].map(
      ([device, lines]) => [device, [...lines].sort(([a], [b]) => a - b).map(([, line]) => line)] as const,
    );
    return {
      samples: Object.fromEntries(
        samples.filter(([, lines]) => lines.length > 0).map(([device, lines]) => [device, lines.join("")]),
      ),
      sessions: sorted(this.#sessions),
      figures: sorted(this.#figures),
      squads: sorted(this.#squads),
      athletes: sorted(this.#athletes),
    };
  }

  async #get(path: string) {
    const answer = await this.#s.get(path, this.#reader.token);
    expect([200, ...GONE], `${path}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
    return answer;
  }

  /**
   * Reads an object.
   * @returns undefined if the reader may not read it
   */
  async #find(path: string): Promise<unknown> {
    const { status, body } = await this.#get(path);
    return status === 200 ? body : undefined;
  }

  async #read(path: string): Promise<Json> {
    const found = await this.#find(path);
    if (found === undefined) throw new Error(`Not readable: ${path}`);
    return found as Json;
  }

  async #load(): Promise<void> {
    for (const squad of await this.#list("/api/v2/squads/")) await this.#readSquad(squad.id as number);
    if (this.#isAthlete) return this.#readAthlete(this.#reader.id);
    const { results: owned } = await this.#read("/api/v1/device-ownerships/?limit=1000");
    for (const device of new Set((owned as { device: number }[]).map((one) => one.device)))
      await this.#readSamples(device, "");
    const { results: athletes } = await this.#read("/api/v1/athletes/?limit=1000");
    for (const one of athletes as Json[]) await this.#readAthlete(one.id as number);
  }

  /** Returns all pages of a version 2 list. */
  async #list(path: string): Promise<Json[]> {
    const { results, next } = await this.#read(`${path}${path.includes("?") ? "&" : "?"}limit=1000`);
    expect(next).toBeNull();
    return results as Json[];
  }

  async #apply({ kind, id, from, to, removed }: Change): Promise<void> {
    switch (kind) {
      case "samples": {
        const lines = this.#samples.get(id) ?? new Map<number, string>();
        for (const time of [...lines.keys()])
          if (time >= Date.parse(from ?? "") && time < Date.parse(to ?? "")) lines.delete(time);
        if (!removed) await this.#readSamples(id, `&from=${from}&to=${to}`);
        return;
      }
      case "session":
        this.#forgetSession(id);
        if (!removed) await this.#readSession(id);
        return;
      case "figures":
        this.#figures.delete(id);
        if (!removed) await this.#readFigures(id);
        return;
      case "squad":
        this.#squads.delete(id);
        for (const [session, { session: one }] of [...this.#sessions])
          if (one.squad === id) this.#forgetSession(session);
        if (!removed) await this.#readSquad(id);
        return;
      case "athlete":
        this.#athletes.delete(id);
        if (!removed) await this.#readAthlete(id);
        return;
    }
  }

  #forgetSession(id: number): void {
    this.#sessions.delete(id);
    this.#figures.delete(id);
  }

  async #readSamples(device: number, times: string): Promise<void> {
    const text = await this.#find(`/api/v2/devices/${device}/samples/?format=jsonl${times}`);
    const lines = this.#samples.get(device) ?? new Map<number, string>();
    this.#samples.set(device, lines);
    for (const line of String(text ?? "").split(/(?<=\n)/)) {
      if (line !== "") lines.set(Date.parse(JSON.parse(line).timestamp), line);
    }
  }

  async #readSquad(id: number): Promise<void> {
    const squad = await this.#find(`/api/v2/squads/${id}/`);
    if (squad === undefined) return;
    this.#squads.set(id, squad as Json);
    for (const session of await this.#list(`/api/v2/sessions/?squad=${id}`))
      await this.#readSession(session.id as number);
  }

  async #readSession(id: number): Promise<void> {
    const session = await this.#find(`/api/v2/sessions/${id}/`);
    const periods = await this.#find(`/api/v2/sessions/${id}/periods/`);
    if (session === undefined || periods === undefined) return;
    // Ignore `computing`, because it describes a job and not the session: if the job changes nothing, it ends without a change event.
    const { computing: _, ...stored } = session as Json;
    this.#sessions.set(id, { session: stored, periods });
    await this.#readFigures(id);
  }

  async #readFigures(id: number): Promise<void> {
    const found = (await this.#find(`/api/v2/sessions/${id}/figures/`)) as { rows: Json[] } | undefined;
    if (found === undefined) return;
    const { computing: _, ...figures } = found as Json & { rows: Json[] };
    // Ignore the time of the computation, because it differs if figures are computed again from the same samples.
    this.#figures.set(id, { ...figures, rows: figures.rows.map(({ computed_at: _at, ...row }) => row) });
  }

  async #readAthlete(id: number): Promise<void> {
    const athlete = await this.#find(`/api/v1/athletes/${id}/`);
    if (athlete !== undefined) this.#athletes.set(id, athlete as Json);
  }
}
