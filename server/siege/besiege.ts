import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ground } from "../bench/ground.js";
import { type Attack, Tally, untilTheEnd } from "./attacks/attack.js";
import { type BesiegedService, startBesieged } from "./besieged-service.js";
import { type Bystander, startBystander } from "./bystander.js";
import { Client } from "./client.js";
import { newParty, recording } from "./scene.js";
import { type Outcome, outcomeOf } from "./verdict.js";

/** What an attack has left behind is over when the loop and the bystander had this long, ms. */
const CALM_MS = 1_000;
/** An attack that does not end by itself some time after it should is a fault of the siege. */
const END_TIMEOUT_MS = 180_000;
/** Other users have machines of their own: here the attacker leaves the processors to the service. */
const ATTACKER_PRIORITY = 10;

/** No attack at all: what the others are compared with. */
const peace: Attack = { name: "peace", as: "anyone", run: ({ signal }) => untilTheEnd(signal) };

/**
 * Starts the service on a database and lets the attacks run, one after the other, beside a bystander.
 * @param tell hears of each outcome
 */
export async function besiege(
  database: string,
  ground: Ground,
  chosen: readonly Attack[],
  seconds: number,
  tell: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const databaseUrl = database === "PGlite" ? null : await ground.createDatabase();
  const dataDir = join(ground.folder, `data-${database}`);
  const preparing = await startBesieged(dataDir, databaseUrl);
  const registrar = new Client(preparing.url, "127.0.0.2");
  // 48 hours, once a second, for the attacker; ten minutes, ten times a second, for the bystander.
  const attacker = await newParty(preparing, registrar, "attacker", { count: 172_800, periodMs: 1000 });
  const bystander = await newParty(preparing, registrar, "bystander", { count: 6_000, periodMs: 100 });
  const upload = await recording(bystander.serial, bystander.startMs, 600, 100);
  registrar.close();
  await preparing.stop();
  // A fresh process, so that its memory is what the attacks take, and not the preparation.
  const service = await startBesieged(dataDir, databaseUrl);
  const client = new Client(service.url, "127.0.0.2");
  const person = await startBystander({
    url: service.url,
    party: bystander,
    recordingBase64: Buffer.from(upload).toString("base64"),
  });
  setPriority(ATTACKER_PRIORITY);
  const outcomes: Outcome[] = [];
  for (const attack of [peace, ...chosen]) {
    await sleep(CALM_MS);
    await Promise.all([person.experience(), service.figures()]);
    const tally = new Tally();
    const signal = AbortSignal.timeout(seconds * 1000);
    await ended(attack, attack.run({ service, client, attacker, signal }, tally));
    await sleep(CALM_MS);
    const outcome = await look(attack, tally, person, service);
    outcomes.push(outcome);
    tell(outcome);
  }
  person.stop();
  client.close();
  await service.stop();
  return outcomes;
}

async function look(attack: Attack, tally: Tally, person: Bystander, service: BesiegedService) {
  // The service first: a bystander's answers that are still on their way then count here.
  const figures = await service.figures();
  return outcomeOf(attack, tally.toString(), await person.experience(), figures);
}

async function ended({ name }: Attack, run: Promise<void>): Promise<void> {
  const late = new AbortController();
  const timeout = sleep(END_TIMEOUT_MS, "late", { signal: late.signal }).catch(() => "ended");
  const first = await Promise.race([run.then(() => "ended"), timeout]);
  late.abort();
  if (first === "late") throw new Error(`The attack "${name}" does not end`);
}
