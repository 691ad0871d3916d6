import { input, text, texts } from "../schema.js";
import { FIGURE_LIST, linesNamed, SESSION, squadLines } from "../squad-answer.js";
import type { Tool } from "../tool.js";

/** Maximum number of rows in one answer. */
const MAX_ROWS = 200;

/** Returns the table of a session from `asi squad`. */
export const squadTable: Tool = {
  name: "squad_table",
  title: "Table of a squad",
  description:
    "Returns a row for each player of a session, for the whole session (period session), the match and each period, with the figures, thresholds and quality: share_with_data, share_with_hr, too_fast_rows, damaged. Reads roster.csv and periods.csv of the folder.",
  inputSchema: input(
    {
      ...SESSION,
      period: text("only this period, such as session, Match or 1st half"),
      players: texts("only these players", [1, 50]),
    },
    ["folder"],
  ),
  output: { source: "object", figures: "array", periods: "array", rows: "array", notices: "array" },
  async answer(given, surroundings) {
    const { source, lines, notices } = await squadLines(given, surroundings);
    const own = given.period === undefined ? lines : linesNamed(lines, "period", String(given.period));
    const players = given.players as readonly string[] | undefined;
    const shown = new Set(players?.flatMap((name) => linesNamed(own, "player", name)));
    const rows = players === undefined ? own : own.filter((line) => shown.has(line));
    return {
      source,
      figures: FIGURE_LIST,
      periods: [...new Set(lines.map((line) => line.period))],
      rows: rows.slice(0, MAX_ROWS),
      ...(rows.length > MAX_ROWS && { left_out_rows: rows.length - MAX_ROWS }),
      notices,
    };
  },
};
