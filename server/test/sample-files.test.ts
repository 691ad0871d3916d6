/** Tests files with the samples of a session, of a squad and of all devices. */
import { tableFromIPC } from "@uwdata/flechette";
import { eq } from "drizzle-orm";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { authorize } from "../src/domain/change/access.js";
import { downloadSessionSamples } from "../src/domain/sessions/samples.js";
import { permissions } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { guestOf, minute, SquadScene, squadWithSession, type TestPlayer } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

interface Row {
  session?: string;
  athlete?: string;
  player?: string;
  device?: string;
  timestamp: string;
  speed: number;
  hr: number | null;
}

/** Creates a session of an hour with Ann and Bob, and samples of the first two minutes and of the five minutes before it. */
async function played() {
  const scene = await SquadScene.of(s, ["Ann", "Bob"]);
  const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
  await scene.run(ann.device, -5, 2, 3000);
  await scene.run(bob.device, -5, 2, 2000);
  return { scene, ann, bob, session: await scene.session() };
}

const linesOf = (body: unknown): Row[] =>
  String(body)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

async function rowsAt(path: string, { scene }: { scene: SquadScene }, query = "") {
  const { status, body } = await s.get(`${path}?format=jsonl${query}`, scene.manager.token);
  expect(status).toBe(200);
  return linesOf(body);
}

const deviceRows = (team: { scene: SquadScene }, { device }: TestPlayer, query = "") =>
  rowsAt(`/api/v2/devices/${device.id}/samples/`, team, query);

const labels = (session: number, { athlete, name, device }: TestPlayer) => ({
  session: String(session),
  athlete: String(athlete),
  player: name,
  device: device.serial_number,
});

describe("the samples of a session", () => {
  it("are those of each player's device during the session, with the names of the players", async () => {
    const team = await played();
    const { ann, bob, session } = team;
    const rows = await rowsAt(`/api/v2/sessions/${session}/samples/`, team);
    const during = `&from=${minute(0)}&to=${minute(60)}`;
    expect(rows).toEqual([
      ...(await deviceRows(team, ann, during)).map((row) => ({ ...labels(session, ann), ...row })),
      ...(await deviceRows(team, bob, during)).map((row) => ({ ...labels(session, bob), ...row })),
    ]);
    expect(rows).toHaveLength(2 * 1200);
    expect([rows[0]?.timestamp, rows[0]?.speed, rows[0]?.hr]).toEqual([minute(0), 3, 150]);
  });

  it("are sent as Parquet on request, and can be limited to an interval", async () => {
    const { scene, ann, bob, session } = await played();
    const path = `/api/v2/sessions/${session}/samples/?from=${minute(1)}&to=${minute(2)}`;
    const response = await fetch(`${s.service.url}${path}`, {
      headers: { Authorization: `Bearer ${scene.manager.token}`, Accept: "application/vnd.apache.parquet" },
    });
    expect(response.headers.get("content-disposition")).toContain(`session-${session}-samples.parquet`);
    const rows = await parquetReadObjects({ file: await response.arrayBuffer() });
    expect(rows.map(({ player, device }) => `${player} ${device}`)).toEqual([
      ...Array.from({ length: 600 }, () => `Ann ${ann.device.serial_number}`),
      ...Array.from({ length: 600 }, () => `Bob ${bob.device.serial_number}`),
    ]);
    expect(rows[0]?.timestamp).toEqual(new Date(minute(1)));
  });

  it("are sent as an Arrow stream on request, with the same rows", async () => {
    const team = await played();
    const path = `/api/v2/sessions/${team.session}/samples/`;
    const response = await fetch(`${s.service.url}${path}?format=arrow`, {
      headers: { Authorization: `Bearer ${team.scene.manager.token}` },
    });
    const table = tableFromIPC(await response.arrayBuffer(), { useDate: true });
    const rows = await rowsAt(path, team);
    expect(table.toArray()).toEqual(rows.map((row) => ({ ...row, timestamp: new Date(row.timestamp) })));
    expect(rows.length).toBeGreaterThan(1_000);
    expect(table.schema.metadata?.get("schema")).toBe("session-rows/1");
  });

  it("are those of each device while the player wears it", async () => {
    const team = await played();
    const { scene, ann } = team;
    const other = await scene.device();
    await scene.run(other, 5, 7, 4000);
    const spare = await scene.add("Cleo");
    await scene.run(spare.device, 0, 1);
    await scene.assign(spare.athlete, other, minute(5), minute(6));
    const session = await scene.session({ start_time: minute(0), end_time: minute(9) });
    const rows = await rowsAt(`/api/v2/sessions/${session}/samples/`, team);
    const of = (name: string) => {
      const own = rows.filter(({ player }) => player === name);
      return [...new Set(own.map(({ device }) => device))].map((device) => {
        const times = own.filter((row) => row.device === device).map(({ timestamp }) => timestamp);
        return [device, times[0], times.length];
      });
    };
    expect(of("Ann")).toEqual([[ann.device.serial_number, minute(0), 1200]]);
    expect(of("Cleo")).toEqual([
      [spare.device.serial_number, minute(0), 600],
      [other.serial_number, minute(5), 600],
    ]);
  });

  it("omit players whose permission has ended, and are refused to guests of the squad", async () => {
    const team = await played();
    const { scene, ann, session } = team;
    await s.store.database.queries.delete(permissions).where(eq(permissions.athleteId, ann.athlete));
    const rows = await rowsAt(`/api/v2/sessions/${session}/samples/`, team);
    expect([...new Set(rows.map(({ player }) => player))]).toEqual(["Bob"]);
    for (const role of ["coach", "analyst", "physician"] as const) {
      const { token } = await guestOf(scene, role);
      expect((await s.get(`/api/v2/sessions/${session}/samples/`, token)).status).toBe(403);
      expect((await s.get(`/api/v2/squads/${scene.squad}/samples/`, token)).status).toBe(403);
    }
  });

  it("end with an error if a permission ends during the transfer", async () => {
    const { scene, ann, session } = await played();
    const ctx = {
      ...s.ctx,
      caller: {
        id: scene.manager.id,
        role: "MANAGER" as const,
        username: scene.manager.username,
        canCreateManagedAthletes: true,
        scopes: null,
      },
      isSignedIn: async () => true,
    };
    const target = await authorize(ctx, "downloadSessionSamples", { session });
    const pieces = downloadSessionSamples(ctx, target, {}, { format: "csv" });
    expect((await pieces.next()).done).toBe(false);
    await s.store.database.queries.delete(permissions).where(eq(permissions.athleteId, ann.athlete));
    s.clock.advance(10_000);
    const readAll = async () => {
      for await (const _ of pieces);
    };
    await expect(readAll()).rejects.toMatchObject({ kind: "forbidden" });
  });
});

describe("the extension in a path", () => {
  it("selects the format of samples and figures, for programs that cannot send Accept", async () => {
    const { scene, session, first } = await squadWithSession(s, "Ann", "Bob");
    await scene.run(first.device, 0, 1);
    const get = (path: string, accept: string) => s.get(path, scene.manager.token, { Accept: accept });
    const path = `/api/v2/sessions/${session}`;
    for (const [name, type] of [
      ["samples.csv", "text/csv"],
      ["samples.jsonl", "application/x-ndjson"],
      ["figures.csv", "text/csv"],
      ["figures.json", "application/json"],
    ] as const) {
      const byExtension = await get(`${path}/${name}`, "application/pdf");
      const byAccept = await get(`${path}/${name.replace(/\..*/, "/")}`, type);
      expect([name, byExtension.status]).toEqual([name, 200]);
      expect(byExtension.headers.get("content-type")).toContain(type);
      expect(byExtension.body).toEqual(byAccept.body);
    }
    expect((await get(`${path}/samples.xlsx`, "*/*")).status).toBe(404);
    expect((await s.get(`${path}/figures.csv`)).status).toBe(401);
  });
});

describe("the samples of a squad", () => {
  it("are those of its sessions, ordered by start", async () => {
    const team = await played();
    const { scene, session } = team;
    const earlier = await scene.session({ start_time: minute(-5), end_time: minute(-1) });
    const rows = await rowsAt(`/api/v2/squads/${scene.squad}/samples/`, team);
    expect(rows).toEqual([
      ...(await rowsAt(`/api/v2/sessions/${earlier}/samples/`, team)),
      ...(await rowsAt(`/api/v2/sessions/${session}/samples/`, team)),
    ]);
    const some = await rowsAt(`/api/v2/squads/${scene.squad}/samples/`, team, `&to=${minute(-2)}`);
    expect(some).toEqual(rows.filter(({ timestamp }) => Date.parse(timestamp) < Date.parse(minute(-2))));
    expect(some).toHaveLength(2 * 1800);
  });
});

describe("the samples of all devices", () => {
  it("are those of each device while the caller owned it, with its serial number", async () => {
    const team = await played();
    const { scene, ann, bob } = team;
    const stranger = await played();
    await s.take(ann.device, await release(scene, ann));
    const rows = await rowsAt("/api/v2/samples/", team);
    const own = async (player: TestPlayer) =>
      (await deviceRows(team, player)).map((row) => ({ device: player.device.serial_number, ...row }));
    expect(rows).toEqual([...(await own(ann)), ...(await own(bob))]);
    expect(rows).toHaveLength(2 * 4200);
    expect(rows.some(({ device }) => device === stranger.ann.device.serial_number)).toBe(false);
  });

  it("are compressed with an encoding that the client accepts", async () => {
    const { scene } = await played();
    const of = (coding: string) =>
      fetch(`${s.service.url}/api/v2/samples/`, {
        headers: { Authorization: `Bearer ${scene.manager.token}`, "Accept-Encoding": coding },
      });
    const [plain, packed] = [await of("identity"), await of("gzip, br;q=0.5")];
    expect([plain, packed].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip"]);
    expect(await packed.text()).toBe(await plain.text());
  });
});

/** Releases the device of a player. @returns a manager who can take it */
async function release(scene: SquadScene, { device }: TestPlayer) {
  await s.release(device, scene.manager);
  return s.manager();
}
