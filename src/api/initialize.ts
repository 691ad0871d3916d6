import { optionNames, requireOptions, shown } from "../arguments.js";
import { acquireEngine, bestEngine, preferCore, prepareEngine, releaseEngine } from "../engine/engines.js";
import { AsiError } from "../errors.js";
import type { EngineName } from "../types.js";

/** A `WebAssembly.Module`, if the types of the platform declare it. The types of Node.js do not. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } }
  ? M
  : object;

export interface InitializeOptions {
  /**
   * The compiled core: `asi-convert/core.wasm` or, without SIMD, `asi-convert/core-scalar.wasm`. It is required on platforms that
   * forbid compiling from bytes. Default: the core that is embedded in the library.
   */
  module?: CompiledModule | undefined;
}

const OPTIONS = optionNames<InitializeOptions>({ module: true });

/**
 * Compiles the decoder in advance, or uses one that is already compiled. This call is optional: otherwise the decoder is compiled
 * for the first recording.
 *
 * @returns the default engine after this call; `plain` if WebAssembly is not allowed
 * @throws AsiError `BAD_OPTION` if the value is not a module, or is not a core of this version, or does not run here
 */
export async function initialize(options: InitializeOptions = {}): Promise<EngineName> {
  requireOptions(options, OPTIONS);
  const { module } = options;
  if (module !== undefined) {
    if (!isModule(module)) {
      throw new AsiError(
        "BAD_OPTION",
        `module is ${shown(module)}; it must be a compiled WebAssembly.Module.`,
      );
    }
    return preferCore(module);
  }
  await prepareEngine(undefined);
  releaseEngine(acquireEngine(undefined));
  return bestEngine();
}

// Returns whether a value is a module, including one from a different realm, which is not an instance of this realm's class.
function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]";
}
