import { Type } from "@sinclair/typebox";
import type { Source } from "../own-api.js";
import {
  compared,
  definitionsFor,
  gapsOf,
  NAMES_SHOWN,
  parametersOf,
  periodOf,
  qualityOf,
  type Row,
  rowsOf,
  selected,
  shownRow,
  tableOf,
  unknownName,
  unknownPlayer,
  WHOLE,
} from "../session-rows.js";
import { Given, type Tool, tool } from "../tool.js";

/** Maximum number of rows in one result. */
const MAX_ROWS = 100;

/** Returns the number of entries that the result does not contain, if any. */
const further = (name: string, { length }: readonly unknown[]) =>
  length > MAX_ROWS && { [name]: length - MAX_ROWS };

const PLAYER = "Name or athlete id of a player, or # and the number on the shirt, such as #7";
const period = Given.text(
  "A period such as 1st half; session is the whole session, which has the period null in the API",
);

export const sessionFigures: Tool = tool({
  name: "session_figures",
  title: "Figures of a session",
  description:
    "The table of a session: a row for each player and period that you can see, with figures, thresholds and quality (share_with_data, share_with_hr, too_fast_rows, left_out_devices), the definitions and the source. A value is null if it is unknown; heart-rate figures are absent if the role does not include them. left_out lists players without samples and the reason; computing lists players whose values may still change after a recent change. left_out_rows, more_left_out and more_computing are the numbers of further entries that are not in this result.",
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
      match_note: body.match_note,
      periods: [...new Set(body.rows.map(periodOf))],
      definitions: definitionsFor(shown),
      parameters: parametersOf(shown),
      rows: shown.map(shownRow),
      ...further("left_out_rows", rows),
      left_out: body.left_out.slice(0, MAX_ROWS),
      ...further("more_left_out", body.left_out),
      ...(body.computing.length > 0 && { computing: body.computing.slice(0, MAX_ROWS) }),
      ...further("more_computing", body.computing),
    };
  },
});

export const comparePlayers: Tool = tool({
  name: "compare_players",
  title: "Compare players",
  description:
    "The figures of two to eleven players in one period of a session side by side, each with the quality of its row. Differences are from the first one. Thresholds may differ by player. left_out and computing are as in session_figures, for these players.",
  input: Type.Object({
    session: Given.session(),
    players: Type.Array(Given.text(PLAYER), {
      minItems: 2,
      maxItems: 11,
      description: "Differences are from the first one",
    }),
    period: Type.Optional(period),
  }),
  output: { source: "object", session: "integer", players: "array", figures: "array" },
  async answer(given, api) {
    const { body, source } = await tableOf(api, given.session);
    const name = given.period ?? WHOLE;
    const own = selected(body.rows, { period: name, players: undefined });
    if (own.length === 0) throw unknownName("period", name, body.rows.map(periodOf));
    const rows = rowsOf(own, given.players).map((row, i) => {
      if (row === null) throw unknownPlayer(given.players[i] ?? "", own);
      return row;
    });
    return {
      source,
      session: body.session,
      match_note: body.match_note,
      players: rows.map(qualityOf),
      parameters: parametersOf(rows),
      figures: compared(rows),
      ...gapsOf(
        body,
        rows.map(({ athlete }) => athlete),
        name,
      ),
    };
  },
});

export const compareSessions: Tool = tool({
  name: "compare_sessions",
  title: "Compare sessions",
  description:
    "The figures of one player in two to six whole sessions side by side, each with the quality of its row. Differences are from the first one. Compare only values with the same thresholds and rules_version. left_out and computing of a session are as in session_figures, for this player.",
  input: Type.Object({
    player: Given.text(PLAYER),
    sessions: Type.Array(Given.session(), {
      minItems: 2,
      maxItems: 6,
      uniqueItems: true,
      description: "Differences are from the first one",
    }),
  }),
  output: { sources: "array", sessions: "array", figures: "array" },
  async answer(given, api) {
    const sources: Source[] = [];
    const rows: (Row | null)[] = [];
    const gaps: Parameters<typeof gapsOf>[0][] = [];
    const names = new Set<string>();
    for (const session of given.sessions) {
      // A table can be several megabytes, so keep only the compared parts.
      const { body, source } = await tableOf(api, session);
      sources.push(source);
      gaps.push({ left_out: body.left_out.filter((one) => one.period === null), computing: body.computing });
      const whole = body.rows.filter(({ period: name }) => name === null);
      rows.push(...rowsOf(whole, [given.player]));
      for (const { player } of body.rows) if (names.size < NAMES_SHOWN) names.add(player);
    }
    const found = rows.filter((row) => row !== null);
    const athletes = [...new Set(found.map(({ athlete }) => athlete))];
    if (athletes.length !== 1) throw unknownName("player", given.player, names);
    return {
      sources,
      sessions: rows.map((row, i) => ({
        session: given.sessions[i],
        row: row === null ? null : qualityOf(row),
        ...gapsOf(gaps[i] ?? { left_out: [], computing: [] }, athletes),
      })),
      parameters: parametersOf(found),
      figures: compared(rows),
    };
  },
});
