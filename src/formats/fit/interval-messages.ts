import { HRV, INTERVALS_PER_MESSAGE } from "./activity.js";
import { definitionBytes, messageBytes, writeMessage } from "./messages.js";
import { BASE_TYPES } from "./profile.js";

// Writes RR intervals as messages.

/** Returns the number of messages for a number of successive intervals. */
export function messagesFor(intervals: number): number {
  return Math.ceil(intervals / INTERVALS_PER_MESSAGE);
}

/** Returns the size in bytes of a number of messages, including their definition, which is absent if there are no messages. */
export function bytesOfMessages(messages: number): number {
  return messages === 0 ? 0 : definitionBytes(HRV) + messages * messageBytes(HRV);
}

/** Returns the messages for successive intervals, in whole ms. */
export function intervalMessages(rrMs: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(messagesFor(rrMs.length) * messageBytes(HRV));
  const view = new DataView(bytes.buffer);
  let end = 0;
  for (let from = 0; from < rrMs.length; from += INTERVALS_PER_MESSAGE) {
    end = writeMessage(view, end, HRV, { time: listOf(rrMs.slice(from, from + INTERVALS_PER_MESSAGE)) });
  }
  return bytes;
}

function listOf(rrMs: readonly number[]): Uint8Array {
  const { bytes, invalid } = BASE_TYPES.uint16;
  const view = new DataView(new ArrayBuffer(INTERVALS_PER_MESSAGE * bytes));
  for (let i = 0; i < INTERVALS_PER_MESSAGE; i++) view.setUint16(i * bytes, rrMs[i] ?? invalid, true);
  return new Uint8Array(view.buffer);
}
