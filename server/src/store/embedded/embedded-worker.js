// Runs the embedded database in a separate thread, so that a slow query does not block the event loop of the API. It uses
// PostgreSQL's wire protocol over the message port: input [connection, bytes, whether a message ends with them], output
// [connection, bytes]. Plain JavaScript, because Node.js loads worker threads directly, including
// in tests.
import { constants, cpSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";

/** Code of a CancelRequest (PostgreSQL, "Message Formats"): PGlite has no second process to receive it. */
const CANCEL_REQUEST = 80877102;

/** Emscripten's error number for a full device, which differs from the number of the system. */
const NO_SPACE = 51;

/**
 * Memory settings. The defaults suit a dedicated machine: 128 MB of shared buffers, used from the start, and structures for 100
 * connections. The operating system caches the files as well. The engine has one session, but `max_connections` also determines
 * the size of the lock table, 64 locks per connection, and a migration locks many tables and indexes. Statistics use a small
 * sample of rows, because requests wait while it is read.
 */
const SETTINGS = [
  "shared_buffers=32MB",
  "maintenance_work_mem=16MB",
  "max_connections=10",
  "default_statistics_target=20",
];

/** The engine throws objects that are not errors, which would be printed as "[object Object]". */
async function open() {
  try {
    return await PGlite.create({
      ...(workerData.folder === null ? {} : { dataDir: workerData.folder }),
      pgliteWasmModule: workerData.code,
      startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ["-c", setting])],
    });
  } catch (thrown) {
    const error = /** @type {{ errno?: number, code?: string }} */ (thrown);
    if (error?.errno === NO_SPACE || error?.code === "ENOSPC") throw new Error("no space left on the device");
    if (error instanceof Error && error.message !== "") throw error;
    throw new Error(`error ${error?.errno ?? error?.code ?? "without a number"} of the file system`);
  }
}

const database = await open();
parentPort?.postMessage("ready");

let turn = Promise.resolve();

/**
 * @param {number} connection
 * @param {Uint8Array} packet one or more whole messages of the protocol
 */
async function answer(connection, packet) {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  if (packet.byteLength >= 8 && view.getInt32(4) === CANCEL_REQUEST) return;
  await database.execProtocolRawStream(packet, {
    onRawData: (bytes) => {
      parentPort?.postMessage([connection, bytes.slice()]);
      // The engine no longer responds. The next connection starts another one.
      if (hasPanicked(bytes)) process.exit(1);
    },
  });
}

/**
 * First fields of an ErrorResponse (PostgreSQL, "Error and Notice Message Fields"). No other message contains its NUL characters.
 */
const PANIC = Buffer.from("SPANIC\0VPANIC\0");
const ERROR_RESPONSE = 0x45;

/** @param {Uint8Array} bytes output of the engine; a panic is its last message */
function hasPanicked({ buffer, byteOffset, byteLength }) {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const message = bytes.lastIndexOf(PANIC) - 5;
  return (
    message >= 0 &&
    bytes[message] === ERROR_RESPONSE &&
    message + 1 + bytes.readInt32BE(message + 1) === byteLength
  );
}

/** @type {Uint8Array[]} Received pieces of incomplete messages. */
const pieces = [];

/**
 * @param {number} connection
 * @param {Uint8Array} piece
 * @param {boolean} isLast
 */
function receive(connection, piece, isLast) {
  pieces.push(piece);
  if (!isLast) return;
  const packet = pieces.length === 1 ? piece : new Uint8Array(Buffer.concat(pieces));
  pieces.length = 0;
  turn = turn.then(() => answer(connection, packet));
}

/** Resets the session, which all connections share: the next one must not inherit a transaction or a lock. */
async function reset() {
  await database.exec("ROLLBACK");
  await database.exec("DISCARD ALL");
}

/**
 * Copies the files while no statement runs. The copy is equivalent to the state after a crash.
 * @param {{ copyTo: string, port: import("node:worker_threads").MessagePort }} request
 */
function copy({ copyTo, port }) {
  try {
    cpSync(workerData.folder, copyTo, { recursive: true, mode: constants.COPYFILE_FICLONE });
    port.postMessage(null);
  } catch (error) {
    port.postMessage(error);
  }
}

parentPort?.on("message", (message) => {
  if (message === "close") turn = turn.then(() => database.close()).then(() => process.exit(0));
  else if (message === "reset") {
    pieces.length = 0;
    turn = turn.then(reset);
  } else if ("copyTo" in message) turn = turn.then(() => copy(message));
  else receive(message[0], message[1], message[2]);
});
