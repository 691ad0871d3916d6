import { readFile } from "node:fs/promises";
import { UsageError } from "../../config/usage-error.js";
import type { Context } from "../../domain/change/context.js";
import { finishServerKey, rotateKey } from "../../domain/secrets/key-rotation.js";
import { lostSecrets, resetKeys } from "../../domain/secrets/lost-key.js";
import { type Arguments, flag, optionalText } from "./arguments.js";
import type { Outcome } from "./outcome.js";

/** Operator commands for the server key. */
export const keyCommands = {
  async "key rotate"(ctx: Context, args: Arguments): Promise<Outcome> {
    const file = optionalText(args, "newKey");
    if ((file === undefined) !== (ctx.config.serverKey === null)) {
      throw new UsageError(
        file === undefined
          ? "SERVER_KEY is set, so the service cannot replace it. Write a new key to a file (openssl rand -base64 32) and name it with --new-key."
          : "SERVER_KEY is not set: the key is in the data folder, and the service generates the new key. Omit --new-key.",
      );
    }
    const { serverKey, ...rotation } = await rotateKey(ctx, file === undefined ? null : await keyIn(file));
    const next =
      "Set SERVER_KEY to the new key on every process and restart them one by one; then run asi-server key finish.";
    return { ...rotation, server_key: serverKey, ...(file === undefined ? {} : { next }) };
  },

  async "key finish"(ctx: Context, args: Arguments): Promise<Outcome> {
    return { removed: await finishServerKey(ctx, optionalText(args, "serverKey") ?? null) };
  },

  async "key reset"(ctx: Context, args: Arguments): Promise<Outcome> {
    if (flag(args, "yes")) return { reset: true, ...(await resetKeys(ctx)) };
    const next =
      "Nothing was removed. If the key is lost, run the command again with --yes; this cannot be undone.";
    return { reset: false, ...(await lostSecrets(ctx)), next };
  },
};

async function keyIn(file: string): Promise<Uint8Array> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`The file with the new key cannot be read: ${error.message}`);
  });
  const key = new Uint8Array(Buffer.from(text.trim(), "base64"));
  if (key.length !== 32) throw new UsageError(`The file ${file} does not contain 32 bytes in base64.`);
  return key;
}
