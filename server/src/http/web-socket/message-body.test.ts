import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import { MessageBody } from "./message-body.js";

it("short messages do not hold the memory of the reads in which they arrived", () => {
  const socket = Object.assign(new EventEmitter(), { pause() {}, resume() {} });
  const body = new MessageBody(socket as unknown as WebSocket);
  const read = Buffer.alloc(65_536, 7);
  socket.emit("message", read.subarray(100, 101), true);
  const piece: Buffer = body.read();
  expect([...piece]).toEqual([7]);
  expect(piece.buffer).not.toBe(read.buffer);
});
