import type { Engine } from "./engine.js";
import { AsiError } from "./errors.js";
import { PlainEngine } from "./plain/plain-engine.js";
import type { EngineName } from "./types.js";
import { compileCore, compiledCore, hasSimd, hasWebAssembly } from "./wasm/core.js";
import { WasmEngine } from "./wasm/wasm-engine.js";

/** The fastest engine that this machine runs. */
export function bestEngine(): EngineName {
  if (hasSimd()) return "simd";
  return hasWebAssembly() ? "scalar" : "plain";
}

/** A new engine. Throws what `WebAssembly` throws where it is missing or refuses to compile at once. */
export function createEngine(name: EngineName): Engine {
  return name === "plain" ? new PlainEngine() : new WasmEngine(name);
}

// An engine holds its state in a memory of its own, about 1.5 MB; those that are done serve the next recording.
const MOST_IDLE = 4;
const idle: Engine[] = [];

/**
 * An engine for one recording: `releaseEngine` gives it back. Without a name the fastest, and plain TypeScript where
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
    if (name === undefined) return acquireEngine("plain");
    throw doesNotRun(name, cause);
  }
}

/** For those who can wait, before `acquireEngine`: the main thread of some browsers compiles asynchronously only. */
export async function prepareEngine(name: EngineName | undefined): Promise<void> {
  const wanted = name ?? bestEngine();
  if (wanted === "plain") return;
  try {
    compiledCore(wanted);
  } catch {
    // where it cannot be compiled at all, `acquireEngine` says so
    await compileCore(wanted).catch(() => {});
  }
}

/** What is thrown for an engine that the caller named and this machine does not run. */
export function doesNotRun(name: EngineName, cause: unknown): AsiError {
  const message = `The engine "${name}" does not run here; leave the option engine out.`;
  return new AsiError("BAD_OPTION", message, { cause });
}

export function releaseEngine(engine: Engine): void {
  if (idle.length < MOST_IDLE) idle.push(engine);
}
