import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { recording } from "../scene.js";
import { SESSION_MS } from "../squads.js";
import { type Attack, repeat, type Siege } from "./attack.js";

const V2 = "/api/v2";

interface Sent {
  json?: unknown;
  csv?: string;
  accept?: string;
}

const send = async ({ client, attacker }: Siege, method: string, path: string, sent: Sent = {}) => {
  const { json, csv, accept } = sent;
  return client.send(`${V2}${path}`, {
    method,
    token: attacker.token,
    timeoutMs: 20_000,
    ...(json === undefined ? {} : { json }),
    ...(csv === undefined ? {} : { body: csv }),
    headers: {
      ...(csv === undefined ? {} : { "Content-Type": "text/csv" }),
      ...(accept === undefined ? {} : { Accept: accept }),
    },
  });
};

const statusOf = async (...[siege, method, path, sent]: Parameters<typeof send>) =>
  (await send(siege, method, path, sent)).status;

interface Place {
  squad: number;
  /** Sessions of the squad, oldest first. */
  sessions: number[];
  /** Players of the squad, oldest first. */
  players: number[];
}

async function list<T>(siege: Siege, path: string): Promise<T[]> {
  const { body } = await send(siege, "GET", path);
  return (JSON.parse(body.toString()) as { results: T[] }).results;
}

/** Reads the ids of the squad, of its newest sessions and of its players. */
async function placeOf(siege: Siege): Promise<Place> {
  const [squad] = await list<{ id: number }>(siege, "/squads/");
  const sessions = await list<{ id: number }>(siege, "/sessions/?limit=300");
  const members = await list<{ athlete: number }>(siege, `/members/?squad=${squad?.id}&limit=300`);
  return {
    squad: squad?.id ?? 0,
    sessions: sessions.map(({ id }) => id).reverse(),
    players: members.map(({ athlete }) => athlete),
  };
}

const at = (ms: number) => new Date(ms).toISOString();

/** Creates periods within the first session. Each begins a second later and ends a second earlier than the previous one. */
const nestedPeriods = ({ attacker: { startMs } }: Siege, count: number, endMs = startMs + SESSION_MS) =>
  Array.from({ length: count }, (_, i) => ({
    name: `Drill ${i}`,
    start_time: at(startMs + 1000 * i),
    end_time: at(endMs - 1000 * i),
    athlete: null,
  }));

/** Creates periods that overlap each other, and a row for each player. Each pair of periods is a problem for each player. */
function overlappingCsv({ attacker: { startMs } }: Siege, players: readonly number[]): string {
  const clock = (ms: number) => at(ms).slice(11, 19);
  const periods = Array.from({ length: 190 }, (_, i) =>
    [`P${i}`, clock(startMs + 1000 * i), clock(startMs + 3_600_000 + 1000 * i), ""].join(","),
  );
  const own = players.map((_, i) => `Own,20:00,20:01,Émilie ${i + 1} Von der Heide`);
  return ["period,start,end,player", ...periods, ...own].join("\n");
}

/** Creates a roster with as many serial numbers as fit into a body. */
const serialsCsv = (): string => {
  const serials = Array.from({ length: 14_000 }, (_, i) => i.toString(36));
  return `player,serial\nA,${serials.join(" ")}`;
};

const rosterCsv = (round: number): string =>
  [
    "player,number,position,serial,max_hr",
    ...Array.from(
      { length: 200 },
      (_, i) => `Émilie ${i + 1} Von der Heide,${round % 99},MF,,${150 + (round % 50)}`,
    ),
  ].join("\n");

const FORMS = [
  "application/json",
  "text/csv",
  "application/vnd.apache.parquet",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
];

const none = {
  athletes: 0,
  members: 0,
  assignments: 0,
  ownerships: 0,
  sessions: 0,
  periods: 0,
  figures: 0,
  breaks: 0,
};

/** Squads and sessions as large as the limits allow. */
export const squads: readonly Attack[] = [
  {
    name: "figures of a squad of 200 players, 16 at a time, made stale repeatedly",
    as: "user",
    days: true,
    squad: { ...none, athletes: 200, members: 200, assignments: 400, sessions: 1 },
    run: async (siege, tally) => {
      const { sessions } = await placeOf(siege);
      const path = `/sessions/${sessions[0]}/`;
      await repeat(siege.signal, 16, tally, async (round) => {
        if (round % 16 === 0) {
          const sport = round % 32 === 0 ? "running" : "soccer";
          return statusOf(siege, "PATCH", path, { json: { sport } });
        }
        return statusOf(siege, "GET", `${path}figures/`, { accept: FORMS[round % FORMS.length] ?? "" });
      });
    },
  },
  {
    name: "the season of a squad with 400 sessions of 50 players, 16 at a time with filters",
    as: "user",
    squad: { ...none, athletes: 50, members: 50, sessions: 400, figures: 50, breaks: 10 },
    run: async (siege, tally) => {
      const { squad } = await placeOf(siege);
      const { startMs } = siege.attacker;
      await repeat(siege.signal, 16, tally, (round) => {
        const from = round % 3 === 0 ? "" : `&from=${at(startMs + round)}`;
        const to = round % 4 === 0 ? "" : `&to=${at(startMs + 1000 * SESSION_MS - round)}`;
        return statusOf(siege, "GET", `/squads/${squad}/season/?${from}${to}`.replace("?&", "?"));
      });
    },
  },
  {
    name: "periods.csv and roster.csv of a squad, full of problems, of a manager with 9,900 athletes",
    as: "user",
    squad: { ...none, athletes: 9_900, members: 200, sessions: 1 },
    run: async (siege, tally) => {
      const { squad, sessions, players } = await placeOf(siege);
      const periods = `/sessions/${sessions[0]}/periods/`;
      const roster = `/squads/${squad}/roster/`;
      const overlapping = overlappingCsv(siege, players.slice(0, 200));
      const manySerials = serialsCsv();
      await repeat(siege.signal, 4, tally, (round) => {
        if (round % 4 === 0) return statusOf(siege, "PUT", periods, { csv: overlapping });
        if (round % 4 === 1) return statusOf(siege, "POST", `${roster}?create=true`, { csv: manySerials });
        if (round % 4 === 2) return statusOf(siege, "POST", roster, { csv: rosterCsv(round) });
        return statusOf(siege, "PUT", periods, {
          csv: `period,start,end,player\n${"x,1,2,y\n".repeat(8_000)}`,
        });
      });
    },
  },
  {
    name: "nested periods of a squad with 1,000 assignments and 9,000 ownerships, copied repeatedly",
    as: "user",
    days: true,
    squad: { ...none, athletes: 200, members: 200, assignments: 1_000, ownerships: 9_000, sessions: 2 },
    run: async (siege, tally) => {
      const { sessions } = await placeOf(siege);
      const [first, second] = sessions;
      await repeat(siege.signal, 4, tally, (round) => {
        if (round % 3 === 0)
          return statusOf(siege, "PUT", `/sessions/${first}/periods/`, {
            json: nestedPeriods(siege, 200 - (round % 2)),
          });
        if (round % 3 === 1)
          return statusOf(siege, "POST", `/sessions/${second}/periods/copy/`, { json: { from: first } });
        return statusOf(siege, "GET", `/sessions/${first}/figures/`);
      });
    },
  },
  {
    name: "a player with 200 periods and 1,000 assignments in each of 20 sessions, changed and read repeatedly",
    as: "user",
    squad: { ...none, athletes: 1, members: 1, assignments: 1_000, sessions: 20, periods: 200 },
    run: async (siege, tally) => {
      const { sessions } = await placeOf(siege);
      const [member] = await list<{ id: number }>(siege, "/members/");
      await repeat(siege.signal, 4, tally, (round) =>
        round % 4 === 0
          ? statusOf(siege, "PATCH", `/members/${member?.id}/`, { json: { number: round % 99 } })
          : statusOf(siege, "GET", `/sessions/${sessions[round % sessions.length]}/figures/`),
      );
    },
  },
  {
    name: "a squad of 9,900 players with 50,000 assignments: sessions suggested, players and invitations changed",
    as: "user",
    squad: { ...none, athletes: 9_900, members: 9_900, assignments: 49_900, sessions: 1 },
    run: async (siege, tally) => {
      const { squad, sessions } = await placeOf(siege);
      const { startMs } = siege.attacker;
      await repeat(siege.signal, 16, tally, (round) =>
        surround(siege, { squad, session: sessions[0] ?? 0 }, round, startMs),
      );
    },
  },
  {
    name: "live data of a squad and its sessions on connections that read nothing, opened repeatedly, while the device streams",
    as: "user",
    squad: { ...none, athletes: 200, members: 200, assignments: 400, sessions: 6 },
    run: async (siege, tally) => {
      const { client, attacker, signal } = siege;
      const { squad, sessions } = await placeOf(siege);
      const paths = ["/live/", `/squads/${squad}/live/`, ...sessions.map((id) => `/sessions/${id}/live/`)];
      const { serial, startMs, token } = attacker;
      const streaming = repeat(signal, 1, tally, async (round) => {
        const rows = await recording(serial, startMs + round * 30_000, 300, 100);
        return client
          .send(`/api/v1/devices/${attacker.device}/bulk-load/`, {
            method: "POST",
            token,
            json: { asi_b64: Buffer.from(rows).toString("base64") },
            timeoutMs: 20_000,
          })
          .then(({ status }) => status);
      });
      const watching = paths.map((path) =>
        repeat(signal, 1, tally, async () => {
          const socket = client.connect();
          socket.write(`GET ${V2}${path} HTTP/1.1\r\nHost: siege\r\nAuthorization: Bearer ${token}\r\n\r\n`);
          const [head] = (await once(socket, "data", { signal }).catch(() => [""])) as [Uint8Array | string];
          socket.pause();
          await sleep(5_000, undefined, { signal }).catch(() => undefined);
          socket.destroy();
          return `live ${String(head).slice(9, 12)}`;
        }),
      );
      await Promise.all([streaming, ...watching]);
    },
  },
];

const surround = async (
  siege: Siege,
  { squad, session }: { squad: number; session: number },
  round: number,
  startMs: number,
): Promise<number> => {
  const session$ = `/sessions/${session}/`;
  switch (round % 6) {
    case 0:
      return statusOf(
        siege,
        "GET",
        `/sessions/suggested/?start_time=${at(startMs - round)}&end_time=${at(startMs + SESSION_MS)}`,
      );
    case 1:
      return statusOf(siege, "GET", `/squads/${squad}/season/`);
    case 2:
      return statusOf(siege, "GET", `${session$}periods/`, { accept: "text/csv" });
    case 3:
      return statusOf(siege, "POST", `/squads/${squad}/grants/`, {
        json: { username: `guest-${round}`, role: "coach" },
      });
    case 4:
      return statusOf(siege, "PUT", `${session$}periods/`, { json: nestedPeriods(siege, 200 - (round % 2)) });
    default:
      return statusOf(siege, "GET", `${session$}figures/`);
  }
};
