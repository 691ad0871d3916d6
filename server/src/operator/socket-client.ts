import { existsSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { UsageError } from "../config/usage-error.js";
import { addressIn } from "../store/embedded/liveness-socket.js";
import { requireOwnFolder, requireOwnSocket } from "../store/embedded/private-folder.js";
import type { Arguments, CommandName, Outcome } from "./commands.js";

/** Name of the socket in the data folder on which the running server accepts operator commands. */
export const OPERATOR_SOCKET = "operator.sock";

/** The running server refused the command. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly body: unknown;

  constructor(body: unknown) {
    super("The command was refused");
    this.body = body;
  }
}

/**
 * Runs a command in the running server.
 * @param operator user who runs it, for the audit log
 * @returns undefined if no server listens on the socket
 * @throws CommandRefused
 * @throws UsageError if the folder or the socket belongs to another user, who could impersonate the server, or if the server ends
 *   before it responds
 */
export async function runOnServer(
  dataDir: string,
  command: CommandName,
  args: Arguments,
  operator: string,
): Promise<Outcome | undefined> {
  if (!existsSync(dataDir)) return undefined;
  requireOwnFolder(dataDir);
  const socket = join(dataDir, OPERATOR_SOCKET);
  if (!existsSync(socket)) return undefined;
  requireOwnSocket(socket);
  const address = addressIn(dataDir, OPERATOR_SOCKET);
  return post(address.path, { command, args, operator }).finally(() => address.close());
}

function post(socketPath: string, sent: object): Promise<Outcome | undefined> {
  return new Promise((done, reject) => {
    const unanswered = (error: Error) =>
      reject(
        new UsageError(
          `The service ended before it responded (${error.message}). The command may have been executed. When the service is running again, check the result or repeat the command.`,
        ),
      );
    const outgoing = request({ socketPath, method: "POST", path: "/" }, (response) => {
      json(response).then((body) => {
        if (response.statusCode === 200) done(body as Outcome);
        else reject(new CommandRefused(body));
      }, unanswered);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") done(undefined);
      else unanswered(error);
    });
    outgoing.end(JSON.stringify(sent));
  });
}
