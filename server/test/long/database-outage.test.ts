/** Stops the database repeatedly, by a restart and by a crash, while the service is under load. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { expectToOutlive } from "../outage.js";
import { type PostgresServer, startPostgres } from "../postgres.js";

const ROUNDS = Number(process.env.OUTAGE_ROUNDS ?? 12);

describe.runIf(process.env.TEST_DATABASE === "postgres")("a service under load", () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ durable: true });
  });
  afterAll(() => server.stop());

  it(`loses no acknowledged data in ${ROUNDS} restarts of the database`, async () => {
    await expectToOutlive(server, { rounds: ROUNDS, how: "fast", awayMs: 2_000 });
  });
});

describe.runIf(process.env.TEST_DATABASE === "postgres")("a service under load", () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ durable: true });
  });
  afterAll(() => server.stop());

  it(`loses no acknowledged data in ${ROUNDS} crashes of the database`, async () => {
    await expectToOutlive(server, { rounds: ROUNDS, how: "immediate", awayMs: 500 });
  });
});
