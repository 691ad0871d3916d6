import { createHash } from "node:crypto";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Arguments, CommandName, Outcome } from "./commands.js";

/** Longest path of a socket that every system takes (sun_path has 104 to 108 bytes). */
const MAX_PATH = 100;

/** The socket in the data folder by which the operator's commands reach the running server. */
export function socketPath(dataDir: string): string {
  const path = join(resolve(dataDir), "operator.sock");
  if (Buffer.byteLength(path) <= MAX_PATH) return path;
  return join(
    tmpdir(),
    `asi-server-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`,
    "operator.sock",
  );
}

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
 * Has the running server carry out a command.
 * @returns undefined when no server answers at the socket
 */
export function askServer(
  dataDir: string,
  command: CommandName,
  args: Arguments,
): Promise<Outcome | undefined> {
  return new Promise((done, reject) => {
    const outgoing = request(
      { socketPath: socketPath(dataDir), method: "POST", path: "/" },
      async (response) => {
        const body = JSON.parse(await text(response));
        if (response.statusCode === 200) done(body);
        else reject(new CommandRefused(body));
      },
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") done(undefined);
      else reject(error);
    });
    outgoing.end(JSON.stringify({ command, args }));
  });
}
