import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Resource } from "asi-client";
import { walk } from "../test/recordings.js";
import type { SoakedService } from "./service.js";

const PASSWORD = "a long passphrase";
/** Number of rows of a recording: five minutes at 10 Hz. */
const ROWS = 3000;

interface Answer<Body> {
  status: number;
  /** Typed by the document if the status is a success. */
  body: Body;
}

/** The traffic so far. */
export interface Traffic {
  /** Number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Unexpected responses, at most 20. */
  readonly surprises: readonly string[];
  stop(): Promise<void>;
}

const pick = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T;

/**
 * Simulates clients that repeatedly log in, read, store, convert, create and delete, one request after another, and sometimes
 * send requests that are refused. They delete the data that they create, unless it expires.
 * @param callers number of concurrent managers
 * @param intervalMs interval between the starts of two pieces of a manager's work, ms. The clients do not catch up after a slow
 *   piece, because the sizes of the tables stay constant only at a constant rate.
 */
export async function startTraffic(
  { url, clientId, clientSecret, devices }: SoakedService,
  callers: number,
  intervalMs: number,
): Promise<Traffic> {
  const statuses = new Map<number, number>();
  const surprises: string[] = [];
  let stopping = false;

  const receiver = createServer((request, response) => {
    request.resume().once("end", () => response.end("ok"));
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

  async function send<Body = unknown>(
    method: string,
    path: string,
    {
      token,
      json,
      form,
      expected,
    }: { token?: string; json?: unknown; form?: URLSearchParams | FormData; expected: number[] },
  ): Promise<Answer<Body>> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(json === undefined ? (form === undefined ? {} : { body: form }) : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    // The clock has skipped a day since the token was issued.
    const expired = response.status === 403 && token !== undefined;
    if (!expected.includes(response.status) && !expired && surprises.length < 20) {
      surprises.push(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    }
    const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
    return { status: response.status, body: (isJson ? JSON.parse(text) : text) as Body };
  }

  const client = { client_id: clientId, client_secret: clientSecret };
  const token = (fields: Record<string, string>, expected: number[]) =>
    send<Resource["Token"]>("POST", "/oauth2/token/", {
      form: new URLSearchParams({ ...client, ...fields }),
      expected,
    });

  /** @returns function that runs the work of a caller, after the preparation. From then on, the clock may skip a day. */
  async function prepare(index: number): Promise<() => Promise<void>> {
    const username = `manager-${index}`;
    await send("POST", "/api/v1/managers/", {
      json: { username, password: PASSWORD, email: `${username}@example.org` },
      expected: [201],
    });
    let access = "";
    let refresh = "";
    let id = 0;
    const logIn = async () => {
      const { status, body } = await token({ grant_type: "password", username, password: PASSWORD }, [200]);
      if (status !== 200) return;
      access = body.access_token;
      refresh = body.refresh_token ?? "";
    };
    await logIn();
    id = (await send<{ id: number }>("GET", "/api/v1/account/", { token: access, expected: [200] })).body.id;
    const serial = devices[index];
    const device: number | undefined =
      serial === undefined
        ? undefined
        : (
            await send<Resource["Device"]>("POST", "/api/v1/devices/take-ownership/", {
              token: access,
              json: { serial_number: serial, device_name: "tracker" },
              expected: [201],
            })
          ).body.id;
    const schemas = (
      await send<{ results: Resource["JsonSchema"][] }>("GET", "/api/v1/json-schemas/?limit=3000", {
        token: access,
        expected: [200],
      })
    ).body.results;
    // The ownership has just started.
    const startMs = Date.now();
    const recording = await walk(serial ?? "SOAKX", new Date(startMs).toISOString(), ROWS);
    const base64 = Buffer.from(recording).toString("base64");
    const read = (path: string, expected = [200]) => send("GET", path, { token: access, expected });

    const deeds: Record<string, () => Promise<unknown>> = {
      logIn,
      refresh: () => token({ grant_type: "refresh_token", refresh_token: refresh }, [200, 400]),
      guess: () =>
        token({ grant_type: "password", username: `nobody-${randomUUID()}`, password: "a guess" }, [400]),
      garbage: () =>
        send("GET", "/api/v1/account/", { token: randomBytes(32).toString("base64url"), expected: [403] }),
      lists: async () => {
        // Variants of a list that a caller may request.
        const ordering = [1, 2, 3].map(
          () => pick(["", "-"]) + pick(["device_name", "serial_number", "custom_name"]),
        );
        await read(
          `/api/v1/devices/?ordering=${ordering}&search=${"a ".repeat(randomInt(8))}&limit=${randomInt(1, 50)}`,
        );
        await read("/api/v1/activities/");
        await read("/api/v1/timeframes/");
        await read("/api/v1/athletes/");
        await read(`/api/v1/nowhere/${randomUUID()}/`, [404]);
      },
      rawData: async () => {
        if (device === undefined) return;
        const start = startMs + randomInt(300_000);
        await read(
          `/api/v1/devices/${device}/preprocessed-data/?start=${start}&stop=${start + randomInt(1, 600_000)}`,
        );
        await read(
          `/api/v1/devices/${device}/preprocessed-data-ranges/?start=${start}&stop=${start + 600_000}`,
          [200, 404],
        );
      },
      load: async () => {
        if (device === undefined) return;
        const { status, body } = await send<Resource["Job"]>("POST", `/api/v1/devices/${device}/bulk-load/`, {
          token: access,
          json: { asi_b64: base64 },
          expected: [200, 429],
        });
        if (status === 200) await read(`/api/v1/jobs/${body.job_id}/`);
      },
      convert: async () => {
        const form = new FormData();
        form.set("file", new Blob([recording as Uint8Array<ArrayBuffer>]), "soak.asi");
        await send("POST", "/api/v2/files/asi-to-csv/", { token: access, form, expected: [200, 404, 429] });
      },
      athlete: async () => {
        const { status, body } = await send<Resource["Athlete"]>("POST", "/api/v1/athletes/create-managed/", {
          token: access,
          json: { managed_by: id, athlete_profile: { first_name: "Soak", birth_date: "2000-01-01" } },
          expected: [201],
        });
        if (status !== 201) return;
        await send("PATCH", `/api/v1/athletes/${body.id}/`, {
          token: access,
          json: { athlete_profile: { weight: randomInt(50, 100) } },
          expected: [201],
        });
        await remove(`/api/v1/athletes/${body.id}/delete-managed/`);
      },
      activity: async () => {
        const { status, body } = await send<Resource["Activity"]>("POST", "/api/v1/activities/", {
          token: access,
          json: {
            name: `Soak ${randomUUID()}`,
            json: { sport: "soccer" },
            json_schema: schemas.find(({ name }) => /soccer|football/i.test(name))?.id ?? schemas[0]?.id,
            owner: id,
          },
          expected: [201, 400],
        });
        if (status !== 201) return;
        const path = `/api/v1/activities/${body.id}/`;
        await send("POST", `${path}webhooks/`, {
          token: access,
          json: {
            webhook_url: webhookUrl,
            secret_token: "secret",
            activity_events: true,
            timeframes_events: true,
          },
          expected: [200],
        });
        await send("PATCH", path, { token: access, json: { name: "Changed" }, expected: [200, 201] });
        await remove(path);
      },
      password: async () => {
        // Send the current value, which is checked but changes nothing.
        if (randomInt(10) > 0) return;
        await send("PATCH", `/api/v1/managers/${id}/`, {
          token: access,
          json: { password: PASSWORD },
          expected: [201, 429],
        });
      },
    };
    const remove = async (path: string) => {
      const { status } = await send("DELETE", path, { token: access, expected: [204] });
      if (status !== 403) return;
      await logIn();
      await send("DELETE", path, { token: access, expected: [204] });
    };
    const names = Object.keys(deeds);
    return async () => {
      while (!stopping) {
        const startedMs = performance.now();
        await deeds[pick(names)]?.();
        const { status } = await read("/api/v1/account/", [200]);
        if (status === 403) await logIn();
        await sleep(Math.max(0, startedMs + intervalMs - performance.now()));
      }
    };
  }

  const prepared = await Promise.all(Array.from({ length: callers }, (_, index) => prepare(index)));
  const working = prepared.map((work) =>
    work().catch((error: unknown) => {
      surprises.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }),
  );
  return {
    statuses,
    surprises,
    async stop() {
      stopping = true;
      await Promise.all(working);
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}
