import { requireObject, shown } from "./arguments.js";
import { acquireEngine, bestEngine, preferCore, prepareEngine, releaseEngine } from "./engines.js";
import { AsiError } from "./errors.js";
import type { EngineName } from "./types.js";

export interface InitializeOptions {
  /**
   * The compiled core, `asi-convert/core.wasm` or, without SIMD, `asi-convert/core-scalar.wasm`, for where compiling from bytes
   * is forbidden. Default: the copy in the library.
   */
  module?: WebAssembly.Module | undefined;
}

/**
 * Compiles the decoder ahead, or takes one that is compiled. Nobody has to call it: otherwise the first recording does so.
 *
 * @returns which engine reads from now on where no other is named: `plain` where WebAssembly may not run
 * @throws AsiError `BAD_OPTION` for what is no module, the module of something else or of another version of the library, and
 * one that does not run here
 */
export async function initialize(options: InitializeOptions = {}): Promise<EngineName> {
  requireObject("options", options);
  const { module } = options;
  if (module !== undefined) {
    if (!isModule(module)) {
      throw new AsiError(
        "BAD_OPTION",
        `module is ${shown(module)}; it must be a WebAssembly.Module, compiled already.`,
      );
    }
    return preferCore(module);
  }
  await prepareEngine(undefined);
  releaseEngine(acquireEngine(undefined));
  return bestEngine();
}

// One of another realm is no instance of this one's class.
function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]";
}
