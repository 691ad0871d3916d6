import { instantiate, instantiateSync } from "@assemblyscript/loader";
import { ALPHABET, CORE_MARKS, SIMD_CORE } from "./bytes.js";

/** The exports of assembly/index.ts. Positions are addresses in `memory`. */
export interface CoreExports extends Record<string, unknown> {
  readonly memory: WebAssembly.Memory;
  reset(
    needsHeader: boolean,
    strict: boolean,
    fromMs: number,
    toMs: number,
    fillHrMs: number,
    hasSerial: boolean,
    heartRateSource: number,
    waveformUse: number,
    quality: boolean,
  ): void;
  givenSerial(): number;
  reserve(wanted: number): number;
  inputEnd(): number;
  commit(length: number): void;
  stepWithoutOutput(final: boolean): number;
  stepFrames(final: boolean): number;
  stepCsv(final: boolean): number;
  stepColumns(final: boolean): number;
  signalOffset(): number;
  signalPayload(): number;
  signalLength(): number;
  output(): number;
  outputEnd(): number;
  beatsEnd(): number;
  columnLength(): number;
  columns(): number;
  quality(): number;
  givenColumns(): number;
  rowCapacity(): number;
  program(): number;
  programCapacity(): number;
  takeProgram(length: number, maxRowBytes: number, tailBytes: number, utcOffsetMs: number): void;
  writeRows(given: boolean, from: number, to: number): number;
  textEnd(): number;
  closedRanges(): number;
  closedRangeCount(): number;
  rangeBreaks(): number;
  rangeBreakCount(): number;
  counters(): number;
}

/** Results of `step...` (assembly/frame.ts) other than `DAMAGE_KINDS`. */
export const CoreStepResult = {
  drained: 0,
  header: 1,
  notRecording: 2,
} as const;

/** Values of `heartRateSource` (assembly/ecg.ts). */
export const HEART_RATE_SOURCE = { device: 0, ecg: 1, auto: 2 } as const;

/** Values of `waveformUse` (assembly/index.ts). */
export const WAVEFORM_USE = { rows: 0, figures: 1, beats: 2 } as const;

// (module (func (result v128) i32.const 0 i8x16.splat)): valid only with SIMD support
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
]);

let simd: boolean | undefined;

/** Returns whether WebAssembly with 128-bit SIMD is available. */
export function hasSimd(): boolean {
  simd ??= typeof WebAssembly === "object" && WebAssembly.validate(SIMD_PROBE);
  return simd;
}

export type CoreName = "simd" | "scalar";

const modules = new Map<CoreName, WebAssembly.Module>();

// Decodes the text written by scripts/inline-wasm.mjs: one character per byte; "~" or "}" precedes the characters for greater
// values.
function simdBytes(): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(128);
  for (let i = 0; i < ALPHABET.length; i++) values[ALPHABET.charCodeAt(i)] = i;
  const bytes = new Uint8Array(SIMD_CORE.length);
  let length = 0;
  let shift = 0;
  for (let i = 0; i < SIMD_CORE.length; i++) {
    const code = SIMD_CORE.charCodeAt(i);
    if (code === TILDE) shift = ALPHABET.length;
    else if (code === BRACE) shift = 2 * ALPHABET.length;
    else {
      bytes[length++] = shift + (values[code] as number);
      shift = 0;
    }
  }
  return bytes.subarray(0, length);
}

const TILDE = 0x7e;
const BRACE = 0x7d;

/**
 * Returns the compiled core. The core with SIMD is compiled on first use; the core without SIMD must first be supplied with
 * `useCore`.
 */
export function compiledCore(name: CoreName): WebAssembly.Module {
  let module = modules.get(name);
  if (module === undefined) {
    if (name === "scalar") throw new Error("The core without SIMD has not been supplied.");
    module = new WebAssembly.Module(simdBytes());
    modules.set(name, module);
  }
  return module;
}

const SECTION = "asi-convert";

/** Returns the name of a core of this build; null for any other module. */
export function coreNameOf(module: WebAssembly.Module): CoreName | null {
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  const mark = section === undefined ? "" : new TextDecoder().decode(section);
  return mark === CORE_MARKS.simd ? "simd" : mark === CORE_MARKS.scalar ? "scalar" : null;
}

/**
 * Registers a core compiled by the caller. A module from a different realm is converted to a module of this realm, which the
 * loader requires.
 */
export function useCore(name: CoreName, module: WebAssembly.Module): void {
  if (!(module instanceof WebAssembly.Module)) Object.setPrototypeOf(module, WebAssembly.Module.prototype);
  modules.set(name, module);
}

// The instance from `compileCore`, for the first engine that needs one.
let prepared: CoreExports | null = null;

/** Creates an instance of the core with its own memory. */
export function instantiateCore(name: CoreName): CoreExports {
  if (name === "simd" && prepared !== null) {
    const core = prepared;
    prepared = null;
    return core;
  }
  return instantiateSync<CoreExports>(compiledCore(name)).exports;
}

/**
 * Compiles and instantiates the core with SIMD asynchronously, for platforms that refuse to do so synchronously, such as the main
 * thread of some browsers.
 */
export async function compileCore(): Promise<void> {
  const { module, exports } = await instantiate<CoreExports>(simdBytes());
  modules.set("simd", module);
  prepared = exports;
}
