import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixture } from "./fixture-files.js";

const fileOf = (name: string) => readFileSync(new URL(`../build/core-${name}.wasm`, import.meta.url));
const compiled = (name: string) => new WebAssembly.Module(fileOf(name));
const { bytes, csv } = fixture("valid/run-fix-loss");
const text = (utf8: Uint8Array) => new TextDecoder().decode(utf8);

// Node.js compiles its HTTP parser at the first use of Response. This call makes it compile before a test replaces WebAssembly.
await new Response("").text();

/** A WebAssembly that refuses to compile bytes, as under a policy without 'wasm-unsafe-eval'. */
function forbidding(compile?: typeof WebAssembly.compile): object {
  const refuse = () => {
    throw new WebAssembly.CompileError("Wasm code generation disallowed by embedder");
  };
  return {
    Module: new Proxy(WebAssembly.Module, { construct: refuse }),
    Instance: WebAssembly.Instance,
    validate: WebAssembly.validate,
    compile: compile ?? (async () => refuse()),
    instantiate: WebAssembly.instantiate,
    CompileError: WebAssembly.CompileError,
  };
}

describe("initialize", () => {
  let library: typeof import("../src/index.js");

  beforeEach(async () => {
    vi.resetModules();
    library = await import("../src/index.js");
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("returns the engine that reads all further recordings", async () => {
    expect(await library.initialize()).toBe("simd");
    expect(library.inspectSync(bytes).engine).toBe("simd");
  });

  it.for(["simd", "scalar"])("accepts the module of a core: %s", async (name) => {
    expect(await library.initialize({ module: compiled(name) })).toBe(name);
    const converted = library.convertSync(bytes);
    expect(converted.engine).toBe(name);
    expect(text(converted.csv)).toBe(csv);
  });

  it("returns plain where compilation is forbidden, and simd for a module that was compiled before", async () => {
    const module = compiled("simd");
    vi.stubGlobal("WebAssembly", forbidding());
    expect(library.convertSync(bytes).engine).toBe("plain");
    expect(await library.initialize()).toBe("plain");
    expect(await library.initialize({ module })).toBe("simd");
    expect(library.convertSync(bytes).engine).toBe("simd");
    expect((await library.inspect(bytes)).engine).toBe("simd");
  });

  it("is not needed where only synchronous compilation is refused", async () => {
    vi.stubGlobal("WebAssembly", forbidding(WebAssembly.compile));
    expect(library.inspectSync(bytes).engine).toBe("plain");
    expect((await library.inspect(bytes)).engine).toBe("simd");
    expect(library.inspectSync(bytes).engine).toBe("simd");
  });

  it.for<[string, unknown]>([
    ["the bytes of the core", fileOf("simd")],
    ["an instance", new WebAssembly.Instance(compiled("simd"), { env: { abort() {} } })],
    ["null", null],
    ["a path", "core.wasm"],
  ])("refuses a value that is not a module: %s", async ([, module]) => {
    await expect(library.initialize({ module } as object)).rejects.toMatchObject({
      name: "AsiError",
      code: "BAD_OPTION",
      message: expect.stringMatching(/^module is .*; it must be a compiled WebAssembly.Module/),
    });
  });

  it("refuses any other module, including a core of a different version", async () => {
    const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    await expect(library.initialize({ module: empty })).rejects.toMatchObject({
      code: "BAD_OPTION",
      message: expect.stringMatching(/not the core of this version/),
    });
    expect(library.inspectSync(bytes).engine).toBe("simd");
  });
});
