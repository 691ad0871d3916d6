import { Type } from "@sinclair/typebox";
import {
  compared,
  definitionsFor,
  isPlayer,
  parametersOf,
  periodOf,
  qualityOf,
  rowOf,
  selected,
  shownRow,
  tableOf,
  unknownName,
  WHOLE,
} from "../session-rows.js";
import { Given, type Tool, tool } from "../tool.js";

/** Rows in one answer. */
const MAX_ROWS = 100;

const PLAYER = "Name or athlete id of a player";
const period = Given.text("A period such as 1st half; session is the whole session");

export const sessionFigures: Tool = tool({
  name: "session_figures",
  title: "Figures of a session",
  description:
    "The table of a session: a row for each player and period that you may see, with figures, thresholds and quality (share_with_data, share_with_hr, too_fast_rows), the definitions and the source. A value is null if it is unknown; figures of the heart are absent without a right to them. left_out names players without samples and the reason.",
  input: Type.Object({
    session: Given.session(),
    period: Type.Optional(period),
    players: Type.Optional(
      Type.Array(Given.text(PLAYER), { minItems: 1, maxItems: 50, description: "Only these players" }),
    ),
  }),
  output: { source: "object", session: "integer", definitions: "array", rows: "array", left_out: "array" },
  async answer(given, api) {
    const { body, source } = await tableOf(api, given.session);
    const rows = selected(body.rows, { period: given.period, players: given.players });
    const shown = rows.slice(0, MAX_ROWS);
    return {
      source,
      session: body.session,
      periods: [...new Set(body.rows.map(periodOf))],
      definitions: definitionsFor(shown),
      parameters: parametersOf(shown),
      rows: shown.map(shownRow),
      ...(rows.length > MAX_ROWS && { left_out_rows: rows.length - MAX_ROWS }),
      left_out: body.left_out.slice(0, MAX_ROWS),
    };
  },
});

export const comparePlayers: Tool = tool({
  name: "compare_players",
  title: "Compare players",
  description:
    "The figures of two to eleven players in one period of a session side by side, with the differences from the first one and the quality of each. Thresholds may differ by player.",
  input: Type.Object({
    session: Given.session(),
    players: Type.Array(Given.text(PLAYER), {
      minItems: 2,
      maxItems: 11,
      description: "The first one is compared with the others",
    }),
    period: Type.Optional(period),
  }),
  output: { source: "object", session: "integer", players: "array", figures: "array" },
  async answer(given, api) {
    const { body, source } = await tableOf(api, given.session);
    const name = given.period ?? WHOLE;
    const own = selected(body.rows, { period: name, players: undefined });
    if (own.length === 0) throw unknownName("period", name, body.rows.map(periodOf));
    const rows = given.players.map((player) => rowOf(own, player));
    return {
      source,
      session: body.session,
      players: rows.map(qualityOf),
      parameters: parametersOf(rows),
      figures: compared(rows),
    };
  },
});

export const compareSessions: Tool = tool({
  name: "compare_sessions",
  title: "Compare sessions",
  description:
    "The figures of one player in two to six whole sessions side by side, with the differences from the first one and the quality of each. Compare only values with the same thresholds and rules_version.",
  input: Type.Object({
    player: Given.text(PLAYER),
    sessions: Type.Array(Given.session(), {
      minItems: 2,
      maxItems: 6,
      uniqueItems: true,
      description: "The first one is compared with the others",
    }),
  }),
  output: { sources: "array", sessions: "array", figures: "array" },
  async answer(given, api) {
    const tables: Awaited<ReturnType<typeof tableOf>>[] = [];
    for (const session of given.sessions) tables.push(await tableOf(api, session));
    const rows = tables.map(
      ({ body }) => body.rows.find((row) => row.period === null && isPlayer(row, given.player)) ?? null,
    );
    const found = rows.filter((row) => row !== null);
    const names = tables.flatMap(({ body }) => body.rows.map(({ player }) => player));
    if (found.length === 0 || new Set(found.map(({ athlete }) => athlete)).size > 1)
      throw unknownName("player", given.player, names);
    return {
      sources: tables.map(({ source }) => source),
      sessions: rows.map((row, i) => ({
        session: given.sessions[i],
        row: row === null ? null : qualityOf(row),
      })),
      parameters: parametersOf(found),
      figures: compared(rows),
    };
  },
});
