import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { SSL_MODES, type SslMode } from "../../config/setting-kinds.js";
import { UsageError } from "../../config/usage-error.js";

/** TLS settings of connections whose URL does not specify them. */
export interface TlsSettings {
  mode: SslMode;
  /** File with root certificates; "" for the defaults of Node.js. */
  rootCert: string;
}

const NO_TLS: TlsSettings = { mode: "disable", rootCert: "" };

/**
 * Returns the address of a server without its TLS parameters, and the parameters as options of the connection. The modes have the
 * same meaning as in libpq (PostgreSQL, "SSL Support"), unlike the modes of the driver.
 * @throws UsageError for an unknown mode, or a file that cannot be read
 */
export function tlsConnection(
  url: string,
  { mode: modeByDefault, rootCert: rootByDefault }: TlsSettings = NO_TLS,
): { connectionString: string; ssl: ConnectionOptions | false } {
  const address = new URL(url);
  const take = (name: string): string => {
    const value = address.searchParams.get(name) ?? "";
    address.searchParams.delete(name);
    return value;
  };
  const inUrl = take("sslmode");
  const mode = SSL_MODES.find((known) => known === (inUrl || modeByDefault));
  if (mode === undefined) {
    throw new UsageError(
      `The URL of the database has sslmode=${inUrl}, which is not one of ${SSL_MODES.join(", ")}.`,
    );
  }
  const rootCert = take("sslrootcert") || rootByDefault;
  const clientCert = take("sslcert");
  const clientKey = take("sslkey");
  // Return a URL without parameters unchanged, because a URL with the path of a socket may not be in normal form.
  const connectionString = address.search === new URL(url).search ? url : address.href;
  if (mode === "disable") return { connectionString, ssl: false };
  const ca = rootCert === "" || rootCert === "system" ? {} : { ca: contentOf("sslrootcert", rootCert) };
  return {
    connectionString,
    ssl: {
      ...ca,
      ...(clientCert === "" ? {} : { cert: contentOf("sslcert", clientCert) }),
      ...(clientKey === "" ? {} : { key: contentOf("sslkey", clientKey) }),
      // As in libpq, `require` with a root certificate verifies like `verify-ca`.
      rejectUnauthorized: mode !== "require" || "ca" in ca,
      ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    },
  };
}

function contentOf(parameter: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The file ${file} of ${parameter} cannot be read: ${reason}`);
  }
}

/** Codes of Node.js and OpenSSL for a certificate that is not trusted, has expired or belongs to another host. */
const CERTIFICATE =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|CERT_|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)/;

/**
 * Returns a message for the operator about a TLS error of a database connection; undefined for other errors.
 * @param variable environment variable with the URL
 */
export function tlsProblem(error: Error & { code?: string }, variable: string): string | undefined {
  if (/server does not support SSL connections/.test(error.message)) {
    return `The database server of ${variable} does not support TLS. Enable ssl in the server, or set sslmode=disable.`;
  }
  if (!CERTIFICATE.test(error.code ?? "")) return undefined;
  return `The certificate of the database server is refused: ${error.message}. Check the host name of ${variable}, and the root certificates in PGSSLROOTCERT or sslrootcert.`;
}
