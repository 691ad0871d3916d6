import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BuiltService, startBuiltService } from "../bench/built-service.js";
import type { Ground } from "../bench/ground.js";
import { openDatabase } from "../src/store/connection/database.js";
import { type Attack, Tally, untilTheEnd } from "./attacks/attack.js";
import { type Bystander, startBystander } from "./bystander.js";
import { Client } from "./client.js";
import { giveHistory } from "./histories.js";
import { newParty, type Party, prepare, recording } from "./scene.js";
import { giveSquad } from "./squads.js";
import { isOnlySlow, type Outcome, outcomeOf, type Targets } from "./verdict.js";

/**
 * Returns the time for the event loop and the bystander to recover before and after an attack, much shorter than an attack, ms.
 */
const calmMs = (seconds: number) => Math.min(1_000, seconds * 300);
/** Time within which an attack must stop after its end. Otherwise, the siege reports an error. */
const END_TIMEOUT_MS = 180_000;
/**
 * Attackers usually use their own machines. The attacker therefore runs here with a lower priority than the service.
 */
const ATTACKER_PRIORITY = 10;

/** Recording of the bystander: ten minutes at 10 Hz. */
const TEN_MINUTES = { count: 6_000, periodMs: 100 };
/** Recording for attacks that need much data: 48 hours at 1 Hz. */
const TWO_DAYS = { count: 172_800, periodMs: 1000 };

/** Returns a different address for each attack, because an attack would otherwise use up the rate limit of the next one. */
const addressOf = (i: number, attempt: number) => `127.0.${attempt + 1}.${i + 1}`;

/** Returns a measurement without an attack: the baseline before the attacks, or the recovery after them. */
const noAttack = (name: string): Attack => ({ name, as: "anyone", run: ({ signal }) => untilTheEnd(signal) });

/**
 * Starts the service on a database and runs the attacks one after another, with a bystander.
 * @param tell called with each outcome, including those of repeated attempts
 */
export async function besiege(
  database: string,
  ground: Ground,
  chosen: readonly Attack[],
  seconds: number,
  targets: Targets,
  tell: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const databaseUrl = database === "PGlite" ? null : await ground.createDatabase();
  const dataDir = join(ground.folder, `data-${database}`);
  const preparing = await startBuiltService(dataDir, databaseUrl);
  const registrar = new Client(preparing.url, "127.0.0.2");
  const names = chosen.map((_, i) => `attacker-${i}`);
  const oauth = await prepare(preparing, ground.folder, ["bystander", ...names]);
  const bystander = await newParty(preparing, registrar, "bystander", oauth, TEN_MINUTES);
  const attackers: Party[] = [];
  for (const [i, { days }] of chosen.entries()) {
    const name = `attacker-${i}`;
    attackers.push(await newParty(preparing, registrar, name, oauth, days ? TWO_DAYS : null));
  }
  const upload = await recording(bystander.serial, bystander.startMs, 600, 100);
  registrar.close();
  await preparing.stop();
  await giveRows(dataDir, databaseUrl, chosen, attackers);
  // Start a new process, because the memory of the old one includes the preparation.
  const service = await startBuiltService(dataDir, databaseUrl);
  const person = await startBystander({
    url: service.url,
    party: bystander,
    recordingBase64: Buffer.from(upload).toString("base64"),
  });
  setPriority(ATTACKER_PRIORITY);
  const outcomes: Outcome[] = [];
  for (const [i, attack] of [
    noAttack("before the attacks"),
    ...chosen,
    noAttack("after the attacks"),
  ].entries()) {
    const attackOnce = async (attempt: number): Promise<Outcome> => {
      await sleep(calmMs(seconds));
      await Promise.all([person.experience(), service.figures()]);
      const tally = new Tally();
      // The baseline has no attacker.
      const attacker = attackers[i - 1] ?? bystander;
      const client = new Client(service.url, addressOf(i, attempt));
      const signal = AbortSignal.timeout(seconds * 1000);
      await ended(attack, attack.run({ service, client, attacker, signal }, tally));
      client.close();
      await sleep(calmMs(seconds));
      const outcome = await look(attack, tally, person, service);
      tell(outcome);
      return outcome;
    };
    let outcome = await attackOnce(1);
    for (let attempt = 2; attempt <= targets.attempts && isOnlySlow(outcome, targets); attempt++)
      outcome = await attackOnce(attempt);
    outcomes.push(outcome);
  }
  person.stop();
  await service.stop();
  return outcomes;
}

/** Adds rows that would take many requests. No service may be running, because the embedded database allows only one process. */
async function giveRows(
  dataDir: string,
  databaseUrl: string | null,
  chosen: readonly Attack[],
  attackers: readonly Party[],
): Promise<void> {
  const database = await openDatabase(
    databaseUrl === null ? { folder: join(dataDir, "database") } : { url: databaseUrl, poolSize: 2 },
  );
  for (const [i, { histories, squad }] of chosen.entries()) {
    const attacker = attackers[i];
    if (attacker === undefined) continue;
    if (histories) await giveHistory(database.queries, attacker);
    if (squad !== undefined) await giveSquad(database.queries, attacker, squad);
  }
  await database.close();
}

async function look(attack: Attack, tally: Tally, person: Bystander, service: BuiltService) {
  // Stop the service first, because pending responses to the bystander must count here.
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
