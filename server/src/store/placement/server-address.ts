import { readFile } from "node:fs/promises";
import { UsageError } from "../../config/usage-error.js";

/** A PostgreSQL server with a part of the samples, as given by a URL. */
export interface ServerAddress {
  url: string;
  /** Host, port and database, without user and password. */
  label: string;
  /** Options of a foreign server (PostgreSQL, "postgres_fdw"). */
  options: Record<string, string>;
  /** Options of its user mapping. */
  user: Record<string, string>;
}

/** Parameters of a URL that postgres_fdw also accepts. */
const TLS_PARAMETERS = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

/** @throws UsageError when the text is not the URL of a PostgreSQL database */
export function serverAddress(url: string): ServerAddress {
  const refuse = (why: string) =>
    new UsageError(`${why} Expected postgres://user:password@host:port/database in each line.`);
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw refuse("A line of the file of servers is not a URL.");
  }
  if (!/^postgres(ql)?:$/.test(parsed.protocol))
    throw refuse("A line of the file of servers is not a URL of PostgreSQL.");
  const { hostname, port, username, password, searchParams } = parsed;
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      throw refuse("A URL in the file of servers has a % that is not followed by a code. Write %25 for %.");
    }
  };
  const dbname = decoded(parsed.pathname.slice(1));
  if (hostname === "" || username === "" || dbname === "") {
    throw refuse("A URL in the file of servers lacks the host, the user or the database.");
  }
  const options: Record<string, string> = {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port || "5432",
    dbname,
  };
  for (const [name, value] of searchParams) {
    if (!TLS_PARAMETERS.includes(name)) throw refuse(`The parameter ${name} of a URL is unknown.`);
    options[name] = value;
  }
  return {
    url,
    label: `${hostname}:${options.port}/${dbname}`,
    options,
    user: {
      user: decoded(username),
      ...(password === "" ? {} : { password: decoded(password) }),
    },
  };
}

/** Returns the URL of a foreign server with these options. */
export function urlOf(options: Record<string, string>, user: Record<string, string>): string {
  const host = options.host ?? "";
  const url = new URL(`postgres://${host.includes(":") ? `[${host}]` : host}:${options.port}/`);
  url.username = encodeURIComponent(user.user ?? "");
  url.password = encodeURIComponent(user.password ?? "");
  url.pathname = encodeURIComponent(options.dbname ?? "");
  for (const name of TLS_PARAMETERS) {
    if (options[name] !== undefined) url.searchParams.set(name, options[name]);
  }
  return url.href;
}

/**
 * Reads servers from a file with one URL per line. Ignores empty lines and lines that start with #.
 * @throws UsageError when the file cannot be read, has no server, or has a server twice
 */
export async function readServers(file: string): Promise<ServerAddress[]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`The file of servers cannot be read: ${error.message}`);
  });
  const lines = text.split("\n").map((line) => line.trim());
  const servers = lines.filter((line) => line !== "" && !line.startsWith("#")).map(serverAddress);
  if (servers.length === 0) throw new UsageError("The file of servers contains no server.");
  const labels = new Set(servers.map(({ label }) => label));
  if (labels.size < servers.length) throw new UsageError("The file of servers contains a server twice.");
  return servers;
}
