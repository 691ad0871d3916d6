import type { Engine } from "../src/engine/engine.js";
import { createEngine } from "../src/engine/engines.js";
import type { EngineName } from "../src/types.js";
import { Oracle } from "./oracle/index.js";
import "./scalar-core.js";

/** The engines of the library. */
export const ENGINES: EngineName[] = ["simd", "scalar", "plain"];

/** The engines and the oracle, with their names. */
export const everyEngine: readonly (readonly [name: string, create: () => Engine])[] = [
  ["the oracle", () => new Oracle()],
  ...ENGINES.map((name) => [`the ${name} engine`, () => createEngine(name)] as const),
];
