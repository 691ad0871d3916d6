import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { FastifyBaseLogger } from "fastify";
import { UsageError } from "../config/usage-error.js";
import { ServiceError } from "../domain/change/errors.js";
import { logUnacceptedConnections } from "../http/connection/listeners.js";
import { closeUnused } from "../http/connection/unused-connections.js";
import { errorRecord } from "../observability/error-record.js";
import { addressIn } from "../store/embedded/liveness-socket.js";
import { makePrivateFolder, requireOwnSocket } from "../store/embedded/private-folder.js";
import { type Arguments, commands, isCommand, type OperatorContext } from "./commands.js";
import { OPERATOR_SOCKET } from "./socket-client.js";

/**
 * Runs operator commands that arrive on the socket. Only the owner of the data folder can reach it.
 * @returns function that closes the socket: waits for running commands, and aborts them after `timeoutMs`
 */
export async function serveOperator(
  ctx: OperatorContext,
  log: FastifyBaseLogger,
): Promise<(timeoutMs: number) => Promise<void>> {
  const server = createServer(async (incoming, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    try {
      const { command, args, operator } = JSON.parse(await text(incoming)) as {
        command: string;
        args: Arguments;
        operator: string;
      };
      const own = { ...ctx, operator, requestId: randomUUID() };
      if (isCommand(command)) answer(200, await commands[command](own, args));
      else answer(400, { detail: `There is no command ${command}.` });
    } catch (error) {
      if (error instanceof ServiceError) answer(400, error.body);
      else if (error instanceof UsageError) answer(500, { detail: error.message });
      else answer(500, { detail: errorRecord(error).message });
    }
  });
  const startClosing = closeUnused(server);
  // This process has locked the folder, so an existing socket belongs to a process that was killed.
  const { dataDir } = ctx.config;
  const file = join(dataDir, OPERATOR_SOCKET);
  // The permissions of the folder protect the socket from the moment of its creation.
  makePrivateFolder(dataDir);
  if (existsSync(file)) requireOwnSocket(file);
  rmSync(file, { force: true });
  const address = addressIn(dataDir, OPERATOR_SOCKET);
  await new Promise<void>((done, reject) => server.once("error", reject).listen(address.path, done));
  logUnacceptedConnections(server, log);
  chmodSync(file, 0o600);
  return async (timeoutMs) => {
    const stopClosing = startClosing();
    const timeout = setTimeout(() => server.closeAllConnections(), timeoutMs);
    await new Promise((done) => server.close(done));
    clearTimeout(timeout);
    stopClosing();
    address.close();
  };
}
