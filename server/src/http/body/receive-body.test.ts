import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { receiveBody } from "./receive-body.js";

it("receives one piece of a body per iteration of the event loop", async () => {
  const pieces = Array.from({ length: 8 }, () => Buffer.alloc(64 * 1024));
  let turns = 0;
  let received = 0;
  const turnsOfPieces: number[] = [];
  const count = () => {
    turns += 1;
    if (received < pieces.length) setImmediate(count);
  };
  setImmediate(count);
  await receiveBody({ headers: {} } as FastifyRequest, Readable.from(pieces), 1024 * 1024, () => {
    received += 1;
    turnsOfPieces.push(turns);
  });
  expect(new Set(turnsOfPieces).size).toBe(pieces.length);
});
