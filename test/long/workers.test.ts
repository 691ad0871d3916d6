import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { convert, type FormatName } from "../../src/index.js";
import { wholeBytes } from "../whole.js";

const FORMATS = ["csv", "parquet", "gpx", "tcx", "fit", "geojson", "geojsonl", "jsonl", "kml"] as const;
// the path of the program; the package has no types
const { default: workerd } = createRequire(import.meta.url)("workerd") as { default: string };
const recording = readFileSync("fixtures/valid/match-hr.asi");

/** The source of the worker's engine. It is compiled with the code, initialized by each request (also during conversions),
 * or TypeScript only. */
const ENGINES = {
  deployed: 'import module from "core.wasm"; const ready = initialize({ module });',
  asked:
    'import module from "core.wasm"; const ready = { then: (go, fail) => initialize({ module }).then(go, fail) };',
  plain: "const ready = undefined;",
};

/** Returns the recording in the request's body, in the format named by the address. */
const worker = (engine: keyof typeof ENGINES) => `
import { convert, initialize } from "./src/index.js";
${ENGINES[engine]}
export default {
  async fetch(request) {
    await ready;
    const { body } = convert(request.body, { format: new URL(request.url).pathname.slice(1) });
    return new Response(body);
  },
};`;

const configuration = (flags: string) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "core.wasm", wasm = embed "core.wasm")],
  compatibilityDate = "2025-06-01",
  compatibilityFlags = [${flags}],
);`;

/** Starts the worker on a free port of this machine. */
async function serve(folder: string): Promise<{ server: ChildProcess; origin: string }> {
  const server = spawn(workerd, ["serve", join(folder, "worker.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const messages = createInterface({ input: server.stdio[3] as Readable });
  for await (const line of messages) {
    const { event, port } = JSON.parse(line) as { event: string; port: number };
    if (event === "listen") return { server, origin: `http://127.0.0.1:${port}` };
  }
  throw new Error("The runtime of Cloudflare Workers did not start.");
}

describe.each([
  ["with timers", "", "deployed"],
  ["with setImmediate", '"nodejs_compat", "nodejs_compat_v2"', "deployed"],
  ["whose requests ask for the core", "", "asked"],
  ["without the core", "", "plain"],
] as const)("an isolate of Cloudflare Workers, %s", (_, flags, engine) => {
  const folder = mkdtempSync(join(tmpdir(), "asi-workers-"));
  let server: ChildProcess | undefined;
  let origin = "";

  beforeAll(async () => {
    const stdin = { contents: worker(engine), resolveDir: "." };
    const outfile = join(folder, "worker.js");
    await build({ stdin, outfile, bundle: true, format: "esm", external: ["core.wasm"], logLevel: "error" });
    writeFileSync(join(folder, "core.wasm"), readFileSync("build/core-simd.wasm"));
    writeFileSync(join(folder, "worker.capnp"), configuration(flags));
    ({ server, origin } = await serve(folder));
  });
  afterAll(() => {
    server?.kill();
    rmSync(folder, { recursive: true });
  });

  const answer = async (format: FormatName) => {
    const response = await fetch(`${origin}/${format}`, { method: "POST", body: recording });
    return Buffer.from(await response.arrayBuffer());
  };
  const expected = async (format: FormatName) =>
    Buffer.from(await wholeBytes(convert(recording, { format }).body));

  it.for(FORMATS)("answers a second request like the first: %s", async (format) => {
    const bytes = await expected(format);
    for (let request = 0; request < 2; request++) expect((await answer(format)).equals(bytes)).toBe(true);
  });

  it("answers other requests while one is cancelled", async () => {
    const away = new AbortController();
    const abandoned = fetch(`${origin}/gpx`, { method: "POST", body: recording, signal: away.signal });
    const others = ["csv", "fit"] as const;
    const answers = others.map(answer);
    away.abort();
    await expect(abandoned).rejects.toThrow("aborted");
    for (const [i, format] of others.entries()) {
      expect((await answers[i])?.equals(await expected(format))).toBe(true);
    }
    expect((await answer("csv")).equals(await expected("csv"))).toBe(true);
  });
});
