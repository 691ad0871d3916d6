import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { compileFunction, constants } from "node:vm";

/** The built command; `npm test` builds it first. */
export const ASI = fileURLToPath(new URL("../dist/bin/asi.cjs", import.meta.url));

export interface AsiResult {
  /** Exit status; null after a signal. */
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface AsiOptions {
  cwd?: string;
  /** Bytes for the standard input; default none. */
  input?: Uint8Array;
  env?: Record<string, string>;
}

/**
 * Runs the built command in this process, with arguments, an environment, and three pipes. Its modules are loaded again for
 * each call. `asiProcess` starts a process, which takes ten times as long, for tests of signals, pipes of the system, and
 * environment variables that Node.js reads itself.
 */
export function asi(args: readonly string[], options: AsiOptions = {}): Promise<AsiResult> {
  const result = previous.then(() => run(args, options));
  previous = result.catch(() => {});
  return result;
}

// Calls run one after the other, because they share the working directory of the process.
let previous: Promise<unknown> = Promise.resolve();

async function run(args: readonly string[], { cwd, input, env }: AsiOptions): Promise<AsiResult> {
  const streams = new Streams();
  const home = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const status = await new Promise<number>((resolve) => {
      const ownProcess = processWith({
        argv: [process.execPath, ASI, ...args],
        env: { ...process.env, NO_COLOR: "", ...env },
        stdin: Readable.from(input === undefined ? [] : [input]),
        onExitCode: resolve,
      });
      program()(requireWith(streams.fs(), ownProcess), { exports: {} }, dirname(ASI), ASI, ownProcess);
    });
    return { status, signal: null, stdout: streams.text(1), stderr: streams.text(2) };
  } finally {
    process.chdir(home);
  }
}

type Program = (
  require: (name: string) => unknown,
  module: { exports: object },
  folder: string,
  file: string,
  process: NodeJS.Process,
) => void;

let compiled: Program | undefined;

function program(): Program {
  compiled ??= compileFunction(
    fs.readFileSync(ASI, "utf8").replace(/^#!.*/, ""),
    ["require", "module", "__dirname", "__filename", "process"],
    { filename: ASI, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  ) as Program;
  return compiled;
}

const requireFromCommand = createRequire(ASI);

function requireWith(ownFs: object, ownProcess: NodeJS.Process): (name: string) => unknown {
  return (name) => {
    if (name === "fs") return ownFs;
    if (name === "process") return ownProcess;
    return requireFromCommand(name);
  };
}

interface OwnProcess {
  argv: string[];
  env: NodeJS.ProcessEnv;
  stdin: Readable;
  onExitCode(status: number): void;
}

/** The object `process` for the command: with three pipes, and without signals. */
function processWith({ argv, env, stdin, onExitCode }: OwnProcess): NodeJS.Process {
  const own = {
    argv,
    env,
    stdin,
    stdout: {},
    stderr: {},
    on: () => own,
    off: () => own,
    set exitCode(status: number) {
      onExitCode(status);
    },
  };
  return Object.setPrototypeOf(own, process);
}

type Written = (error: null, bytesWritten: number) => void;

/** The command's standard output and standard error. */
class Streams {
  readonly #written: Record<number, Uint8Array[]> = { 1: [], 2: [] };

  text(descriptor: 1 | 2): string {
    return Buffer.concat(this.#written[descriptor] ?? []).toString();
  }

  /** The module `fs` with these streams as the descriptors 0, 1 and 2. */
  fs(): object {
    const keep = (descriptor: number, bytes: Uint8Array | string): number | null => {
      const written = this.#written[descriptor];
      if (written === undefined) return null;
      const copy = Buffer.from(bytes as Uint8Array);
      written.push(copy);
      return copy.length;
    };
    return {
      ...fs,
      fstatSync: (descriptor: number) =>
        // a pipe
        descriptor === 0 ? { isFile: () => false, isDirectory: () => false } : fs.fstatSync(descriptor),
      writeSync: (descriptor: number, bytes: Uint8Array, offset = 0) =>
        keep(descriptor, typeof bytes === "string" ? bytes : bytes.subarray(offset)) ??
        fs.writeSync(descriptor, bytes, offset),
      write: (
        descriptor: number,
        bytes: Uint8Array,
        offset: number,
        length: number,
        position: number | null,
        callback: Written,
      ) => {
        const written = keep(descriptor, bytes.subarray(offset, offset + length));
        if (written === null) fs.write(descriptor, bytes, offset, length, position, callback as never);
        else setImmediate(callback, null, written);
      },
    };
  }
}
