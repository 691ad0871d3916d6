/** Reads the changes for accounts (`/api/v2/changes/`). */
import { expect } from "vitest";
import type { Change } from "../src/domain/change-feed/resource.js";
import { earlierTransactionsEnded } from "./earlier-transactions.js";
import { walk } from "./recordings.js";
import type { TestService } from "./service.js";

const PATH = "/api/v2/changes/";

export const read = (s: TestService, token: string, cursor: string, limit = 100) =>
  s.get(
    `${PATH}?${new URLSearchParams({ limit: String(limit), ...(cursor === "" ? {} : { cursor }) })}`,
    token,
  );

/**
 * Begins to follow the changes for an account.
 * @returns a function that waits for earlier transactions and returns all changes since its last call
 */
export async function follow(s: TestService, reader: { token: string }) {
  await earlierTransactionsEnded(s);
  const next = await followAtOnce(s, reader);
  return async (limit?: number): Promise<Change[]> => {
    await earlierTransactionsEnded(s);
    return next(limit);
  };
}

/** Does the same as `follow`, without waiting for transactions. */
export async function followAtOnce(s: TestService, { token }: { token: string }) {
  let cursor: string = (await read(s, token, "")).body.next_cursor;
  return async (limit?: number): Promise<Change[]> => {
    const told: Change[] = [];
    for (;;) {
      const { status, body } = await read(s, token, cursor, limit);
      expect(status, JSON.stringify(body)).toBe(200);
      cursor = body.next_cursor;
      told.push(...body.results);
      if (!body.has_more) return told;
    }
  };
}

/** Creates a manager with a device and a session's recording on it. */
export async function loaded(s: TestService, start = "2024-05-16T13:00:00.000Z") {
  const owner = await s.manager();
  const device = await s.ownedDevice(owner);
  await s.backdate(device, "2020-01-01T00:00:00Z");
  const load = async (from: string, count = 2) =>
    s.load(device, owner, await walk(device.serial_number, from, count));
  await load(start);
  return { owner, device, load };
}

export const samplesOf = (id: number, from: string, to: string): Change => ({
  kind: "samples",
  id,
  from,
  to,
  removed: false,
});

export const object = (kind: Change["kind"], id: number, removed = false): Change => ({
  kind,
  id,
  from: null,
  to: null,
  removed,
});
