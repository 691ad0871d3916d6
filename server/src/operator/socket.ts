import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import type { Context } from "../domain/context.js";
import { ServiceError } from "../domain/errors.js";
import { errorRecord } from "../error-record.js";
import { UsageError } from "../usage-error.js";
import { socketPath } from "./ask.js";
import { type Arguments, commands, isCommand } from "./commands.js";

/**
 * The folder is what keeps others from the socket, from its first moment on. (A umask would do so too, but it holds for
 * the whole process, and the database's thread makes folders meanwhile.)
 */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Fails for another user's folder.
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Answers the operator's commands. Only the owner of the data folder can reach the socket. @returns stops it */
export async function serveOperator(ctx: Context): Promise<() => Promise<void>> {
  const path = socketPath(ctx.config.dataDir);
  const server = createServer(async (incoming, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    try {
      const { command, args } = JSON.parse(await text(incoming)) as { command: string; args: Arguments };
      if (isCommand(command)) answer(200, await commands[command](ctx, args));
      else answer(400, { detail: `There is no command ${command}.` });
    } catch (error) {
      if (error instanceof ServiceError) answer(400, error.body);
      else if (error instanceof UsageError) answer(500, { detail: error.message });
      else answer(500, { detail: errorRecord(error).message });
    }
  });
  // The folder is locked, so a socket that lies there is left behind by a process that was killed.
  rmSync(path, { force: true });
  makePrivate(dirname(path));
  await new Promise<void>((done, reject) => server.once("error", reject).listen(path, done));
  chmodSync(path, 0o600);
  return () => new Promise((done) => server.close(() => done()));
}
