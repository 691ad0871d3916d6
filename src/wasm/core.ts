import { instantiateSync } from "@assemblyscript/loader";
import { SCALAR_CORE_BASE64, SIMD_CORE_BASE64 } from "./bytes.js";

/** The functions of assembly/index.ts. Numbers named as places are addresses in `memory`. */
export interface CoreExports extends Record<string, unknown> {
  readonly memory: WebAssembly.Memory;
  reset(
    needsHeader: boolean,
    strict: boolean,
    fromMs: number,
    toMs: number,
    fillHrMs: number,
    hasSerial: boolean,
  ): void;
  givenSerial(): number;
  reserve(wanted: number): number;
  inputEnd(): number;
  commit(length: number): void;
  stepAccount(final: boolean): number;
  stepFrames(final: boolean): number;
  stepCsv(final: boolean): number;
  stepColumns(final: boolean): number;
  signalOffset(): number;
  signalPayload(): number;
  signalLength(): number;
  output(): number;
  outputEnd(): number;
  columnLength(): number;
  columnTimestamp(): number;
  columnLatitude(): number;
  columnLongitude(): number;
  columnAltitude(): number;
  columnSpeed(): number;
  columnHr(): number;
  columnFixType(): number;
  program(): number;
  programCapacity(): number;
  givenRows(): number;
  givenRowCapacity(): number;
  takeProgram(length: number, maxRowBytes: number): void;
  writeRows(given: boolean, from: number, to: number): number;
  textEnd(): number;
  closedRanges(): number;
  closedRangeCount(): number;
  rangeBreaks(): number;
  rangeBreakCount(): number;
  account(): number;
}

/** What `step...` returns (assembly/frame.ts). */
export const CoreSignal = {
  drained: 0,
  header: 1,
  notRecording: 2,
  badChecksum: 3,
  overlong: 4,
  overrun: 5,
} as const;

// (module (func (result v128) i32.const 0 i8x16.splat)): valid only where SIMD is
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
]);

let simd: boolean | undefined;

/** Whether this machine runs WebAssembly with 128-bit SIMD. */
export function hasSimd(): boolean {
  simd ??= hasWebAssembly() && WebAssembly.validate(SIMD_PROBE);
  return simd;
}

/** Whether this machine runs WebAssembly at all. */
export function hasWebAssembly(): boolean {
  return typeof WebAssembly === "object";
}

export type CoreName = "simd" | "scalar";

const modules = new Map<CoreName, WebAssembly.Module>();

function bytesOf(name: CoreName): Uint8Array<ArrayBuffer> {
  const binary = atob(name === "simd" ? SIMD_CORE_BASE64 : SCALAR_CORE_BASE64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The compiled core. Compiles on first use only. */
export function compiledCore(name: CoreName): WebAssembly.Module {
  let module = modules.get(name);
  if (module === undefined) {
    module = new WebAssembly.Module(bytesOf(name));
    modules.set(name, module);
  }
  return module;
}

/** A new instance of the core, each with a memory of its own. */
export function instantiateCore(name: CoreName): CoreExports {
  return instantiateSync<CoreExports>(compiledCore(name)).exports;
}

/**
 * Compiles the core ahead, asynchronously, for places that refuse to do it at once (the main thread of some browsers).
 */
export async function compileCore(name: CoreName): Promise<void> {
  if (!modules.has(name)) modules.set(name, await WebAssembly.compile(bytesOf(name)));
}
