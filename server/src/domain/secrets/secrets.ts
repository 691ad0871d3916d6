import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { asc, desc, eq } from "drizzle-orm";
import { UsageError } from "../../config/usage-error.js";
import type { Queries } from "../../store/connection/database.js";
import { serverKeyFile } from "../../store/connection/server-key.js";
import { encryptionKeys, webhooks } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { decrypt, encrypt, WrongKeyError } from "./encryption.js";

/**
 * Encrypts secrets in the database: webhook secrets, and passwords and link tokens in queued
 * emails. Before the first rotation, the server key encrypts them. Later, a key in the database encrypts them, which is itself
 * encrypted with the server key; the format is `k2:` and the encrypted text. A rotation therefore reaches all processes at once,
 * and each needs only its own server key.
 */
type Keys = Pick<Context, "serverKey" | "config">;

/** Number of the server key before the first rotation, which encrypts secrets without a number. */
export const FIRST_KEY = 0;

const NUMBERED = /^k(\d+):(.*)$/s;

/** Time for which a process may use a key after a newer one has been added. Old keys are kept longer. */
const CURRENT_KEY_MS = 60_000;

/** Decrypted keys by server key; they never change. */
const opened = new WeakMap<Uint8Array, Map<number, Uint8Array>>();
const current = new WeakMap<Uint8Array, { keyId: number | null; untilMs: number }>();

/** Returns an id that does not reveal the server key. */
export const serverKeyId = (serverKey: Uint8Array): string =>
  createHash("sha256").update("asi-server server key ").update(serverKey).digest("hex").slice(0, 16);

/** Returns the number of the key from the prefix of an encrypted text. */
export const keyIdOf = (encrypted: string): number => Number(NUMBERED.exec(encrypted)?.[1] ?? FIRST_KEY);

/** Encrypts a short text with the newest key. */
export async function encryptSecret(ctx: Keys, queries: Queries, text: string): Promise<string> {
  const keyId = await newestKey(ctx, queries);
  return keyId === null ? encrypt(ctx.serverKey, text) : encryptWith(ctx, queries, keyId, text);
}

/** Encrypts a short text with the given key. */
export async function encryptWith(ctx: Keys, queries: Queries, keyId: number, text: string): Promise<string> {
  return `k${keyId}:${encrypt(await openKey(ctx, queries, keyId), text)}`;
}

/**
 * Decrypts the output of `encryptSecret`.
 * @throws UsageError when the server key of this process cannot decrypt the key; WrongKeyError when no key decrypts it
 */
export async function decryptSecret(ctx: Keys, queries: Queries, encrypted: string): Promise<string> {
  const [, number, numbered] = NUMBERED.exec(encrypted) ?? [];
  if (number !== undefined && numbered !== undefined)
    return decrypt(await openKey(ctx, queries, Number(number)), numbered);
  try {
    return decrypt(ctx.serverKey, encrypted);
  } catch (error) {
    // The server key has been replaced.
    const [first] = await rowsOf(queries, FIRST_KEY);
    if (first === undefined) throw error;
    return decrypt(await openKey(ctx, queries, FIRST_KEY), encrypted);
  }
}

/** Returns the newest key; null before the first rotation. */
async function newestKey({ serverKey }: Keys, queries: Queries): Promise<number | null> {
  const known = current.get(serverKey);
  if (known !== undefined && known.untilMs > Date.now()) return known.keyId;
  const [newest] = await queries
    .select({ keyId: encryptionKeys.keyId })
    .from(encryptionKeys)
    .orderBy(desc(encryptionKeys.keyId))
    .limit(1);
  const keyId = newest?.keyId ?? null;
  current.set(serverKey, { keyId, untilMs: Date.now() + CURRENT_KEY_MS });
  return keyId;
}

/** Marks the cached key, so this process checks for a newer one at the next use. */
export const forgetNewestKey = ({ serverKey }: Keys): void => {
  current.delete(serverKey);
};

const rowsOf = (queries: Queries, keyId: number) =>
  queries.select().from(encryptionKeys).where(eq(encryptionKeys.keyId, keyId));

async function openKey(ctx: Keys, queries: Queries, keyId: number): Promise<Uint8Array> {
  const keys = opened.get(ctx.serverKey) ?? new Map<number, Uint8Array>();
  opened.set(ctx.serverKey, keys);
  const known = keys.get(keyId);
  if (known !== undefined) return known;
  const rows = await rowsOf(queries, keyId);
  if (rows.length === 0) throw new WrongKeyError(`The key ${keyId} of a secret is not in the database`);
  const own = () => rows.find((row) => row.serverKeyId === serverKeyId(ctx.serverKey));
  if (own() === undefined) rereadServerKey(ctx);
  const row = own();
  if (row === undefined) throw new UsageError(cannotOpen(ctx.serverKey, rows));
  const key = new Uint8Array(Buffer.from(decrypt(ctx.serverKey, row.encryptedKey), "base64"));
  keys.set(keyId, key);
  return key;
}

/** Reads the file of the server key again, because a rotation by another process may have replaced it. */
function rereadServerKey({ serverKey, config }: Keys): void {
  const file = serverKeyFile(config.dataDir);
  if (config.serverKey !== null || !existsSync(file)) return;
  const key = Buffer.from(readFileSync(file, "utf8"), "base64");
  if (key.length !== serverKey.length) return;
  serverKey.set(key);
  current.delete(serverKey);
}

const cannotOpen = (serverKey: Uint8Array, rows: readonly { serverKeyId: string }[]) =>
  `The secrets in the database are encrypted with the server key ${rows.map((row) => row.serverKeyId).join(" or ")}, but this process has ${serverKeyId(serverKey)}. Set SERVER_KEY to that key, or restore the file server.key. If the key is lost, asi-server key reset removes the secrets.`;

/**
 * Checks that the server key can decrypt the keys of the database. Call it before the service accepts requests.
 * @throws UsageError with the id of the required key
 */
export async function requireServerKey(ctx: Keys, queries: Queries): Promise<void> {
  const keyId = await newestKey(ctx, queries);
  if (keyId !== null) await openKey(ctx, queries, keyId);
}

/** Number of the oldest and of the newest secrets to try. A process with a wrong key may have encrypted newer ones. */
const TRIED = 20;

/** What an operator must know about secrets that the server key does not decrypt. */
interface KeyWarning {
  /** Whether the key is probably the wrong one: it does not decrypt most of the tried secrets. */
  isWrong: boolean;
  text: string;
}

/** Checks the server key before the first rotation, when the database does not contain its id. */
export async function checkServerKey(ctx: Keys, queries: Queries): Promise<KeyWarning | undefined> {
  if ((await newestKey(ctx, queries)) !== null) return undefined;
  const tried = new Map<number, boolean>();
  for (const order of [asc, desc]) {
    const rows = await queries
      .select({ id: webhooks.id, secret: webhooks.secretToken })
      .from(webhooks)
      .orderBy(order(webhooks.id))
      .limit(TRIED);
    for (const { id, secret } of rows) tried.set(id, opens(ctx.serverKey, secret));
  }
  const unopened = [...tried.keys()].filter((id) => !tried.get(id)).sort((a, b) => a - b);
  if (unopened.length === 0) return undefined;
  const own = serverKeyId(ctx.serverKey);
  // A key reset would also remove the secrets that the key decrypts.
  if (unopened.length < tried.size)
    return {
      isWrong: unopened.length > tried.size / 2,
      text: `The key of this process, ${own}, does not decrypt the secrets of these webhooks: ${unopened.join(", ")}. They cannot be called. If this key has replaced another one, set SERVER_KEY to the former key, or restore the file server.key; otherwise their owners must set a new secret. Only the ${TRIED} oldest and the ${TRIED} newest webhooks were checked.`,
    };
  return {
    isWrong: true,
    text: `Secrets in the database are not encrypted with the key of this process, ${own}, so their webhooks cannot be called. Set SERVER_KEY to the key of the secrets, or restore the file server.key; asi-server backup --verify prints the key of a backup. If the key is lost, asi-server key reset removes the secrets.`,
  };
}

function opens(serverKey: Uint8Array, secret: string): boolean {
  try {
    decrypt(serverKey, secret);
    return true;
  } catch (error) {
    if (error instanceof WrongKeyError) return false;
    throw error;
  }
}

/** Returns the ids of the server keys that can decrypt the secrets in the database. */
export async function openingServerKeys(ctx: Keys, queries: Queries): Promise<string[]> {
  const keyId = await newestKey(ctx, queries);
  if (keyId === null) return [serverKeyId(ctx.serverKey)];
  return (await rowsOf(queries, keyId)).map((row) => row.serverKeyId);
}
