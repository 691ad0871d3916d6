/** Compares the table of a session with the output of `asi squad`, and with the table in other formats. */
import { decodeSync, demoSquad, type EncodableRow } from "asi-convert";
import { figureOf, instantFormat, SQUAD_COLUMNS, squadMembers, squadRows } from "asi-convert/squad";
import { FILE_COLUMNS, tableCsv, textLayout } from "asi-convert/squad-report";
import { readPeriods, readRoster } from "asi-convert/squad-sheets";
import { eq } from "drizzle-orm";
import { strFromU8, unzipSync } from "fflate";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { squadMembers as rowsOfMembers } from "../src/store/schema.js";
import { recordingOf } from "./recordings.js";
import { service, type TestService } from "./service.js";
import { minute, PERIODS, SquadScene, setPeriods, squadWithSession } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

describe("the table of a session", () => {
  it("equals the output of asi squad for the same files, digit by digit, including a player with two trackers", async () => {
    const startMs = Date.parse(minute(0)) - 44 * 60_000;
    const match = demoSquad({ players: 14, startMs });
    const scene = await SquadScene.of(s);
    const { roster } = readRoster(match.roster);
    const session = await scene.session({ start_time: minute(0), end_time: minute(12) });
    const recordings = [];
    const devices = new Map<string, string>();
    for (const { name, serials, maxHr } of roster.players) {
      const player = await scene.add(name, { max_hr: maxHr });
      devices.set(serials[0] ?? "", player.device.serial_number);
      const worn = [player.device];
      for (const other of serials.slice(1)) {
        const device = await scene.device();
        devices.set(other, device.serial_number);
        await scene.assign(player.athlete, device);
        worn.push(device);
      }
      for (const [place, device] of worn.entries()) {
        const demo = match.recordings.find(({ serial }) => serial === serials[place]);
        // In these 12 minutes, a player changes the tracker.
        const bytes = await recordingOf(device.serial_number, within(demo?.rows() ?? []));
        await s.load(device, scene.manager, bytes);
        recordings.push({
          fileName: device.serial_number,
          serial: device.serial_number,
          samples: decodeSync(bytes).samples,
          isDamaged: false,
          isTruncated: false,
          damagedAfterMs: [],
        });
      }
    }
    const periods = `${PERIODS}Warm-up,13:00,13:03,\n1st half,13:03,13:11:30,\n1st half,-,-,Koch\n1st half,13:05,13:08,Meier\n1st half,13:09,13:10,Meier\n`;
    expect((await setPeriods(scene, session, periods.slice(PERIODS.length))).status).toBe(200);

    const own = {
      players: roster.players.map((player) => ({
        ...player,
        position: "MF",
        serials: player.serials.map((serial) => devices.get(serial) ?? ""),
      })),
    };
    const members = squadMembers(recordings, own);
    const read = readPeriods(periods, {
      session: { startMs: Date.parse(minute(0)), endMs: Date.parse(minute(12)) },
      players: members.map(({ name }) => name),
    });
    const expected = squadRows(members, read.periods, { preset: "soccer" });

    const { body } = await scene.figures(session);
    const seen = body.rows.map((row: Record<string, unknown>) => [
      row.player,
      row.period,
      row.figures,
      row.share_with_data,
      row.share_with_hr,
      row.definition,
    ]);
    expect(seen).toEqual(
      expected.map((row) => [
        row.member.name,
        row.period,
        Object.fromEntries(SQUAD_COLUMNS.map((column) => [column.key, figureOf(row, column)])),
        row.coverage,
        row.hrCoverage,
        row.metrics?.definition ?? null,
      ]),
    );
    const csv = await s.get(`/api/v2/sessions/${session}/figures/`, scene.manager.token, {
      Accept: "text/csv",
    });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const instantText = instantFormat(undefined);
    const rows = expected.map((row) => ({ ...row, session: instantText(Date.parse(minute(0))) }));
    const unknown = FILE_COLUMNS.map((column) =>
      ["damaged", "truncated"].includes(column.key) ? { ...column, cell: () => null } : column,
    );
    expect(csv.body).toBe(tableCsv(unknown, rows, textLayout(undefined, instantText)));
  });

  it("contains the same figures as Parquet and as a workbook with a sheet for each period", async () => {
    const { scene, first, session } = await squadWithSession(s, "Ann", "Bob");
    await scene.run(first.device, 0, 10);
    await setPeriods(scene, session, "1st half,13:02,13:06,\n");
    const { rows } = (await scene.figures(session)).body;
    const download = async (type: string, etag?: string) => {
      const response = await fetch(`${s.service.url}/api/v2/sessions/${session}/figures/`, {
        headers: {
          Authorization: `Bearer ${scene.manager.token}`,
          Accept: type,
          ...(etag && { "If-None-Match": etag }),
        },
      });
      const { headers, status } = response;
      return {
        status,
        etag: headers.get("etag") ?? "",
        vary: headers.get("vary"),
        bytes: await response.arrayBuffer(),
      };
    };
    const parquet = await download("application/vnd.apache.parquet");
    expect(parquet.vary).toMatch(/Accept/);
    const read = await parquetReadObjects({ file: parquet.bytes });
    expect(read.map(({ player, period, distance_m }) => [player, period, distance_m])).toEqual(
      rows.map((row: { player: string; period: string | null; figures: { distance_m: number | null } }) => [
        row.player,
        row.period ?? "session",
        row.figures.distance_m,
      ]),
    );
    const xlsx = await download("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    const files = unzipSync(new Uint8Array(xlsx.bytes));
    expect(strFromU8(files["xl/workbook.xml"] ?? new Uint8Array())).toMatch(
      /name="Session".*name="1st half"/s,
    );
    expect(strFromU8(files["xl/worksheets/sheet1.xml"] ?? new Uint8Array())).toContain(
      `<v>${rows[0].figures.distance_m}</v>`,
    );
    for (const [type, { etag }] of [
      ["application/vnd.apache.parquet", parquet],
      ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", xlsx],
    ] as const)
      expect([type, etag, (await download(type, etag)).status]).toEqual([type, etag, 304]);
    expect(new Set([parquet.etag, xlsx.etag, (await download("text/csv")).etag]).size).toBe(3);
  });

  it("has another entity tag when a player without figures gets another number, because a file contains it", async () => {
    const { scene, session } = await squadWithSession(s, "Ann");
    const { id } = await s.athlete();
    await scene.join(id, {}, 7);
    const read = async () => {
      const { headers, body } = await scene.send("GET", `/api/v2/sessions/${session}/figures.csv`);
      return [headers.get("etag"), body.includes(",77,")];
    };
    const [before] = await read();
    await s.store.database.queries
      .update(rowsOfMembers)
      .set({ number: 77 })
      .where(eq(rowsOfMembers.athleteId, id));
    const [after, isInFile] = await read();
    expect([after === before, isInFile]).toEqual([false, true]);
  });
});

/** Returns the rows in the 12 minutes of the session. */
function within(rows: Iterable<EncodableRow>): EncodableRow[] {
  const found: EncodableRow[] = [];
  for (const row of rows) {
    if (row.timestamp >= Date.parse(minute(12))) break;
    if (row.timestamp >= Date.parse(minute(0))) found.push(row);
  }
  return found;
}
