/** Provides the service under test: the real service on a real database, which tests access over HTTP. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Config } from "../src/config/config.js";
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
import type { Store } from "../src/store/open.js";
import type { Scope } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { lastingStore, runningOn } from "./databases.js";
import { testConfig } from "./test-config.js";

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

  /** Adds a device that the manager has owned since 2024. */
  async longOwned(owner: TestAccount): Promise<TestDevice> {
    const device = await this.ownedDevice(owner);
    await this.backdate(device, "2024-01-01T00:00:00Z");
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
