/** Tests the figures in the table of a session that are off by default: profile, metabolic power and standard runs. */
import {
  accelerationSpeedProfile,
  METABOLIC_CAUTION,
  metabolicEstimate,
  metabolicSummary,
  STANDARD_RUNS_CAUTION,
  sessionMaxSpeed,
  standardRuns,
} from "asi-convert/metrics";
import { FILE_COLUMNS } from "asi-convert/squad-report";
import { and, eq } from "drizzle-orm";
import { strFromU8, unzipSync } from "fflate";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { plantedSprints } from "../../test/metrics/figures/planted.js";
import { columnsOf } from "../../test/metrics/golden/sessions.js";
import { permissions, sessionFigures } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { minute, SquadScene, type TestPlayer } from "./squad-scene.js";
import { type Sample, store } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const ALL = "with_profile=true&with_metabolic_power=true&with_standard_runs=true";

const NUMBERS = [
  "session_max_speed_m_per_s",
  "profile_a0_m_per_s2",
  "profile_s0_m_per_s",
  "metabolic_energy_kj_per_kg",
  "metabolic_power_w_per_kg",
  "high_power_m",
  "standard_runs",
];

/** Returns sprints from the start of the session, and a steady run from minute 20 to minute 26. */
function samplesOf(scene: SquadScene): Sample[] {
  const sprints = plantedSprints(0.05);
  const shiftMs = Date.parse(minute(0)) - (sprints[0]?.t ?? 0);
  return [
    ...sprints.map(({ t, speed }) => ({ t: t + shiftMs, speed: speed ?? 0, hr: 150 })),
    ...scene.samples(20, 26, 3500),
  ];
}

/** Creates a session with two periods, with Ann, who sprints, and Bob, who has no samples. */
async function played() {
  const scene = await SquadScene.of(s, ["Ann", "Bob"]);
  const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
  const session = await scene.session();
  const samples = samplesOf(scene);
  await store(s, ann.device.id, samples);
  const body = "period,start,end,player\nSprints,13:00,13:10,\nRun,13:20,13:30,\n";
  const headers = { "Content-Type": "text/csv" };
  const { token } = scene.manager;
  const put = await s.send("PUT", `/api/v2/sessions/${session}/periods/`, { token, body, headers });
  expect(put.status).toBe(200);
  await s.runJobs();
  return { scene, ann, bob, session, samples };
}

const tableOf = (session: number, token: string, query = "", headers = {}) =>
  s.get(`/api/v2/sessions/${session}/figures/${query}`, token, headers);

describe("optional figures of a table", () => {
  it("equal those of the library for the samples of each player and period", async () => {
    const { scene, session, samples } = await played();
    const { body } = await tableOf(session, scene.manager.token, `?${ALL}`);
    expect(body.rows).toHaveLength(6);
    expect(body.cautions).toEqual({ metabolic: METABOLIC_CAUTION, standard_runs: STANDARD_RUNS_CAUTION });
    const times: Record<string, [string, string]> = {
      session: [minute(0), minute(60)],
      Sprints: [minute(0), minute(10)],
      Run: [minute(20), minute(30)],
    };
    const seen = [];
    for (const { player, period, figures, profile_reason, definition } of body.rows) {
      const own = NUMBERS.map((key) => figures[key]);
      if (player === "Bob") {
        expect([own, profile_reason, definition]).toEqual([NUMBERS.map(() => null), null, null]);
        continue;
      }
      const [start = "", end = ""] = times[period ?? "session"] ?? [];
      const columns = columnsOf(samples);
      const options = { preset: "soccer", from: Date.parse(start), to: Date.parse(end) - 1 } as const;
      const maxSpeed = sessionMaxSpeed(columns, options) ?? 0;
      const found = accelerationSpeedProfile([columns], { ...options, maxSpeed });
      const { energy, mean_power, high_power_distance } = metabolicSummary(
        metabolicEstimate(columns, options),
      );
      const { runs } = standardRuns(columns, options);
      const { a0 = null, s0 = null } = found.profile ?? {};
      expect(own).toEqual([maxSpeed, a0, s0, energy, mean_power, high_power_distance, runs.length]);
      expect(profile_reason).toBe(found.reason);
      expect(definition).toMatchObject({
        acceleration_speed: { version: 1, gate: { least_r2_before: 0.9 } },
        metabolic: { version: 1 },
        standard_runs: { version: 1 },
      });
      seen.push([period, profile_reason === null, runs.length]);
    }
    expect(seen).toEqual([
      [null, true, 1],
      ["Sprints", true, 0],
      ["Run", false, 1],
    ]);
  });

  it("follow the other figures in CSV, Parquet and workbooks, with the cautions at the end", async () => {
    const { scene, session } = await played();
    const { token } = scene.manager;
    const texts = ["profile_reason", "metabolic_caution", "standard_runs_caution"];
    const keys = FILE_COLUMNS.map(({ key }) => key);
    const place = keys.indexOf("sprint_m") + 1;
    const { body } = await tableOf(session, token, `?${ALL}`);
    const [ann] = body.rows;
    const csv = await tableOf(session, token, `?${ALL}`, { Accept: "text/csv" });
    const [head, first] = (csv.body as string).split("\n");
    expect(head?.split(",")).toEqual([...keys.slice(0, place), ...NUMBERS, ...keys.slice(place), ...texts]);
    expect(first?.split(",").slice(place, place + NUMBERS.length)).toEqual(
      NUMBERS.map((key) => String(ann.figures[key])),
    );
    expect(first).toContain(METABOLIC_CAUTION);
    const bytesAt = async (extension: string) => {
      const path = `${s.service.url}/api/v2/sessions/${session}/figures.${extension}?${ALL}`;
      const response = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
      expect(response.status).toBe(200);
      return response.arrayBuffer();
    };
    const [row = {}] = await parquetReadObjects({ file: await bytesAt("parquet") });
    expect(NUMBERS.map((key) => row[key])).toEqual(NUMBERS.map((key) => ann.figures[key]));
    expect([row.profile_reason ?? null, row.standard_runs_caution]).toEqual([null, STANDARD_RUNS_CAUTION]);
    const files = unzipSync(new Uint8Array(await bytesAt("xlsx")));
    const sheet = strFromU8(files["xl/worksheets/sheet1.xml"] ?? new Uint8Array());
    expect(sheet).toContain(`<v>${ann.figures.metabolic_energy_kj_per_kg}</v>`);
  });

  it("do not change tables and seasons that do not request them, and can be requested separately", async () => {
    const { scene, session } = await played();
    const { token } = scene.manager;
    const plain = await tableOf(session, token);
    const all = await tableOf(session, token, `?${ALL}`);
    expect(all.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    const { cautions: _, ...others } = all.body;
    for (const row of others.rows) {
      for (const key of NUMBERS) delete row.figures[key];
      delete row.profile_reason;
      for (const key of ["acceleration_speed", "metabolic", "standard_runs"]) delete row.definition?.[key];
    }
    expect(JSON.stringify(others)).toBe(JSON.stringify(plain.body));
    const season = await s.get(`/api/v2/squads/${scene.squad}/season/`, token);
    const unrequested = /metabolic|profile|standard_runs|caution|high_power|session_max/;
    expect(JSON.stringify([plain.body, season.body])).not.toMatch(unrequested);
    const csv = await tableOf(session, token, "", { Accept: "text/csv" });
    expect(csv.body.split("\n")[0].split(",")).toEqual(FILE_COLUMNS.map(({ key }) => key));
    for (const [parameter, keys, cautions] of [
      ["with_profile", NUMBERS.slice(0, 3), []],
      ["with_metabolic_power", NUMBERS.slice(3, 6), ["metabolic"]],
      ["with_standard_runs", NUMBERS.slice(6), ["standard_runs"]],
    ] as const) {
      const { body } = await tableOf(session, token, `?${parameter}=true`);
      expect(NUMBERS.filter((key) => key in body.rows[0].figures)).toEqual(keys);
      expect(Object.keys(body.cautions ?? {})).toEqual(cautions);
    }
  });

  it("are absent for players whose permission is withdrawn, and refused to strangers", async () => {
    const { scene, ann, session } = await played();
    const { token } = scene.manager;
    expect((await tableOf(session, token, `?${ALL}`)).body.rows).toHaveLength(6);
    await s.store.database.queries.delete(permissions).where(eq(permissions.athleteId, ann.athlete));
    const { body } = await tableOf(session, token, `?${ALL}`);
    expect(body.rows.map((row: { player: string }) => row.player)).not.toContain("Ann");
    const stranger = await s.manager();
    expect((await tableOf(session, stranger.token, `?${ALL}`)).status).toBe(404);
  });

  it("are null if an older release stored the other figures and they cannot be recomputed", async () => {
    const { scene, session } = await played();
    const { token } = scene.manager;
    await tableOf(session, token);
    const { queries } = s.store.database;
    const isOfSession = eq(sessionFigures.sessionId, session);
    for (const row of await queries.select().from(sessionFigures).where(isOfSession)) {
      const { further: _, ...before } = JSON.parse(row.details);
      await queries
        .update(sessionFigures)
        .set({ details: JSON.stringify(before) })
        .where(
          and(
            isOfSession,
            eq(sessionFigures.athleteId, row.athleteId),
            eq(sessionFigures.period, row.period),
          ),
        );
    }
    const { rows } = (await tableOf(session, token, `?${ALL}`)).body;
    expect(rows).toHaveLength(6);
    for (const { figures } of rows)
      expect(NUMBERS.map((key) => figures[key])).toEqual(NUMBERS.map(() => null));
  });
});
