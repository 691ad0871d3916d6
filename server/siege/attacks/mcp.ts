import { type Attack, repeat } from "./attack.js";

const V2 = "/api/v2";

/** Questions over the Model Context Protocol, which read the API as the attacker. */
export const mcp: readonly Attack[] = [
  {
    name: "questions about the table of 200 players, its season and the samples, 32 at a time",
    as: "user",
    days: true,
    squad: {
      ...{ athletes: 200, members: 200, assignments: 400, ownerships: 0 },
      ...{ sessions: 1, periods: 0, figures: 0, breaks: 0 },
    },
    run: async ({ client, attacker: { token }, signal }, tally) => {
      const listed = async (path: string) => {
        const { body } = await client.send(`${V2}${path}`, { token });
        const [first] = (JSON.parse(body.toString()) as { results: { id: number }[] }).results;
        return first?.id ?? 0;
      };
      const [squad, session] = [await listed("/squads/"), await listed("/sessions/")];
      const call = (name: string, given: object) => ({
        method: "tools/call",
        params: { name, arguments: given },
      });
      const messages = [
        call("session_figures", { session }),
        { method: "tools/list" },
        call("squad_season", { squad }),
        call("compare_players", { session, players: ["1", "2"] }),
        { method: "ping" },
        call("list_sessions", { squad }),
      ];
      await repeat(signal, 32, tally, async (round) => {
        const json = { jsonrpc: "2.0", id: round, ...messages[round % messages.length] };
        return (await client.send("/mcp", { method: "POST", token, json, timeoutMs: 20_000 })).status;
      });
    },
  },
];
