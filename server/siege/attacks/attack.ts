import { setTimeout as sleep } from "node:timers/promises";
import type { BuiltService } from "../../bench/built-service.js";
import type { Client } from "../client.js";
import type { Party } from "../scene.js";
import type { SquadExtent } from "../squads.js";

/** The input of an attack. */
export interface Siege {
  service: BuiltService;
  /** Client with a different address than the bystander. */
  client: Client;
  /** A registered manager. Anyone can register. */
  attacker: Party;
  /** Signal that ends the attack. */
  signal: AbortSignal;
}

/** Counts outcomes by name, such as a status. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(outcome: string | number, count = 1): void {
    const name = outcome === 0 ? "cut" : String(outcome);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  /** Formats the counts, such as `403 × 12, cut × 3`. */
  toString(): string {
    return [...this.#counts].map(([name, count]) => `${name} × ${count.toLocaleString("en-US")}`).join(", ");
  }
}

export interface Attack {
  /** Short description of the attack. */
  name: string;
  /** Whether the attacker is anonymous or has an account. */
  as: "anyone" | "user";
  /** Whether the attacker has a recording of 48 hours and a time frame over it. */
  days?: boolean;
  /** Whether the attacker has 10,000 ownerships of the device and 10,000 time frames: `histories.ts`. */
  histories?: boolean;
  /** The squad of the attacker: `squads.ts`. */
  squad?: SquadExtent;
  run(siege: Siege, tally: Tally): Promise<void>;
}

/** Maximum request rate of an attack, regardless of response times. */
const MAX_REQUESTS = 50_000;

/** Runs `once` repeatedly and concurrently until the attack ends. Counts the returned statuses. */
export async function repeat(
  signal: AbortSignal,
  atATime: number,
  tally: Tally,
  once: (round: number) => Promise<number | string>,
): Promise<void> {
  let round = 0;
  const hands = Array.from({ length: atATime }, async () => {
    while (!signal.aborted && round < MAX_REQUESTS) tally.add(await once(round++));
  });
  await Promise.all(hands);
}

/** Waits until the attack ends. */
export const untilTheEnd = (signal: AbortSignal): Promise<void> =>
  sleep(3_600_000, undefined, { signal }).catch(() => undefined);
