import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RECIPES } from "asi-convert/metrics";
import { beforeAll, describe, expect, it } from "vitest";
import { walk } from "../../server/test/recordings.js";
import {
  service,
  startService,
  type TestAccount,
  type TestDevice,
  type TestService,
} from "../../server/test/service.js";
import { Team } from "../../server/test/team.js";
import {
  ApiError,
  type Client,
  createClient,
  JobFailedError,
  obtainToken,
  type Resource,
  unwrap,
} from "../src/index.js";
import { watcher } from "./watched-client.js";

const fixture = (name: string) =>
  new Uint8Array(readFileSync(fileURLToPath(new URL(`../../fixtures/valid/${name}`, import.meta.url))));

let s: TestService;
let ann: TestAccount;
let asi: Client;
let device: TestDevice;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
  device = await s.ownedDevice(ann);
  asi = clientOf(ann);
});

const baseUrl = () => s.service.url ?? "";
const clientOf = ({ token }: TestAccount) => createClient({ baseUrl: baseUrl(), token });

const watched = watcher(() => ({ baseUrl: baseUrl(), token: ann.token }));

const pass = async () => undefined;

describe("requests", () => {
  it("contain the given token, or the token that a function returns for each request", async () => {
    expect((await unwrap(asi.GET("/api/v1/account/"))).username).toBe(ann.username);
    let calls = 0;
    const token = async () => {
      calls += 1;
      return ann.token;
    };
    const fresh = createClient({ baseUrl: baseUrl(), token });
    await unwrap(fresh.GET("/api/v1/account/"));
    await unwrap(fresh.GET("/api/v1/devices/{device}/", { params: { path: { device: device.id } } }));
    expect(calls).toBe(2);
  });

  it("use a token from the token endpoint and refresh it there", async () => {
    const { clientId: client_id, clientSecret: client_secret } = await s.client();
    const application = { client_id, client_secret };
    const { username, password } = ann;
    const at = { baseUrl: `${baseUrl()}/` };
    const first = await obtainToken(at, { ...application, username, password });
    const { access_token } = await obtainToken(at, {
      ...application,
      refresh_token: first.refresh_token ?? "",
    });
    const client = createClient({ ...at, token: access_token });
    expect((await unwrap(client.GET("/api/v1/account/"))).username).toBe(username);
    const wrong = obtainToken(at, { ...application, username, password: "wrong" });
    await expect(wrong).rejects.toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("have a stable code and the message of the service if they are refused", async () => {
    const renamed = asi.PUT("/api/v1/devices/{device}/set-custom-name/", {
      params: { path: { device: device.id } },
      body: { custom_name: " x" },
    });
    const error = await unwrap(renamed).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 400,
      code: "invalid",
      message: expect.stringMatching(/^custom_name: At most 60 letters/),
      requestId: expect.any(String),
    });
    const { error: body, response } = await asi.GET("/api/v1/devices/{device}/", {
      params: { path: { device: 999_999 } },
    });
    expect([response.status, body]).toEqual([404, { detail: "Not found." }]);
  });

  it("contain the header of the page but no token if they come from the page", async () => {
    const { client, sent } = watched(pass, { token: undefined, session: true });
    await client.GET("/api/v1/account/");
    const { response } = await client.POST("/session/", {
      body: { username: ann.username, password: ann.password },
    });
    expect(response.status).toBe(201);
    expect(sent.map(({ headers }) => [headers.get("x-asi-page"), headers.get("authorization")])).toEqual([
      ["1", null],
      ["1", null],
    ]);
  });

  it("wait if the page has no session, and are repeated with the next one", async () => {
    let isSignedIn = false;
    let timesAsked = 0;
    const { fetch } = globalThis;
    const options = {
      baseUrl: baseUrl(),
      session: true,
      fetch(request: Request) {
        // replaces the cookie, which Node.js does not store
        if (isSignedIn) request.headers.set("Authorization", `Bearer ${ann.token}`);
        return fetch(request);
      },
    };
    const answers = [false, true];
    const client = createClient({
      ...options,
      async onSessionEnd() {
        isSignedIn = answers[timesAsked++] === true;
        return isSignedIn;
      },
    });
    const path = { device: device.id };
    const rename = () =>
      client.PUT("/api/v1/devices/{device}/set-custom-name/", {
        params: { path },
        body: { custom_name: "After signing in" },
      });
    expect((await rename()).response.status).toBe(403);
    expect((await unwrap(rename())).custom_name).toBe("After signing in");
    expect(timesAsked).toBe(2);
    // a missing permission does not mean that the session is missing
    await client.GET("/api/v1/managers/{manager}/", { params: { path: { manager: 1 } } });
    expect(timesAsked).toBe(2);
  });
});

describe("lists", () => {
  it("are loaded page by page on demand", async () => {
    const owner = await s.manager();
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.push((await s.ownedDevice(owner)).id);
    const { client, sent } = watched(pass, { token: owner.token });
    const found: number[] = [];
    const query = { limit: 2, ordering: "serial_number" };
    for await (const { id } of client.list("/api/v1/devices/", { params: { query } })) found.push(id);
    expect(found.sort()).toEqual(ids.sort());
    expect(sent).toHaveLength(3);
    for await (const { id } of client.list("/api/v1/devices/", { params: { query } })) {
      expect(ids).toContain(id);
      break;
    }
    expect(sent).toHaveLength(4);
  });

  it("have typed results for a path with parameters", async () => {
    const started = new Date(Date.now() + 1_000).toISOString();
    await s.load(device, ann, await walk(device.serial_number, started, 60));
    const query = { start: started, stop: new Date(Date.parse(started) + 60_000).toISOString(), limit: 25 };
    const times: number[] = [];
    const samples = asi.list("/api/v1/devices/{device}/preprocessed-data/", {
      params: { path: { device: device.id }, query },
    });
    for await (const sample of samples) times.push(sample["gnss.timestamp"]);
    expect(times.length).toBeGreaterThan(25);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it("throw if the service refuses them", async () => {
    const nobody = createClient({ baseUrl: baseUrl() });
    await expect(nobody.list("/api/v1/devices/").next()).rejects.toMatchObject({ status: 403 });
  });

  it("use cursors in version 2, and problems become errors with their code and detail", async () => {
    const [preset] = RECIPES;
    if (preset === undefined) throw new Error("No recipe");
    const recipe: Record<string, unknown> = { ...preset.recipe };
    const stored: Resource["Recipe"][] = [];
    for (const min_ms of [100, 200, 300]) {
      const body = { name: "Sprints", recipe: { ...recipe, min_ms } };
      stored.push(await unwrap(asi.POST("/api/v2/recipes/", { body })));
    }
    const found: Resource["Recipe"][] = [];
    for await (const one of asi.list("/api/v2/recipes/", {
      params: { query: { limit: 2, name: "Sprints" } },
    }))
      found.push(one);
    expect(found).toEqual(stored);
    const last = { name: "Sprints", recipe: { ...recipe, min_ms: 300 } };
    const repeated = unwrap(asi.POST("/api/v2/recipes/", { body: last }));
    await expect(repeated).rejects.toMatchObject({
      status: 409,
      code: "recipe_unchanged",
      message: expect.stringContaining("Version 3 of this name is the same recipe"),
    });
  });

  it("have typed figures, including optional figures", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 60);
    await team.run(0, 30, 3000);
    const { peak_demands, season_max_speed, recipes } = await unwrap(
      clientOf(team.manager).GET("/api/v1/timeframes/{timeframe}/computed-data/", {
        params: { path: { timeframe: frame }, query: { with_peaks: true, with_max_speed: true } },
      }),
    );
    const metres: number | null | undefined = peak_demands?.peaks.distance[0]?.value;
    const isUnconfirmed: boolean | null | undefined = season_max_speed?.unconfirmed;
    const counts: (number | null)[] | undefined = recipes?.map(({ count }) => count);
    expect([metres, isUnconfirmed, counts]).toEqual([3, true, undefined]);
  });
});

describe("recordings", () => {
  it.each([
    ["bytes", (bytes: Uint8Array<ArrayBuffer>) => bytes],
    ["a blob", (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes])],
    ["a stream", (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream()],
  ] as const)("are uploaded from %s, and the client waits for the job", async (_, sourceOf) => {
    const own = await s.ownedDevice(ann);
    const recording = await walk(own.serial_number, new Date(Date.now() + 1_000).toISOString(), 200);
    const { job_id } = await asi.upload(own.id, sourceOf(new Uint8Array(recording)));
    const waiting = asi.waitForJob(job_id, { intervalMs: 10 });
    await s.runJobs();
    const { details } = await waiting;
    expect(details.samples_stored).toBe(details.samples_read);
    expect(details.samples_read).toBeGreaterThan(100);
  });

  it("create one job if they are uploaded twice with the same key", async () => {
    const recording = await walk(device.serial_number, new Date().toISOString(), 1);
    const [one, again, other] = [
      await asi.upload(device.id, new Uint8Array(recording), { idempotencyKey: "one" }),
      await asi.upload(device.id, new Uint8Array(recording), { idempotencyKey: "one" }),
      await asi.upload(device.id, new Uint8Array(recording)),
    ];
    expect(again.job_id).toBe(one.job_id);
    expect(other.job_id).not.toBe(one.job_id);
  });

  it("of several devices are uploaded once, in one request, with an error for each refused recording", async () => {
    const own = await Promise.all([s.ownedDevice(ann), s.ownedDevice(ann)]);
    const start = new Date().toISOString();
    const recordings = await Promise.all(
      [...own.map(({ serial_number }) => serial_number), "NOBODYS"].map(
        async (serial) => new Uint8Array(await walk(serial, start, 2)),
      ),
    );
    const uploaded = await asi.uploadRecordings(recordings);
    expect(uploaded.map((one) => [one.device, one.job?.state, one.problem?.code])).toEqual([
      [own[0]?.id, "PENDING", undefined],
      [own[1]?.id, "PENDING", undefined],
      [null, undefined, "unknown_device"],
    ]);
    const named = new File([recordings[0] ?? expect.fail()], "a.asi");
    expect(await asi.uploadRecordings([named])).toMatchObject([
      { name: "a.asi", job: { id: uploaded[0]?.job?.id }, repeated: true },
    ]);
    // The documented operation throws too.
    const file = recordings.slice(0, 2).map((bytes) => new Blob([bytes]));
    const { recordings: again } = await unwrap(asi.POST("/api/v2/recordings/", { body: { file } }));
    expect(again.map(({ repeated }) => repeated)).toEqual([true, true]);
    await expect(asi.uploadRecordings(recordings.slice(2))).rejects.toMatchObject({
      status: 400,
      code: "unknown_device",
    });
  });

  it("fail as jobs with the reason if the service cannot store them", async () => {
    const strict = await startService({ bulkLoadMaxChunks: 1 });
    const own = await s.ownedDevice(ann);
    const recording = await walk(own.serial_number, new Date(Date.now() - 600_000).toISOString(), 6000);
    const client = createClient({ baseUrl: strict.service.url ?? "", token: ann.token });
    const { job_id } = await client.upload(own.id, new Uint8Array(recording));
    await strict.runJobs();
    const error = await client.waitForJob(job_id).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JobFailedError);
    const { job, message } = error as JobFailedError;
    expect([job.state, job.details.code]).toEqual(["FAILURE", "too_scattered"]);
    expect(message).toBe(job.details.message);
  });

  it("are refused immediately if they belong to a different device", async () => {
    const refused = asi.upload(device.id, fixture("match-hr.asi"));
    await expect(refused).rejects.toMatchObject({ status: 400, code: expect.any(String) });
  });

  it("are converted, and the CSV is read as it arrives", async () => {
    const { fileName, report, csv } = await asi.convert(fixture("match-hr.asi"));
    expect(fileName).toMatch(/_.*\.csv$/);
    expect(report).toMatchObject({ bytes: expect.any(Object) });
    const text = await new Response(csv).text();
    expect(text).toBe(new TextDecoder().decode(fixture("match-hr.csv")));
  });

  it("are cancelled if the caller stops waiting", async () => {
    const recording = await walk(device.serial_number, new Date().toISOString(), 1);
    const { job_id } = await asi.upload(device.id, new Uint8Array(recording));
    const signal = AbortSignal.timeout(30);
    await expect(asi.waitForJob(job_id, { intervalMs: 60_000, signal })).rejects.toThrow(/aborted|timeout/i);
  });
});
