import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errors } from "../../domain/change/errors.js";

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** At or above this size, each step of reading runs in a separate iteration of the event loop. */
const LONG_BYTES = 1024 * 1024;

/**
 * Reads a JSON text and rejects values that cannot be stored: NUL, lone surrogates, numbers out of the range of a double, members
 * called `__proto__`. `JsonScan` limits the size and structure of the text.
 * @throws ServiceError `malformed`
 */
export async function readJson(bytes: Buffer): Promise<unknown> {
  const turn = () => (bytes.length < LONG_BYTES ? undefined : nextTurn());
  if (!isUtf8(bytes)) throw errors.malformed("JSON parse error.");
  const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const text = bytes.toString("utf8", hasMark ? BYTE_ORDER_MARK.length : 0);
  await turn();
  const value = parse(text);
  await turn();
  refuseUnstorable(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.malformed("JSON parse error.");
  }
}

/** Visits all values once. */
function refuseUnstorable(root: unknown): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") {
      refuseUnstorableText(value);
    } else if (typeof value === "number") {
      if (!Number.isFinite(value)) throw errors.malformed("The body contains a number that is too large.");
    } else if (Array.isArray(value)) {
      for (const member of value) open.push(member);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (name === "__proto__") throw errors.malformed("JSON parse error.");
        refuseUnstorableText(name);
        open.push(member);
      }
    }
  }
}

function refuseUnstorableText(text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw errors.malformed("The body contains text that is not valid Unicode, or a NUL character.");
  }
}
