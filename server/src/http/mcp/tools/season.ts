import { type Static, Type } from "@sinclair/typebox";
import type { Season } from "../../../domain/sessions/season-resource.js";
import { playerSearch } from "../player-search.js";
import { definitionsOf, unknownPlayer } from "../session-rows.js";
import { Given, type Tool, tool } from "../tool.js";

/** Maximum number of entries and sessions in one result. */
const MAX_ENTRIES = 100;

export const squadSeason: Tool = tool({
  name: "squad_season",
  title: "Season of a squad",
  description:
    "Stored figures over the sessions of a squad: for each player the normal range of the last five matches, the best values and the days since the last session; with a player also the figures of each session. notes says which sessions are of another sport than the last session, which figures have another limit (threshold, maximum heart rate), and therefore do not count, and how many samples are in no figure, because they are too fast for the sport. For sums, the normal range is of matches with about the same playing time. not_computed is the number of players whose figures are missing or incomplete; session_figures computes them, or gives the reason in left_out. left_out_sessions and left_out_players are the numbers of earlier sessions and of further players that are not in this result. computing: values of the session may still change after a recent change.",
  input: Type.Object({
    squad: Given.squad(),
    player: Type.Optional(
      Given.text("Name or athlete id of a player, or # and the number on the shirt, such as #7"),
    ),
    from: Type.Optional(Given.time("Only sessions that end later than this time")),
    to: Type.Optional(Given.time("Only sessions that start earlier than this time")),
  }),
  output: { source: "object", squad: "integer", definitions: "array", sessions: "array", players: "array" },
  async answer({ squad, player, from, to }, api) {
    const { body, source } = await api.get<Static<typeof Season>>(`/api/v2/squads/${squad}/season/`, {
      from,
      to,
    });
    const wanted = player === undefined ? body.players : playerSearch(body.players)(player);
    if (player !== undefined && wanted.length !== 1) throw unknownPlayer(player, body.players);
    const latest = body.sessions.slice(-MAX_ENTRIES);
    return {
      source,
      squad: body.squad,
      definitions: definitionsOf(wanted.flatMap(({ best }) => Object.keys(best))),
      sessions: latest.map(({ id, not_computed, ...rest }) => ({
        session: id,
        ...rest,
        not_computed: not_computed.length,
      })),
      left_out_sessions: body.left_out + body.sessions.length - latest.length,
      left_out_players: Math.max(0, wanted.length - MAX_ENTRIES),
      players: wanted.slice(0, MAX_ENTRIES).map(({ entries, ...rest }) => ({
        ...rest,
        sessions_played: entries.length,
        ...(player !== undefined && { entries: entries.slice(-MAX_ENTRIES) }),
      })),
    };
  },
});
