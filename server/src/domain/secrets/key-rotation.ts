import { randomBytes } from "node:crypto";
import { asc, lt, max, ne, sql } from "drizzle-orm";
import { UsageError } from "../../config/usage-error.js";
import type { Queries } from "../../store/connection/database.js";
import { nextServerKey, replaceServerKey } from "../../store/connection/server-key.js";
import { encryptionKeys, previousWebhookSecrets, webhookDeliveries, webhooks } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { decrypt, encrypt, WrongKeyError } from "./encryption.js";
import {
  decryptSecret,
  encryptWith,
  FIRST_KEY,
  forgetNewestKey,
  keyIdOf,
  requireServerKey,
  serverKeyId,
} from "./secrets.js";

/** Number of secrets that one transaction re-encrypts. */
const BATCH = 200;

/**
 * Time for which an old key is kept after a newer one is added. A process may use the old key for a minute, and a job
 * that writes deliveries may hold secrets in memory for minutes.
 */
const KEEP_MS = 3_600_000;

const ROTATION = "key rotate";

export interface Rotation {
  /** Number of the new encryption key. */
  key: number;
  /** Number of re-encrypted secrets. */
  encrypted: number;
  /** Number of secrets that no key decrypts. They do not change, and their webhooks cannot be called. */
  unreadable: number;
  /** Id of the server key that decrypts the new key. */
  serverKey: string;
}

/**
 * Replaces the keys of the secrets while the service runs: adds a key that the old and the new server key can decrypt, and
 * encrypts all secrets with it. Without SERVER_KEY, also replaces the file in the data folder, which makes the old server key
 * useless. After an interruption, run it again.
 * @param given the new server key, when SERVER_KEY is set
 */
export async function rotateKey(ctx: Context, given: Uint8Array | null): Promise<Rotation> {
  forgetNewestKey(ctx);
  await requireServerKey(ctx, ctx.queries);
  const { key, next } = await addKey(ctx, given);
  forgetNewestKey(ctx);
  const { encrypted, unreadable } = await encryptAgain(ctx);
  if (given === null) {
    await ctx.queries.transaction(async (queries) => {
      await lockKeys(queries);
      await replaceServerKey(ctx.config.dataDir, next);
    });
    ctx.serverKey.set(next);
    await finishServerKey(ctx);
  }
  return { key, encrypted, unreadable, serverKey: serverKeyId(next) };
}

/** Returns the ids of the server keys that the last rotation added: one, or several if an earlier version added them at once. */
function addedLast(rows: readonly (typeof encryptionKeys.$inferSelect)[]): string[] {
  const keyId = Math.max(...rows.map((row) => row.keyId));
  const openers = rows.filter((row) => row.keyId === keyId);
  const last = Math.max(...openers.map((row) => row.createdAt.getTime()));
  return openers.filter((row) => row.createdAt.getTime() === last).map((row) => row.serverKeyId);
}

/** Adds a key that both server keys can decrypt, and also encrypts all other keys with the new server key. Idempotent. */
const addKey = (ctx: Context, given: Uint8Array | null): Promise<{ key: number; next: Uint8Array }> =>
  transact(ctx, ROTATION, async ({ queries, now, audit }) => {
    await lockKeys(queries);
    const rows = await queries.select().from(encryptionKeys).orderBy(asc(encryptionKeys.keyId));
    const newest = rows.at(-1)?.keyId ?? FIRST_KEY;
    const next = given ?? (await nextServerKey(ctx.config.dataDir));
    const nextId = serverKeyId(next);
    // With entries of another server key, the rotation to this key is not finished, and continues.
    if (nextId === serverKeyId(ctx.serverKey) && rows.every((row) => row.serverKeyId === nextId))
      throw new UsageError("This is the key in use. Choose another file.");
    if (addedLast(rows).includes(nextId)) return { key: newest, next };
    const own = rows.filter((row) => row.serverKeyId === serverKeyId(ctx.serverKey));
    if (new Set(rows.map((row) => row.keyId)).size > own.length)
      throw new UsageError("Another rotation has replaced the server key. Run the command again.");
    // Without SERVER_KEY, these rows are from an interrupted rotation, and only this folder has the server key.
    const others = rows.filter((row) => row.keyId === newest && row.serverKeyId !== nextId);
    if (given !== null && others.some((row) => row.serverKeyId !== serverKeyId(ctx.serverKey)))
      throw new UsageError("An earlier rotation is not finished. Run asi-server key finish first.");
    const keys = new Map(own.map((row) => [row.keyId, decrypt(ctx.serverKey, row.encryptedKey)]));
    if (rows.length === 0) keys.set(FIRST_KEY, Buffer.from(ctx.serverKey).toString("base64"));
    keys.set(newest + 1, randomBytes(32).toString("base64"));
    for (const serverKey of [ctx.serverKey, next]) {
      for (const [keyId, text] of keys) {
        await queries
          .insert(encryptionKeys)
          .values({
            keyId,
            serverKeyId: serverKeyId(serverKey),
            encryptedKey: encrypt(serverKey, text),
            // `key finish` keeps the later of two server keys.
            createdAt: new Date(now.getTime() + (serverKey === next ? 1 : 0)),
          })
          .onConflictDoNothing();
      }
    }
    await audit("encryption key", newest + 1, null, { serverKey: nextId });
    return { key: newest + 1, next };
  });

/**
 * Continues an interrupted rotation, and removes keys that no secret needs. Workers call it regularly; usually it makes a single
 * query.
 */
export async function continueRotation(ctx: Context): Promise<void> {
  const { queries, clock } = ctx;
  const keys = await queries
    .select({ keyId: encryptionKeys.keyId, createdAt: max(encryptionKeys.createdAt) })
    .from(encryptionKeys)
    .groupBy(encryptionKeys.keyId)
    .orderBy(asc(encryptionKeys.keyId));
  const newest = keys.at(-1);
  if (newest === undefined || keys.length === 1) return;
  await encryptAgain(ctx);
  const age = clock.now().getTime() - (newest.createdAt?.getTime() ?? Number.POSITIVE_INFINITY);
  if (age >= KEEP_MS && (await encryptAgain(ctx)).encrypted === 0) {
    await queries.delete(encryptionKeys).where(lt(encryptionKeys.keyId, newest.keyId));
  }
}

/**
 * Removes the keys encrypted with other server keys. Call it when all processes have the new SERVER_KEY.
 * @param keep id of the server key of this process, to keep it even if it is not the newest; null to require the newest
 * @returns number of removed entries
 * @throws UsageError when another server key must be kept
 */
export async function finishServerKey(ctx: Context, keep: string | null = null): Promise<number> {
  forgetNewestKey(ctx);
  await requireServerKey(ctx, ctx.queries);
  const own = serverKeyId(ctx.serverKey);
  if (keep !== null && keep !== own)
    throw new UsageError(`This process has the server key ${own}, so it cannot keep ${keep}.`);
  return transact(ctx, "key finish", async ({ queries, audit }) => {
    await lockKeys(queries);
    const newest = addedLast(await queries.select().from(encryptionKeys));
    if (keep === null && newest.length > 0 && !newest.includes(own)) {
      throw new UsageError(
        `This process still has the server key ${own}; restart it with the new SERVER_KEY (${newest.join(" or ")}) first. If the new key is lost, --server-key ${own} keeps this key.`,
      );
    }
    const removed = await queries
      .delete(encryptionKeys)
      .where(ne(encryptionKeys.serverKeyId, own))
      .returning({ keyId: encryptionKeys.keyId });
    if (removed.length > 0)
      await audit("encryption key", 0, null, { serverKey: own, removed: removed.length });
    return removed.length;
  });
}

/** Allows one rotation at a time to add a key or replace the file. Does not block readers. */
const lockKeys = (queries: Queries) => queries.execute(sql`LOCK TABLE encryption_keys IN EXCLUSIVE MODE`);

/** Re-encrypts all secrets of older keys with the newest key. */
async function encryptAgain(ctx: Context): Promise<Pick<Rotation, "encrypted" | "unreadable">> {
  const { queries } = ctx;
  const [newest] = await queries.select({ keyId: max(encryptionKeys.keyId) }).from(encryptionKeys);
  const keyId = newest?.keyId ?? null;
  if (keyId === null) return { encrypted: 0, unreadable: 0 };
  let unreadable = 0;
  const again: Again = async (encrypted) => {
    const text = await decryptSecret(ctx, queries, encrypted).catch((error: unknown) => {
      // The bytes are corrupt or encrypted with a lost key.
      if (!(error instanceof WrongKeyError)) throw error;
      unreadable++;
      return null;
    });
    return text === null ? encrypted : encryptWith(ctx, queries, keyId, text);
  };
  let encrypted = 0;
  for (const table of [webhooks, previousWebhookSecrets, webhookDeliveries])
    encrypted += await columnAgain(queries, table, keyId, again);
  return { encrypted: encrypted + (await jobsAgain(queries, keyId, again)), unreadable };
}

/** @returns the text encrypted with the newest key; unchanged if no key decrypts it */
type Again = (encrypted: string) => Promise<string>;

async function columnAgain(
  queries: Queries,
  table: typeof webhooks | typeof previousWebhookSecrets | typeof webhookDeliveries,
  keyId: number,
  again: Again,
): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const { rows } = await queries.execute<{ id: number; secret_token: string }>(sql`
      SELECT id, secret_token FROM ${table} WHERE id > ${after} AND NOT starts_with(secret_token, ${`k${keyId}:`})
      ORDER BY id LIMIT ${BATCH}`);
    const changes = [];
    for (const { id, secret_token } of rows) {
      const after = await again(secret_token);
      if (after !== secret_token) changes.push({ id, before: secret_token, after });
    }
    if (changes.length > 0) {
      // Update only a secret that has not changed in the meantime.
      const { rowCount } = await queries.execute(sql`
        UPDATE ${table} AS t SET secret_token = changed.after
        FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS changed (id bigint, before text, after text)
        WHERE t.id = changed.id AND t.secret_token = changed.before`);
      count += rowCount ?? 0;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return count;
    after = Number(last.id);
  }
}

/** Encrypted members of an email's payload. */
const SEALED = ["sealedPassword", "sealedToken"] as const;

/**
 * Secrets in the payload of a job: the password in an email, the token of its link, or copies of
 * webhook secrets.
 */
interface Payload extends Partial<Record<(typeof SEALED)[number], string | null>> {
  webhooks?: { secretToken: string }[];
}

async function jobsAgain(queries: Queries, keyId: number, again: Again): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const { rows } = await queries.execute<{ id: number; payload: Payload }>(sql`
      SELECT id, payload FROM jobs
      WHERE id > ${after} AND kind IN ('mail', 'webhook-fan-out') AND payload ?| ARRAY['sealedPassword', 'sealedToken', 'webhooks']
      ORDER BY id LIMIT ${BATCH}`);
    for (const { id, payload } of rows) count += await payloadAgain(queries, id, payload, keyId, again);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return count;
    after = Number(last.id);
  }
}

async function payloadAgain(
  queries: Queries,
  id: number,
  { webhooks: receivers, ...mail }: Payload,
  keyId: number,
  again: Again,
): Promise<number> {
  const replace = async (key: string, before: unknown, after: unknown) => {
    const { rowCount } = await queries.execute(sql`
      UPDATE jobs SET payload = jsonb_set(payload, ARRAY[${key}], ${JSON.stringify(after)}::jsonb)
      WHERE id = ${id} AND payload->${key} = ${JSON.stringify(before)}::jsonb`);
    return rowCount ?? 0;
  };
  for (const name of SEALED) {
    const before = mail[name];
    if (typeof before !== "string" || keyIdOf(before) === keyId) continue;
    const after = await again(before);
    return after === before ? 0 : replace(name, before, after);
  }
  if (receivers?.some(({ secretToken }) => keyIdOf(secretToken) !== keyId) !== true) return 0;
  const after = [];
  for (const one of receivers) after.push({ ...one, secretToken: await again(one.secretToken) });
  if (after.every(({ secretToken }, i) => secretToken === receivers[i]?.secretToken)) return 0;
  return replace("webhooks", receivers, after);
}
