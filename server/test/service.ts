/** Provides the service under test: the real service on a real database, which tests access over HTTP. */
import { randomBytes, randomUUID } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { type Config, readConfig } from "../src/config/config.js";
import { insertAccount } from "../src/domain/accounts/write.js";
import type { AddressLookup } from "../src/domain/change/address-lookup.js";
import { transact } from "../src/domain/change/change.js";
import type { Context } from "../src/domain/change/context.js";
import { addDevices } from "../src/domain/devices/add.js";
import { backdateOwnership } from "../src/domain/ownerships/backdate.js";
import { hashPassword } from "../src/domain/secrets/passwords.js";
import { createApplication } from "../src/oauth/applications.js";
import type { OperatorContext } from "../src/operator/commands.js";
import { ownContext } from "../src/process/own-context.js";
import { type Service, startService as startProcess } from "../src/process/service.js";
import { type Database, openDatabase } from "../src/store/connection/database.js";
import type { Store } from "../src/store/open.js";
import { serverAddress } from "../src/store/placement/server-address.js";
import { moveSamples } from "../src/store/sample-servers/move.js";
import type { Scope } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { newScratchFolder } from "./scratch.js";

/** A clock that tests advance instead of sleeping. */
export class MovableClock {
  #offsetMs = 0;
  #stoppedAtMs: number | undefined;
  now(): Date {
    return new Date((this.#stoppedAtMs ?? Date.now()) + this.#offsetMs);
  }
  advance(ms: number): void {
    this.#offsetMs += ms;
  }
  /** Stops the clock at this time until it is moved. */
  stopAt(timestampMs: number): void {
    this.#stoppedAtMs = timestampMs;
    this.#offsetMs = 0;
  }
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape, and fail if a member is missing
  body: any;
}

export interface Send {
  token?: string | undefined;
  json?: unknown;
  form?: Record<string, string>;
  body?: BodyInit;
  headers?: Record<string, string>;
}

export interface TestAccount {
  id: number;
  username: string;
  password: string;
  token: string;
}

export interface TestDevice {
  id: number;
  serial_number: string;
  device_name: string;
}

const isPostgres = process.env.TEST_DATABASE === "postgres";

/** Template of a new database: without tables, or with the tables of this release. */
export type Template = "empty" | "migrated";

/** Databases on the server of the run, and folders of embedded databases, that the tests of a file have created. */
const created = { databases: [] as string[], folders: [] as string[] };

/** Removes the databases of a file after its tests, because a run creates hundreds of databases of 10 to 40 MB each. */
export async function removeDatabases(): Promise<void> {
  for (const folder of created.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  const names = created.databases.splice(0);
  if (names.length > 0)
    await onServer(async (admin) => {
      for (const name of names) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    });
}

/** Copies a folder with an embedded database, because creating and migrating one takes seconds. */
function newFolder(template: Template): string {
  const folder = newScratchFolder();
  created.folders.push(folder);
  cpSync(join(inject("embeddedTemplates"), template), folder, { recursive: true });
  return folder;
}

/** Connects to the server of the run as administrator. */
async function onServer(use: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client(`${inject("postgresUrl")}postgres`);
  await admin.connect();
  await use(admin);
  await admin.end();
}

/** Creates a database on the server of the run. @returns its URL */
async function newServerDatabase(template: Template): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onServer((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  created.databases.push(name);
  return `${inject("postgresUrl")}${name}`;
}

/**
 * Number of connections per pool. One caller gets a third of them, and up to five reads of one caller wait for a lock in the
 * tests.
 */
const POOL_SIZE = 18;

/** Creates a database, without tables by default; the caller must close it. */
export async function newDatabase(
  template: Template = "empty",
): Promise<{ database: Database; databaseUrl: string | null }> {
  const databaseUrl = isPostgres ? await newServerDatabase(template) : null;
  const database = await openDatabase(
    databaseUrl === null ? { folder: newFolder(template) } : { url: databaseUrl, poolSize: POOL_SIZE },
  );
  return { database, databaseUrl };
}

type TestStore = Store & { databaseUrl: string | null };

/** Creates an empty, migrated database; within a test, it is closed at the end of the test. */
export async function newStore(): Promise<TestStore> {
  const store = await lastingStore();
  stopAfterTest(() => store.close());
  return store;
}

/** Distributes the samples over the servers of the run, if there are any. */
async function distribute({ kind, direct }: Database): Promise<void> {
  const urls = kind === "postgres" ? inject("sampleServerUrls") : [];
  if (urls.length === 0) return;
  const client = await direct.connect();
  try {
    await moveSamples(client, urls.map(serverAddress));
  } finally {
    client.release(true);
  }
}

/** Creates an empty, migrated database that outlives the test; the caller must close it. */
export async function lastingStore(): Promise<TestStore> {
  const { database, databaseUrl } = await newDatabase("migrated");
  await distribute(database);
  let closed: Promise<void> | undefined;
  const store = {
    database,
    serverKey: randomBytes(32),
    databaseUrl,
    close() {
      closed ??= close();
      return closed;
    },
  };
  async function close(): Promise<void> {
    for (const service of runningOn.get(store) ?? []) await service.stop();
    await database.close();
  }
  return store;
}

/** Services to stop before a store is closed, because a failed `beforeAll` does not stop its services. */
const runningOn = new WeakMap<Store, Set<Service>>();

/**
 * Folder with a page of one file. Each file of the built page has a route, which would take a third of the time to start a
 * service. `page.test.ts` has its own pages, and the tests of the page itself use the built page.
 */
const SMALL_PAGE = join(import.meta.dirname, "small-page");

/** Returns settings for tests: a free port, minimal logs, and limits that a test run does not reach. */
export const testConfig = (changes: Partial<Config> = {}): Config => ({
  ...readConfig({ PORT: "0", METRICS_PORT: "0", LOG_LEVEL: process.env.TEST_LOG ?? "silent" }),
  dataDir: newScratchFolder(),
  pageDir: SMALL_PAGE,
  throttleAddressPerMinute: 1_000_000,
  throttleUserPerMinute: 1_000_000,
  throttleRawDataPerMinute: 1_000_000,
  throttleFilesPerMinute: 1_000_000,
  throttleOwnershipsPerMinute: 1_000_000,
  throttleRegistrationsPerHour: 1_000_000,
  throttleRegistrationMailsPerDay: 1_000_000,
  throttleTokensPerMinute: 1_000_000,
  throttlePasswordResetsPerHour: 1_000_000,
  convertConcurrencyPerUser: 8,
  ...changes,
});

export class TestService {
  readonly store: Store;
  readonly service: Service;
  readonly clock: MovableClock;
  readonly config: Config;
  #client: Promise<{ clientId: string; clientSecret: string }> | undefined;

  constructor(store: Store, service: Service, clock: MovableClock, config: Config) {
    this.store = store;
    this.service = service;
    this.clock = clock;
    this.config = config;
  }

  /** Starts the service; within a test, it is stopped at the end of the test. */
  static async start(
    store: Store,
    changes: Partial<Config> = {},
    lookup?: AddressLookup,
  ): Promise<TestService> {
    const started = await TestService.startLasting(store, changes, lookup);
    stopAfterTest(() => started.stop());
    return started;
  }

  static async startLasting(
    store: Store,
    changes: Partial<Config> = {},
    lookup?: AddressLookup,
  ): Promise<TestService> {
    const config = testConfig(changes);
    const clock = new MovableClock();
    const service = await startProcess(config, store, "api", clock, lookup);
    const running = runningOn.get(store) ?? new Set();
    runningOn.set(store, running.add(service));
    return new TestService(store, service, clock, config);
  }

  /** Returns a context like the context of an operator command. */
  get ctx(): OperatorContext {
    return ownContext(this.config, this.store, this.clock);
  }

  /** Returns a context like the context of a job, with computations. */
  get computing(): Context {
    return ownContext(this.config, this.store, this.clock, undefined, this.service.computer);
  }

  /** Runs all waiting jobs, because services in tests do not run jobs automatically. */
  runJobs(): Promise<void> {
    return this.service.worker.drain();
  }

  async send(
    method: string,
    path: string,
    { token, json, form, body, headers = {} }: Send = {},
  ): Promise<Answer> {
    const content: [BodyInit | undefined, string | undefined] =
      json !== undefined
        ? [JSON.stringify(json), "application/json"]
        : form !== undefined
          ? [new URLSearchParams(form), undefined]
          : [body, undefined];
    const response = await fetch(`${this.service.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(content[1] === undefined ? {} : { "Content-Type": content[1] }),
        ...headers,
      },
      ...(content[0] === undefined ? {} : { body: content[0] }),
    });
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      // Skip the stream, which would last until the client disconnects. `live.test.ts` reads it.
      await response.body?.cancel();
      return { status: response.status, headers: response.headers, body: "events" };
    }
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    const isJson = /^application\/(problem\+)?json/.test(type) && text !== "";
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  get(path: string, token?: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("GET", path, { token, headers });
  }

  post(path: string, json: unknown, token?: string): Promise<Answer> {
    return this.send("POST", path, { token, json });
  }

  /** Returns the OAuth application that clients in tests use. */
  client(): Promise<{ clientId: string; clientSecret: string }> {
    this.#client ??= createApplication(this.ctx, { name: "test", redirectUris: [] });
    return this.#client;
  }

  async token(form: Record<string, string>): Promise<Answer> {
    const { clientId, clientSecret } = await this.client();
    return this.send("POST", "/oauth2/token/", {
      form: { client_id: clientId, client_secret: clientSecret, ...form },
    });
  }

  async logIn(username: string, password: string): Promise<string> {
    const { status, body } = await this.token({ grant_type: "password", username, password });
    if (status !== 200) throw new Error(`No token for ${username}: ${status} ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** Registers a manager over HTTP and logs in. */
  async manager(more: Record<string, unknown> = {}, query = ""): Promise<TestAccount> {
    const username = `manager-${randomUUID()}`;
    const password = `pass ${randomUUID()}`;
    const { status, body } = await this.post(`/api/v1/managers/${query}`, {
      username,
      password,
      email: `${username}@example.org`,
      ...more,
    });
    if (status !== 201) throw new Error(`Not registered: ${status} ${JSON.stringify(body)}`);
    return { id: body.id, username, password, token: await this.logIn(username, password) };
  }

  /** Creates a personal token for a user, which is valid for a day. */
  async personalToken(by: TestAccount, ...scopes: Scope[]): Promise<string> {
    const { status, body } = await this.post(
      "/api/v2/tokens/",
      { name: "Program", scopes, valid_days: 1, password: by.password },
      by.token,
    );
    if (status !== 201) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
    return body.token;
  }

  /** Registers an athlete and logs in. */
  async athlete(more: { email?: string } = {}): Promise<TestAccount> {
    const username = `athlete-${randomUUID()}`;
    const email = more.email ?? `${username}@example.org`;
    const password = `pass ${randomUUID()}`;
    const passwordHash = await hashPassword(this.ctx, password, username);
    const { id } = await transact(this.ctx, "test", (change) =>
      insertAccount(change, { role: "ATHLETE", username, email, passwordHash }),
    );
    return { id, username, password, token: await this.logIn(username, password) };
  }

  /** Adds a device that nobody has owned. */
  async device(more: Partial<{ deviceName: string; deviceType: string }> = {}): Promise<TestDevice> {
    const serialNumber = randomBytes(6).toString("hex").toUpperCase();
    const [device] = await addDevices(this.ctx, [
      { serialNumber, deviceName: `tracker-${serialNumber}`, deviceType: "T1", ...more },
    ]);
    if (device === undefined) throw new Error("No device");
    return { id: device.id, serial_number: device.serialNumber, device_name: device.deviceName };
  }

  /** Adds a device that the manager owns from now on. */
  async ownedDevice(owner: TestAccount, more: Partial<{ deviceName: string; deviceType: string }> = {}) {
    const device = await this.device(more);
    const { status } = await this.take(device, owner);
    if (status !== 201) throw new Error(`Not taken: ${status}`);
    return device;
  }

  /** Extends the last ownership of the device backwards, as the operator can. */
  async backdate(device: TestDevice, start: string): Promise<void> {
    await backdateOwnership(this.ctx, device.serial_number, new Date(start));
  }

  /** Loads a recording and runs its job. @returns the finished job */
  async load(device: TestDevice, by: TestAccount, recording: Uint8Array): Promise<Answer> {
    const asi_b64 = Buffer.from(recording).toString("base64");
    const { status, body } = await this.post(
      `/api/v1/devices/${device.id}/bulk-load/`,
      { asi_b64 },
      by.token,
    );
    if (status !== 200) throw new Error(`Not accepted: ${status} ${JSON.stringify(body)}`);
    await this.runJobs();
    return this.get(`/api/v1/jobs/${body.job_id}/`, by.token);
  }

  take({ serial_number, device_name }: TestDevice, by: TestAccount): Promise<Answer> {
    return this.post("/api/v1/devices/take-ownership/", { serial_number, device_name }, by.token);
  }

  release(device: TestDevice, by: TestAccount): Promise<Answer> {
    return this.send("POST", `/api/v1/devices/${device.id}/release-ownership/`, { token: by.token });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    runningOn.get(this.store)?.delete(this.service);
  }
}

let shared: Promise<TestService> | undefined;

/**
 * Returns the service that all tests of a file share, on a separate database. A test that moves the clock or changes settings
 * uses `startService`.
 */
export function service(): Promise<TestService> {
  shared ??= lastingStore().then((store) => TestService.startLasting(store));
  return shared;
}

/** Stops the service of the file; the next file starts a new one. */
export async function endService(): Promise<void> {
  const ending = shared;
  shared = undefined;
  await (await ending)?.store.close();
}

/**
 * Starts another process on the database of the file's service, with a separate clock and settings, until the end of the test.
 */
export async function startService(changes: Partial<Config> = {}): Promise<TestService> {
  return TestService.start((await service()).store, changes);
}
