import { comparedFigure } from "../compared.js";
import { input, text, texts } from "../schema.js";
import { FIGURE_LIST, linesNamed, SESSION, type SquadLine, squadLines } from "../squad-answer.js";
import type { Tool } from "../tool.js";

/** Compares the rows of several players of a session. */
export const comparePlayers: Tool = {
  name: "compare_players",
  title: "Compare players",
  description:
    "Compares the figures of two to eleven players in one period of a session, each with its quality. Differences are relative to the first player. The thresholds may differ by player: see high_speed_from_m_per_s and sprint_from_m_per_s.",
  inputSchema: input(
    {
      ...SESSION,
      players: texts("names from the roster, or from the files without a roster", [2, 11]),
      period: text("a period such as session, Match or 1st half; default session"),
    },
    ["folder", "players"],
  ),
  output: { source: "object", period: "string", players: "array", figures: "array", notices: "array" },
  async answer(given, surroundings) {
    const { source, lines, notices } = await squadLines(given, surroundings);
    const period = String(given.period ?? "session");
    const own = linesNamed(lines, "period", period);
    const rows = (given.players as readonly string[]).map((name) => linesNamed(own, "player", name)[0]);
    return {
      source,
      period,
      players: rows.map((row) => ({ player: row.player, ...ofQuality(row) })),
      figures: FIGURE_LIST.map((figure) =>
        comparedFigure(
          figure,
          rows.map((row) => numberOf(row[figure.name])),
        ),
      ),
      notices,
    };
  },
};

const numberOf = (value: SquadLine[string] | undefined) => (typeof value === "number" ? value : null);

const QUALITY = [
  "start",
  "end",
  "high_speed_from_m_per_s",
  "sprint_from_m_per_s",
  "period_minutes",
  "bench_minutes",
  "share_with_data",
  "share_with_hr",
  "too_fast_rows",
  "damaged",
];
const ofQuality = (row: SquadLine) => Object.fromEntries(QUALITY.map((key) => [key, row[key] ?? null]));
