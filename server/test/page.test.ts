/** Tests how the service delivers the page at `/`. The tests of the page's package check its behaviour. */
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { newStore } from "./databases.js";
import { newScratchFolder } from "./scratch.js";
import { startService, TestService } from "./service.js";

const SCRIPT = `console.log(${JSON.stringify("x".repeat(2000))});`;

/** Creates a folder with the layout of a built page. */
function builtPage(): string {
  const folder = newScratchFolder();
  mkdirSync(join(folder, "assets"));
  const files = {
    "index.html": "<!doctype html><title>Page</title>",
    "sw.js": "self.addEventListener('fetch', () => {});",
    "assets/worker-0a1b2c3d.js": SCRIPT,
    "assets/worker-0a1b2c3d.js.br": brotliCompressSync(SCRIPT),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Returns the status of a path that is sent verbatim; `fetch` would normalise it. */
const statusOf = ({ service }: TestService, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(service.url ?? "");
    request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });

describe("the page", () => {
  it("is served at / with its content security policy, and is revalidated each time", async () => {
    const s = await startService({ pageDir: builtPage() });
    for (const path of ["/", "/index.html", "/sw.js"]) {
      const { status, headers } = await s.get(path);
      expect([path, status, headers.get("cache-control")]).toEqual([path, 200, "no-cache"]);
      expect(headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
      const again = await s.get(path, undefined, {
        "If-None-Match": headers.get("etag") ?? "",
        // Request the file as browsers do. The fetch of Node.js would request the whole file.
        "Cache-Control": "max-age=0",
      });
      expect([again.status, again.body]).toEqual([304, ""]);
    }
    const { body, headers } = await s.get("/");
    expect(body).toContain("<title>Page</title>");
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it("indicates the service only in the response of its document, including when compressed", async () => {
    const folder = builtPage();
    writeFileSync(join(folder, "index.html.br"), brotliCompressSync("<!doctype html><title>Page</title>"));
    const s = await startService({ pageDir: folder });
    for (const encoding of ["identity", "br"]) {
      const { headers } = await s.get("/", undefined, { "Accept-Encoding": encoding });
      expect([encoding, headers.get("link"), headers.get("x-asi-max-recording-bytes")]).toEqual([
        encoding,
        '<api/schema/>; rel="service-desc"',
        String(s.config.bulkLoadMaxBytes),
      ]);
    }
    expect((await s.get("/sw.js")).headers.get("link")).toBeNull();
  });

  it("consists of files with hashed names that never change, compressed at build time", async () => {
    const s = await startService({ pageDir: builtPage() });
    const { status, headers, body } = await s.get("/assets/worker-0a1b2c3d.js", undefined, {
      "Accept-Encoding": "br",
    });
    expect([status, body]).toEqual([200, SCRIPT]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "br",
      "content-type": expect.stringContaining("javascript"),
      vary: expect.stringMatching(/accept-encoding/i),
    });
    const plain = await s.get("/assets/worker-0a1b2c3d.js", undefined, { "Accept-Encoding": "identity" });
    expect([plain.headers.get("content-encoding"), plain.body]).toEqual([null, SCRIPT]);
    expect((await s.get("/assets/worker-0a1b2c3d.js.br")).status).toBe(404);
  });

  it("can have files with any characters in their names; unknown paths and methods get the same responses as without the page", async () => {
    const folder = builtPage();
    for (const name of ["a(b.js", "c+d.js", "e[f.js"]) writeFileSync(join(folder, name), SCRIPT);
    const s = await startService({ pageDir: folder });
    const answers = await Promise.all([
      s.get("/c+d.js"),
      s.send("DELETE", "/c+d.js", {}),
      s.get("/nowhere/"),
      s.send("DELETE", "/api/v1/athletes/", {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 405, 404, 405]);
  });

  it("uses a worker with a separate policy, which allows WebAssembly but no inline scripts and no scripts of other origins", async () => {
    const s = await startService({ pageDir: builtPage() });
    const { headers } = await s.get("/assets/worker-0a1b2c3d.js");
    const policy = headers.get("content-security-policy") ?? "";
    const directives = new Map(
      policy.split("; ").map((directive) => {
        const [name = "", ...sources] = directive.split(" ");
        return [name, sources];
      }),
    );
    expect(directives.get("default-src")).toEqual(["'none'"]);
    expect(directives.get("script-src")).toEqual(["'self'", "'wasm-unsafe-eval'"]);
    expect(directives.get("frame-ancestors")).toEqual(["'none'"]);
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).not.toMatch(/https?:/);
  });

  it("does not count towards the limit of an address", async () => {
    const s = await TestService.start(await newStore(), {
      pageDir: builtPage(),
      throttleAddressPerMinute: 1,
    });
    for (let time = 0; time < 5; time++) {
      const { status, headers } = await s.get("/");
      expect([status, headers.get("ratelimit")]).toEqual([200, null]);
    }
    expect((await s.get("/api/schema/")).status).toBe(200);
    expect((await s.get("/api/schema/")).status).toBe(429);
  });

  it("does not change the API or the responses for unknown paths", async () => {
    const s = await startService({ pageDir: builtPage() });
    expect((await s.get("/api/docs/")).status).toBe(200);
    expect((await s.get("/api/v1/devices")).body.detail).toContain("slash");
    const outside = ["/../package.json", "/assets/%2e%2e/index.html", "/assets/", "/.", "//index.html"];
    for (const path of outside) expect([path, await statusOf(s, path)]).toEqual([path, 404]);
    const { status, headers } = await s.send("POST", "/");
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  it("is replaced by instructions for building it if it is missing", async () => {
    const s = await startService({ pageDir: newScratchFolder() });
    const { status, body } = await s.get("/");
    expect([status, body.detail]).toEqual([404, expect.stringContaining("npm run build -w asi-web")]);
  });
});
