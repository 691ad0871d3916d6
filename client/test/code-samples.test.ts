/** Runs the examples of the documentation in curl, TypeScript and Python. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addCodeSamples } from "../../server/src/http/documentation/code-samples/index.js";
import { PathProxy } from "../../server/test/path-proxy.js";
import { walk } from "../../server/test/recordings.js";
import { newScene, type Scene } from "../../server/test/scene.js";
import { service, TestService } from "../../server/test/service.js";
import { schemaId } from "../../server/test/team.js";

const root = join(import.meta.dirname, "..");
/** The folder is inside the package, because `asi-client` then resolves to the package itself. */
const folder = join(root, "build", `samples-${process.pid}`);
const run = promisify(execFile);

type Language = "curl" | "TypeScript" | "Python";
interface Entry {
  operationId: string;
  parameters: { name: string; schema: { examples?: string[] } }[];
  responses: Record<string, { content?: Record<string, unknown> }>;
  requestBody?: { content: Record<string, { example: unknown }> };
  "x-codeSamples": { label: Language; source: string }[];
}
interface OpenApi {
  paths: Record<string, Record<string, Entry>>;
}

const entriesOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, entry]) => ({ path, method: method.toUpperCase(), entry })),
  );
const sourceOf = (entry: Entry, language: Language) =>
  entry["x-codeSamples"].find(({ label }) => label === language)?.source ?? "";

const documented = JSON.parse(readFileSync(join(root, "../server/openapi.json"), "utf8")) as OpenApi;

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the examples of every operation", () => {
  it("exist in curl, TypeScript and Python, with the address of the service", () => {
    for (const { entry } of entriesOf(documented)) {
      const samples = entry["x-codeSamples"];
      expect(samples.map(({ label }) => label)).toEqual(["curl", "TypeScript", "Python"]);
      for (const { source } of samples) expect(source).toContain("http://127.0.0.1:8080");
    }
  });

  it("compile with the types of the client in strict mode", () => {
    const files = new Map(
      entriesOf(documented).map(({ entry }) => [
        join(folder, `${entry.operationId}.ts`),
        sourceOf(entry, "TypeScript"),
      ]),
    );
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
      types: ["node"],
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (name) => files.has(name) || fileExists(name);
    host.readFile = (name) => files.get(name) ?? readFile(name);
    host.getSourceFile = (name, version, ...rest) => {
      const source = files.get(name);
      return source === undefined
        ? getSourceFile(name, version, ...rest)
        : ts.createSourceFile(name, source, version);
    };
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
    expect(ts.formatDiagnostics(problems, { ...host, getCurrentDirectory: () => folder })).toBe("");
  });

  const python = spawnSync("python3", ["--version"]).status === 0;
  if (!python) console.warn("python3 is missing: the examples in Python are not compiled.");
  it.skipIf(!python)("compile in Python", () => {
    const sources = entriesOf(documented).map(({ entry }) => sourceOf(entry, "Python"));
    const program = "import json, sys\nfor source in json.load(sys.stdin): compile(source, 'sample', 'exec')";
    const { status, stderr } = spawnSync("python3", ["-c", program], { input: JSON.stringify(sources) });
    expect([status, String(stderr)]).toEqual([0, ""]);
  });
});

const hasRequests = spawnSync("python3", ["-c", "import requests"]).status === 0;
if (!hasRequests) console.warn("The Python library requests is missing: the examples in Python are not run.");
const LANGUAGES: Language[] = ["curl", "TypeScript", ...(hasRequests ? ["Python" as const] : [])];

/** Replaces known members in an example of a body. */
function withValues(example: unknown, known: Record<string, unknown>): unknown {
  if (Array.isArray(example) || typeof example !== "object" || example === null) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof known[name] === typeof value ? known[name] : value,
    ]),
  );
}

/** The examples for a running service under a path, with the ids of existing objects. */
class Examples {
  readonly document: OpenApi;
  readonly #proxy: PathProxy;
  readonly #token: string;

  private constructor(document: OpenApi, proxy: PathProxy, token: string) {
    this.document = document;
    this.#proxy = proxy;
    this.#token = token;
  }

  static async of(s: TestService, proxy: PathProxy, scene: Scene) {
    const { owner, formerOwner, anotherAthlete, ids, managedAthlete, externalId } = scene;
    const { body: document } = await s.get("/api/schema/");
    const { serial_number, device_name } = await s.device();
    const { clientId, clientSecret } = await s.client();
    const { username, password, token } = owner;
    await s.send("PATCH", `/api/v1/managers/${owner.id}/`, { token, json: { external_id: externalId } });
    const managed = { managed_by: owner.id, athlete_profile: { first_name: "Cleo" } };
    const { body: anotherManaged } = await s.post("/api/v1/athletes/create-managed/", managed, token);
    // the ownership has just begun
    const now = new Date().toISOString();
    const known = { ...ids, owner: owner.id, managed_by: owner.id, athlete: managedAthlete };
    const knownTo: Record<string, object> = {
      takeOwnership: { serial_number, device_name },
      createSession: { username, password },
      obtainToken: { username, password, client_id: clientId, client_secret: clientSecret },
      revokeToken: { token: "unknown", client_id: clientId, client_secret: clientSecret },
      createTimeframe: { json_schema: await schemaId(s, "timeframe_soccer") },
      updateTimeframe: { json_schema: await schemaId(s, "timeframe_soccer") },
      updateManager: { username },
      updateAthlete: { username: `${username}-2` },
      updateManagedAthlete: { external_id: `${externalId}-managed` },
      eraseAthlete: { password: owner.password },
      copySessionPeriods: { from: ids.session },
    };
    /** Athletes for operations that only their manager may use, or that delete objects that other examples need. */
    const about: Record<string, object> = {
      updateManagedAthlete: { athlete: managedAthlete },
      updateManagedAthletePartially: { athlete: managedAthlete },
      eraseAthlete: { athlete: managedAthlete },
      deleteManagedAthlete: { athlete: anotherManaged.id },
      changeAthletePassword: { athlete: anotherAthlete.id },
      revokePermission: { manager: formerOwner.id },
      streamRecording: { serial: scene.device.serial_number },
      retrieveRecordingStream: { serial: scene.device.serial_number },
    };
    for (const { path, method, entry } of entriesOf(document)) {
      for (const content of Object.values<{ example: unknown }>(entry.requestBody?.content ?? {})) {
        const all = { ...known, webhook_url: "http://127.0.0.1:9/", ...knownTo[entry.operationId] };
        content.example = withValues(content.example, all);
      }
      const queried: Record<string, string> = { "external-id": externalId, start: now, stop: now };
      for (const { name, schema } of entry.parameters) {
        if (queried[name] !== undefined) schema.examples = [queried[name]];
      }
      const alone = { ...document, paths: { [path]: { [method.toLowerCase()]: entry } } };
      addCodeSamples(alone, { ...scene.idsFor(path), ...about[entry.operationId] });
    }
    return new Examples(document, proxy, token);
  }

  source(operationId: string, language: Language): string {
    const found = entriesOf(this.document).find(({ entry }) => entry.operationId === operationId);
    if (found === undefined) throw new Error(`There is no operation ${operationId}.`);
    return sourceOf(found.entry, language);
  }

  /**
   * Runs an example as a user does who has copied it into a file.
   * @returns the status of the last response, and the output
   */
  async run(
    operationId: string,
    language: Language,
    token = this.#token,
  ): Promise<{ status: number | undefined; printed: string }> {
    const source = this.source(operationId, language);
    const env = { ...process.env, ASI_TOKEN: token };
    const options = { cwd: folder, env, timeout: 60_000 };
    this.#proxy.answers.length = 0;
    // A configuration file for curl. Streams of live data have a time limit, because they do not end.
    const maxTime = source.includes("/live/") ? "max-time = 3\n" : "";
    writeFileSync(join(folder, ".curlrc"), `silent\n${maxTime}`);
    const outcome =
      language === "curl"
        ? await run("sh", ["-euc", source], { ...options, env: { ...env, CURL_HOME: folder } }).catch(
            (e) => e,
          )
        : language === "Python"
          ? await run("python3", ["-c", source], options).catch((e) => e)
          : await this.#runTypescript(source, options);
    return { status: this.#proxy.answers.at(-1)?.status, printed: `${outcome.stdout}${outcome.stderr}` };
  }

  async #runTypescript(source: string, options: object) {
    const { code } = await transform(source, { loader: "ts", format: "esm" });
    writeFileSync(join(folder, "sample.mjs"), code);
    return run(process.execPath, ["sample.mjs"], options).catch((e) => e);
  }
}

/** Operations that delete objects that other examples need. Contained objects precede their containers, and tokens are last. */
const ENDS = [
  /^DELETE .*(permissions|webhooks|timeframes|members|assignments|v2\/sessions)/,
  /^DELETE|^POST .*(release|erase)/,
  /password/,
];

/**
 * Operations that require a secret, such as the id of an application, the token in an emailed link, the current password, or the username
 * of a manager.
 */
const NEEDS_SECRET = {
  authorize: 400,
  changeAthletePassword: 400,
  changeManagerPassword: 400,
  createApplication: 400,
  createPersonalToken: 400,
  decideDeviceSignIn: 400,
  findDeviceSignIn: 400,
  findManager: 400,
  replaceApplicationSecret: 400,
  resetPassword: 400,
};

/** Operations that require an OpenID provider in the settings. */
const NEEDS_PROVIDER = {
  beginProviderSignIn: 410,
  linkProvider: 410,
  retrieveSignInMethods: 410,
  unlinkProvider: 410,
};

/** Operations on objects that other examples need. They use a separate session. */
const IN_USE = { deleteSquad: 409 };

describe("the examples of a service under a path", () => {
  let s: TestService;
  let proxy: PathProxy;
  let scene: Scene;
  let examples: Examples;

  beforeAll(async () => {
    const shared = await service();
    proxy = await PathProxy.start("/tracking");
    const settings = { baseUrl: proxy.address, webhookAllowPrivate: true, grantManagedAthletes: true };
    s = await TestService.startLasting(shared.store, settings);
    proxy.target = s.service.url ?? "";
    scene = await newScene(s);
    examples = await Examples.of(s, proxy, scene);
    const later = new Date(Date.now() + 120_000).toISOString();
    writeFileSync(join(folder, "roster.csv"), "player,number,serial\nCleo,10,\n");
    writeFileSync(join(folder, "recording.asi"), await walk(scene.device.serial_number, later, 1));
  });
  afterAll(async () => {
    await s?.stop();
    await proxy?.stop();
  });

  /** At least one operation for each way of sending and receiving. */
  const REPRESENTATIVE = [
    ["listDevices", 200],
    ["importRoster", 200],
    ["createActivity", 201],
    ["updateActivityPartially", 200],
    ["bulkLoad", 200],
    ["convertFile", 200],
    ["convertFileToFormat", 200],
  ] as const;
  it.each(REPRESENTATIVE)("get the same response in every language for %s", async (operationId, status) => {
    for (const language of LANGUAGES) {
      expect([language, await examples.run(operationId, language)]).toEqual([
        language,
        { status, printed: expect.any(String) },
      ]);
    }
  });

  it("are accepted by curl for every operation", async () => {
    const rank = ({ method, path }: { method: string; path: string }) =>
      ENDS.findIndex((pattern) => pattern.test(`${method} ${path}`));
    const entries = entriesOf(examples.document).sort((a, b) => rank(a) - rank(b));
    const { owner, thatAthlete, anotherAthlete } = scene;
    // A separate session, because a later example needs the owner's session.
    const { token: guest } = scene.anotherManager;
    const tokens: Record<string, string> = {
      endSession: await s.logIn(owner.username, owner.password),
      acceptInvitation: guest,
      deleteInvitation: guest,
    };
    const refused: Record<string, unknown> = {};
    for (const { entry } of entries) {
      let { status, printed } = await examples.run(entry.operationId, "curl", tokens[entry.operationId]);
      for (const { token } of [thatAthlete, anotherAthlete]) {
        // Only the athlete may use some operations.
        if (status === 403) ({ status, printed } = await examples.run(entry.operationId, "curl", token));
      }
      const isDone = (status ?? 500) < 300 && entry.responses[`${status}`] !== undefined;
      if (!isDone) refused[entry.operationId] = status ?? printed;
    }
    expect(refused).toEqual({ ...NEEDS_SECRET, ...NEEDS_PROVIDER, ...IN_USE });
  });
});
