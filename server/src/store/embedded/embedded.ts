import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Duplex } from "node:stream";
import { MessageChannel, Worker } from "node:worker_threads";
import { UsageError } from "../../config/usage-error.js";

/** The embedded database: PostgreSQL in WebAssembly in a worker thread, used through the wire protocol of PostgreSQL. */
export interface Embedded {
  /** Opens a connection for `pg`. The engine has one session, so only one connection may be open at a time. */
  connect(): Duplex;
  /** Copies the files of the database to a folder, between two statements. */
  copyTo(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** Number of bytes sent to the engine in one iteration of the event loop. */
const SENT_AT_ONCE = 1024 * 1024;

/** Heap limit of the thread. A small limit suffices, because most of its memory is outside the heap. */
const YOUNG_GENERATION_MB = 8;

/** Terminate message of the wire protocol, which would end the only session of the engine. */
const TERMINATE = Buffer.from("5800000004", "hex");

/** Message of an error after which a client can repeat the request. */
const STOPPED = "The embedded database has stopped";

let connections = 0;

/**
 * Splits messages into pieces of at most 1 MiB and joins short ones. Each piece is copied and sent in a separate iteration of the
 * event loop.
 */
function piecesOf(messages: readonly Buffer[]): Buffer[][] {
  const pieces: Buffer[][] = [];
  let joined: Buffer[] = [];
  let room = 0;
  for (const message of messages) {
    for (let from = 0; from < message.length; from += SENT_AT_ONCE) {
      const part = message.subarray(from, from + SENT_AT_ONCE);
      if (part.length > room) {
        joined = [];
        pieces.push(joined);
        room = SENT_AT_ONCE;
      }
      joined.push(part);
      room -= part.length;
    }
  }
  return pieces;
}

/** Copies the parts into memory that can be transferred to the worker. */
function joinedCopy(parts: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    copy.set(part, at);
    at += part.length;
  }
  return copy;
}

/** The stream that `pg` uses as a socket. Implements the methods that `pg` calls in addition to the methods of a stream. */
class EngineConnection extends Duplex {
  readonly #number = ++connections;
  readonly #running: () => Promise<Worker>;
  /** Set while the connection is open. */
  #worker: Worker | undefined;

  /** @param running returns the thread of the engine, restarted if it has ended */
  constructor(running: () => Promise<Worker>) {
    super({ allowHalfOpen: false });
    this.#running = running;
  }

  readonly #receive = ([connection, bytes]: [number, Uint8Array]): void => {
    if (connection === this.#number) this.push(bytes);
  };

  readonly #fail = (): void => {
    this.destroy(new Error(STOPPED));
  };

  connect(): this {
    this.#running().then(
      (worker) => {
        if (this.destroyed) return;
        this.#worker = worker;
        worker.on("message", this.#receive);
        worker.on("error", this.#fail);
        worker.on("exit", this.#fail);
        this.emit("connect");
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send(piecesOf([chunk]), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(piecesOf(chunks.map(({ chunk }) => chunk)), done);
  }

  /** Sends each piece in a separate iteration of the event loop, because copying a piece takes time. */
  #send(pieces: readonly Buffer[][], done: () => void, at = 0): void {
    const piece = joinedCopy(pieces[at] ?? []);
    const isLast = at + 1 >= pieces.length;
    if (isLast && TERMINATE.equals(piece)) this.push(null);
    else this.#worker?.postMessage([this.#number, piece, isLast], [piece.buffer]);
    if (isLast) done();
    else setImmediate(() => this.#send(pieces, done, at + 1));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#worker?.off("message", this.#receive);
    this.#worker?.off("error", this.#fail);
    this.#worker?.off("exit", this.#fail);
    this.#worker?.postMessage("reset");
    done(error);
  }
}

/**
 * Starts the embedded database. Its engine ends after a panic, such as on a full disk. The next connection restarts it, and it
 * recovers from its log, as after a crash.
 * @param folder folder of its files; null for a database in memory, which is lost when the engine ends
 */
export async function startEmbedded(folder: string | null): Promise<Embedded> {
  // A separate thread creates the files, because this needs several times the memory of the engine, and a thread does not return
  // it.
  if (folder !== null && !existsSync(join(folder, "PG_VERSION"))) await stop(await startEngine(folder));
  let engine: Promise<Worker> | undefined;
  const running = (): Promise<Worker> => {
    if (engine !== undefined) return engine;
    const started = startEngine(folder);
    const forget = () => {
      if (engine !== started) return;
      engine = folder === null ? Promise.reject(new Error(STOPPED)) : undefined;
      engine?.catch(() => undefined);
    };
    started.then((worker) => worker.once("exit", forget), forget);
    engine = started;
    return started;
  };
  await running();
  return {
    connect: () => new EngineConnection(running),
    async copyTo(target) {
      const worker = await running();
      const { port1, port2 } = new MessageChannel();
      // The end of the thread closes its port.
      const ended = once(port1, "close").then(() => [new Error(STOPPED)]);
      worker.postMessage({ copyTo: target, port: port2 }, [port2]);
      const [error] = await Promise.race([once(port1, "message"), ended]);
      port1.close();
      if (error !== null) throw error;
    },
    async close() {
      const worker = await engine?.catch(() => undefined);
      if (worker !== undefined) await stop(worker);
    },
  };
}

let compiledEngine: Promise<WebAssembly.Module> | undefined;

/**
 * Compiles the code of the engine once for all threads of the process. A restarted engine then takes a third of the processor
 * time and reuses the code that V8 has optimized.
 */
function compileEngine(): Promise<WebAssembly.Module> {
  const main = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  compiledEngine ??= readFile(join(dirname(main), "pglite.wasm")).then((code) => WebAssembly.compile(code));
  return compiledEngine;
}

/** Starts the thread of the engine and waits until it accepts statements. */
async function startEngine(folder: string | null): Promise<Worker> {
  const worker = new Worker(new URL("./embedded-worker.js", import.meta.url), {
    workerData: { folder, code: await compileEngine() },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  worker.setMaxListeners(0);
  await new Promise<void>((resolve, reject) => {
    worker.once("message", () => resolve());
    // Ignore later errors here. Connections report them when the thread exits.
    worker.on("error", (error) => {
      reject(
        new UsageError(
          `The embedded database cannot be opened in ${folder ?? "memory"}: ${error.message}. Free space there, or set DATA_DIR to another folder.`,
          { cause: error },
        ),
      );
    });
  });
  return worker;
}

async function stop(worker: Worker): Promise<void> {
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  worker.postMessage("close");
  await exited;
}
