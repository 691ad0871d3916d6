import type { Engine } from "./engine.js";
import { AsiError } from "./errors.js";
import { PlainEngine } from "./plain/plain-engine.js";
import type { EngineName } from "./types.js";
import { type CoreName, compileCore, compiledCore, coreNameOf, hasSimd, useCore } from "./wasm/core.js";
import { WasmEngine } from "./wasm/wasm-engine.js";

// The core that the caller has handed in, and whether compiling one from its bytes was refused: at once only, as on the main
// thread of some browsers, or altogether.
let handedIn: CoreName | null = null;
let refused: "at once" | "altogether" | null = null;

/** The fastest engine that this machine runs. */
export function bestEngine(): EngineName {
  return handedIn === null && refused !== null ? "plain" : bestIfCompiled();
}

function bestIfCompiled(): EngineName {
  return handedIn ?? (hasSimd() ? "simd" : "plain");
}

/** A new engine. Throws what `WebAssembly` throws where it is missing or refuses to compile at once. */
export function createEngine(name: EngineName): Engine {
  return name === "plain" ? new PlainEngine() : new WasmEngine(name);
}

// An engine holds its state in a memory of its own, about 1.5 MB; those that are done serve the next recording.
const MAX_IDLE = 4;
const idle: Engine[] = [];

/**
 * An engine for one recording: `releaseEngine` gives it back. Without a name the fastest, and TypeScript alone where
 * WebAssembly is forbidden (a content security policy, say). Throws `BAD_OPTION` for a named one that does not run here.
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
    refused ??= "at once";
    return acquireEngine("plain");
  }
}

/** For those who can wait, before `acquireEngine`: the main thread of some browsers compiles asynchronously only. */
export async function prepareEngine(name: EngineName | undefined): Promise<void> {
  const wanted = name ?? bestIfCompiled();
  if (wanted !== "simd" || (name === undefined && refused === "altogether")) return;
  try {
    compiledCore(wanted);
  } catch {
    try {
      await compileCore();
      refused = null;
    } catch {
      // for an engine that was named, `acquireEngine` says so
      refused = "altogether";
    }
  }
}

/** What is thrown for an engine that the caller named and this machine does not run. */
export function doesNotRun(name: EngineName, cause: unknown): AsiError {
  const hint = name === "scalar" ? " To use it, hand asi-convert/core-scalar.wasm to initialize." : "";
  const message = `The engine "${name}" does not run here; leave the option engine out.${hint}`;
  return new AsiError("BAD_OPTION", message, { cause });
}

export function releaseEngine(engine: Engine): void {
  if (idle.length < MAX_IDLE) idle.push(engine);
}

/**
 * Uses a compiled core from now on wherever no engine is named. Throws `BAD_OPTION` for what is no core of this build or does
 * not run here.
 */
export function preferCore(module: WebAssembly.Module): CoreName {
  const name = coreNameOf(module);
  if (name === null) {
    throw new AsiError(
      "BAD_OPTION",
      "module is not the core of this version; hand in asi-convert/core.wasm or core-scalar.wasm of the installed package.",
    );
  }
  useCore(name, module);
  try {
    releaseEngine(createEngine(name));
  } catch (cause) {
    throw doesNotRun(name, cause);
  }
  handedIn = name;
  return name;
}
