/** Tests the built package. Run `npm run build -w client` first. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { walk } from "../../server/test/recordings.js";
import { service, type TestService } from "../../server/test/service.js";

const root = join(import.meta.dirname, "..");
/** The folder is inside the package, because `asi-client` then resolves to the package itself. */
const folder = join(root, "build", `test-${process.pid}`);
const run = promisify(execFile);

let s: TestService;

beforeAll(async () => {
  s = await service();
  mkdirSync(folder, { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs a program in a separate file.
 * @returns its output
 */
async function runFile(name: string, source: string, env: Record<string, string> = {}): Promise<string> {
  writeFileSync(join(folder, name), source);
  const { stdout } = await run(process.execPath, [join(folder, name)], { env: { ...process.env, ...env } });
  return stdout;
}

describe("the package", () => {
  it("passes the checks of publint", async () => {
    const { messages } = await publint({ pkgDir: root, strict: true, pack: false });
    expect(messages.filter(({ type }) => type !== "suggestion")).toEqual([]);
  });

  it("can be imported and required", async () => {
    const names = "ApiError,JobFailedError,createClient,fileNameOf,newKey,obtainToken,unwrap\n";
    const esm = 'import * as client from "asi-client"; console.log(Object.keys(client).sort().join());';
    expect(await runFile("esm.mjs", esm)).toBe(names);
    const cjs = 'console.log(Object.keys(require("asi-client")).sort().join());';
    expect(await runFile("cjs.cjs", cjs)).toBe(names);
  });

  it("is bundled for browsers without modules of Node.js, in less than 6 kB", async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: 'export * from "asi-client";', resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
    });
    const bundled = Object.keys(metafile.inputs).filter((input) => input.startsWith("node:"));
    const [{ contents, text } = { contents: new Uint8Array(), text: "" }] = outputFiles;
    expect(bundled).toEqual([]);
    expect(text).not.toMatch(/\brequire\(|\bBuffer\b/);
    expect(gzipSync(contents).length).toBeLessThan(6_000);
  });

  it("runs the examples of the README", async () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const examples = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
    expect(examples).toHaveLength(5);
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const recording = join(folder, "recording.asi");
    writeFileSync(recording, await walk(device.serial_number, new Date(Date.now() + 1_000).toISOString(), 1));
    const { clientId, clientSecret } = await s.client();
    const done = runFile("readme.mjs", examples.join("\n"), {
      ASI_URL: s.service.url ?? "",
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      ASI_USERNAME: ann.username,
      ASI_PASSWORD: ann.password,
      RECORDING: recording,
    });
    // The service under test runs jobs only on request.
    const jobs = setInterval(() => s.runJobs(), 200);
    const printed = await done.finally(() => clearInterval(jobs));
    expect(printed).toContain(`Hello ${ann.username}`);
    expect(printed).toContain(`${device.id} ${device.serial_number}`);
    expect(printed).toMatch(/^\d+ samples$/m);
    expect(printed).toMatch(/\.csv \d+ bytes$/m);
  });
});
