import { AsiError } from "../errors.js";
import type { EngineName } from "../types.js";
import type { Engine } from "./engine.js";
import { PlainEngine } from "./plain/plain-engine.js";
import { type CoreName, compileCore, compiledCore, coreNameOf, hasSimd, useCore } from "./wasm/core.js";
import { WasmEngine } from "./wasm/wasm-engine.js";

// The core supplied by the caller, and whether the platform refuses to compile a core from bytes. Some browsers refuse only
// synchronous compilation in the main thread; other platforms always refuse.
let supplied: CoreName | null = null;
let refused: "synchronously" | "always" | null = null;

/** Returns the fastest available engine. */
export function bestEngine(): EngineName {
  return supplied === null && refused !== null ? "plain" : bestIfCompiled();
}

function bestIfCompiled(): EngineName {
  return supplied ?? (hasSimd() ? "simd" : "plain");
}

/** Creates an engine. Throws the platform's error if WebAssembly is missing, or refuses to compile synchronously. */
export function createEngine(name: EngineName): Engine {
  return name === "plain" ? new PlainEngine() : new WasmEngine(name);
}

// An engine has its own memory, about 1.5 MB. Idle engines are reused for later recordings.
const MAX_IDLE = 4;
const idle: Engine[] = [];

/**
 * Returns an engine for one recording; call `releaseEngine` afterwards. Without a name, it returns the fastest engine, or the
 * plain one if WebAssembly is forbidden, for example by a content security policy. Throws `BAD_OPTION` if the named engine is not
 * available.
 */
export function acquireEngine(name: EngineName | undefined): Engine {
  const wanted = name ?? bestEngine();
  const index = idle.findIndex((engine) => engine.name === wanted);
  const reused = index < 0 ? undefined : idle.splice(index, 1)[0];
  if (reused !== undefined) return reused;
  try {
    return createEngine(wanted);
  } catch (cause) {
    if (name !== undefined) throw doesNotRun(name, cause);
    refused ??= "synchronously";
    return acquireEngine("plain");
  }
}

/**
 * Compiles the core if necessary. Asynchronous callers call it before `acquireEngine`, because some browsers refuse to compile
 * synchronously in the main thread.
 */
export async function prepareEngine(name: EngineName | undefined): Promise<void> {
  const wanted = name ?? bestIfCompiled();
  if (wanted !== "simd" || (name === undefined && refused === "always")) return;
  try {
    compiledCore(wanted);
  } catch {
    try {
      await compileCore();
      refused = null;
    } catch {
      // for a named engine, `acquireEngine` throws the error
      refused = "always";
    }
  }
}

/** Returns the error for a named engine that is not available. */
export function doesNotRun(name: EngineName, cause: unknown): AsiError {
  const hint = name === "scalar" ? " To use it, pass asi-convert/core-scalar.wasm to initialize." : "";
  const message = `The engine "${name}" is not available here; omit the option engine.${hint}`;
  return new AsiError("BAD_OPTION", message, { cause });
}

export function releaseEngine(engine: Engine): void {
  if (idle.length < MAX_IDLE) idle.push(engine);
}

/**
 * Makes a compiled core the default engine. Throws `BAD_OPTION` if the module is not a core of this build or
 * does not run here.
 */
export function preferCore(module: WebAssembly.Module): CoreName {
  const name = coreNameOf(module);
  if (name === null) {
    throw new AsiError(
      "BAD_OPTION",
      "module is not the core of this version; pass asi-convert/core.wasm or core-scalar.wasm of the installed package.",
    );
  }
  useCore(name, module);
  try {
    releaseEngine(createEngine(name));
  } catch (cause) {
    throw doesNotRun(name, cause);
  }
  supplied = name;
  return name;
}
