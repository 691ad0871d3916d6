/** Creates time frames with synthetic signals for tests of optional figures. */
import { expect } from "vitest";
import { plantedSprints } from "../../test/metrics/figures/planted.js";
import { withOwnService } from "./file-service.js";
import type { TestService } from "./service.js";
import { type Sample, Team } from "./team.js";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const START_MS = Date.UTC(2024, 5, 1, 10);

export const iso = (ms: number) => new Date(ms).toISOString();

/** Returns ten samples per second at a given speed, starting at a given time. */
export const steady = (fromMs: number, speed: number, count = 50): Sample[] =>
  Array.from({ length: count }, (_, k) => ({ t: fromMs + 100 * k, speed }));

/** Returns sprints from which a profile can be computed, followed by a steady run of 5 minutes. */
export function trainingAt(fromMs: number): Sample[] {
  const sprints = plantedSprints(0.05);
  const [first] = sprints;
  const startMs = first?.t ?? 0;
  const endMs = (sprints.at(-1)?.t ?? 0) - startMs + 60_000;
  return [
    ...sprints.map(({ t, speed }) => ({ t: fromMs + t - startMs, speed: speed ?? 0 })),
    ...steady(fromMs + endMs, 3500, 3000).map((sample) => ({ ...sample, hr: 150 })),
  ];
}

function figuresOn(s: TestService) {
  /** Creates a team that has owned its device since some days before the start, and sets the clock to some days after it. */
  async function teamFor(daysBefore = 1, daysAfter = 1): Promise<Team> {
    s.clock.stopAt(START_MS - daysBefore * DAY_MS);
    const team = await Team.of(s);
    s.clock.stopAt(START_MS + daysAfter * DAY_MS);
    team.manager.token = await s.logIn(team.manager.username, team.manager.password);
    return team;
  }

  async function frameOf(team: Team, fromMs: number, toMs: number, changes = {}): Promise<number> {
    const { status, body } = await team.create({ start_time: iso(fromMs), end_time: iso(toMs), ...changes });
    expect([status, body]).toEqual([201, body]);
    return body.id;
  }

  const computed = async (frame: number, token: string, query = "") =>
    (await s.get(`/api/v1/timeframes/${frame}/computed-data/${query}`, token)).body;

  return { s, teamFor, frameOf, computed };
}

export type OptionalFigures = ReturnType<typeof figuresOn>;

/** Creates an `it` with a service and functions for tests of optional figures. */
export const withOptionalFigures = () =>
  withOwnService().extend("figures", { scope: "file" }, ({ service }) => figuresOn(service));
