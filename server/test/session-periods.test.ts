/** Tests the periods of a session, and periods that are copied from another session. */
import { beforeAll, describe, expect, it } from "vitest";
import { service, type TestService } from "./service.js";
import { half, minute, putPeriods, SquadScene, squadWithSession } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const played = (...names: string[]) => squadWithSession(s, ...names);

const putCsv = (scene: SquadScene, path: string, body: BodyInit, query = "") =>
  s.send("PUT", `${path}periods/${query}`, {
    token: scene.manager.token,
    body,
    headers: { "Content-Type": "text/csv" },
  });

describe("the periods of a session", () => {
  it("are the same as JSON and as periods.csv, in the time zone of the query", async () => {
    const { scene, first, second, path } = await played("Ann", "Bob");
    const csv =
      "period,start,end,player\n1st half,15:05:00,15:25:00,\n1st half,15:10:00,15:20:00,Ann\n1st half,-,-,Bob\n";
    const { status, body } = await putCsv(scene, path, csv, "?tz=Europe/Zurich");
    expect(status).toBe(200);
    expect(body).toEqual([
      half(),
      half({ start_time: minute(10), end_time: minute(20), athlete: first.athlete }),
      half({ start_time: null, end_time: null, athlete: second.athlete }),
    ]);
    const text = await s.get(`${path}periods/?tz=Europe/Zurich`, scene.manager.token, { Accept: "text/csv" });
    expect([text.headers.get("content-type"), text.body]).toEqual(["text/csv; charset=utf-8", csv]);
    const again = await putPeriods(scene, path, body);
    expect([again.status, again.body]).toEqual([200, body]);
  });

  it("keep umlauts of files in Windows-1252, UTF-16 and UTF-8", async () => {
    const { scene, path } = await played("Jörg Müller");
    const csv = "Period;Start;End;Player\r\n1. Hälfte;13:05;13:25;\r\n1. Hälfte;13:05;13:15;Jörg Müller\r\n";
    for (const bytes of [
      Buffer.from(csv, "latin1"),
      Buffer.from(`\ufeff${csv}`, "utf16le"),
      Buffer.from(`\ufeff${csv}`),
    ]) {
      const { status, body } = await putCsv(scene, path, new Uint8Array(bytes));
      expect([status, body.map(({ name }: { name: string }) => name)]).toEqual([
        200,
        ["1. Hälfte", "1. Hälfte"],
      ]);
    }
  });

  it("are refused as a whole with the location of each error", async () => {
    const { scene, path } = await played("Ann");
    await putPeriods(scene, path, [half()]);
    const placesOf = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
      status,
      body.errors?.map(({ field }) => field),
    ];
    const rows = [
      [half(), half({ name: "Drill", start_time: minute(20), end_time: minute(30) })],
      [half({ end_time: minute(1) })],
      [half({ athlete: scene.manager.id })],
      [half({ end_time: null })],
      [half({ name: "whole" })],
    ];
    const places = [];
    for (const one of rows) places.push(placesOf(await putPeriods(scene, path, one)));
    expect(places).toEqual([
      [400, ["1"]],
      [400, ["0"]],
      [400, ["0.athlete"]],
      [400, ["0.end_time"]],
      [400, ["0"]],
    ]);
    expect(placesOf(await putPeriods(scene, path, [half({ end_time: minute(61) })]))[0]).toBe(400);
    expect(
      placesOf(
        await putPeriods(
          scene,
          path,
          Array.from({ length: 201 }, () => half()),
        ),
      )[0],
    ).toBe(400);
    const csv = "period,start,end,player\n1st half,13:05,13:25,\n2nd half,25:70,13:40,\n";
    expect(placesOf(await putCsv(scene, path, csv))).toEqual([400, ["line 3"]]);
    expect(placesOf(await putCsv(scene, path, csv, "?tz=Mars"))).toEqual([400, ["tz"]]);
    expect((await scene.send("GET", `${path}periods/`)).body).toEqual([half()]);
    expect(placesOf(await scene.send("PATCH", path, { end_time: minute(20) }))).toEqual([400, ["end_time"]]);
  });
});

describe("periods copied from another session", () => {
  const copy = (scene: SquadScene, to: number, from: number) =>
    scene.send("POST", `/api/v2/sessions/${to}/periods/copy/`, { from });

  it("begin at the same times after the start, and time frames are derived from them", async () => {
    const scene = await SquadScene.of(s, ["Bea", "Cleo"]);
    const [bea, cleo] = scene.players.map(({ athlete }) => athlete);
    const source = await scene.session();
    const row = (from: string | null, to: string | null, athlete: number | null) => ({
      name: "1st half",
      start_time: from,
      end_time: to,
      athlete,
    });
    const rows = (day: string) => [
      row(day + minute(5).slice(10), day + minute(20).slice(10), null),
      row(day + minute(5).slice(10), day + minute(10).slice(10), bea ?? 0),
      row(null, null, cleo ?? 0),
    ];
    await scene.send("PUT", `/api/v2/sessions/${source}/periods/`, rows("2024-06-01"));
    const target = await scene.session({
      start_time: "2024-06-08T13:00:00.000Z",
      end_time: "2024-06-08T13:20:00.000Z",
    });
    await scene.send("PUT", `/api/v2/sessions/${target}/periods/`, [
      { ...row("2024-06-08T13:00:00.000Z", "2024-06-08T13:01:00.000Z", null), name: "Warm-up" },
    ]);
    const { status, body } = await copy(scene, target, source);
    expect([status, body]).toEqual([200, { periods: rows("2024-06-08"), left_out: [] }]);
    expect((await scene.send("GET", `/api/v2/sessions/${target}/periods/`)).body).toEqual(body.periods);
    const frames = (await scene.frames(target)).filter(({ athlete }) => athlete === bea);
    expect(frames.map(({ start_time }) => start_time).sort()).toEqual([
      "2024-06-08T13:00:00.000Z",
      "2024-06-08T13:05:00.000Z",
    ]);
  });

  it("omit players who are not in the session, and report their names", async () => {
    const scene = await SquadScene.of(s, ["Bea"]);
    const source = await scene.session();
    const bea = scene.players[0]?.athlete;
    const all = { name: "Drill", start_time: minute(0), end_time: minute(5), athlete: null };
    await scene.send("PUT", `/api/v2/sessions/${source}/periods/`, [all, { ...all, athlete: bea }]);
    const { body: squad } = await scene.send("POST", "/api/v2/squads/", { name: "Second team" });
    const target = await scene.session({ squad: squad.id });
    expect((await copy(scene, target, source)).body).toEqual({
      periods: [all],
      left_out: [{ name: "Drill", athlete: bea, player: "Bea" }],
    });
  });

  it("are refused after the end of the session, and from a session of another account", async () => {
    const scene = await SquadScene.of(s, ["Bea"]);
    const source = await scene.session();
    const drill = { name: "Drill", start_time: minute(10), end_time: minute(30), athlete: null };
    await scene.send("PUT", `/api/v2/sessions/${source}/periods/`, [drill]);
    const target = await scene.session({ end_time: minute(29) });
    const other = await SquadScene.of(s);
    for (const [from, detail] of [
      [source, '"Drill". Make the session longer'],
      [await other.session(), "You have no session"],
    ] as const) {
      const refused = await copy(scene, target, from);
      expect([refused.status, refused.body.errors]).toEqual([
        400,
        [{ field: "from", detail: expect.stringContaining(detail) }],
      ]);
    }
    expect((await scene.send("GET", `/api/v2/sessions/${target}/periods/`)).body).toEqual([]);
  });
});
