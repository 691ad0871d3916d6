import { readFileSync } from "node:fs";
import { useCore } from "../src/engine/wasm/core.js";

// The core without SIMD is a separate file. Importing this makes the engine "scalar" available in tests.
const path = new URL("../build/core-scalar.wasm", import.meta.url);
useCore("scalar", new WebAssembly.Module(readFileSync(path)));
