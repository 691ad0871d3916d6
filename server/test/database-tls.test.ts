/** Tests TLS to a real PostgreSQL server, with certificates created for the test. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { openDatabase } from "../src/store/connection/database.js";
import type { tlsConnection } from "../src/store/connection/tls.js";
import { openStore } from "../src/store/open.js";
import { NOBODY } from "./postgres.js";
import { testConfig } from "./test-config.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn("openssl is not installed: TLS to the database is not tested.");
    return false;
  }
}

describe.runIf(isPostgres && hasOpenssl())("TLS to the database", () => {
  let folder: string;
  let admin: pg.Client;
  const at = (name: string) => join(folder, name);

  const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });

  /** Creates a separate certificate authority. */
  const makeRoot = (name: string) =>
    openssl("req", "-x509", ...KEY, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.crt`);

  /** Creates a certificate signed by an authority. */
  function makeCertificate(name: string, root: string, alternative: string): void {
    writeFileSync(at("extensions"), `subjectAltName=${alternative}`);
    openssl(
      "req",
      ...KEY.slice(0, -2),
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
    );
    const signed = ["-CA", `${root}.crt`, "-CAkey", `${root}.key`, "-CAcreateserial", "-days", "2"];
    openssl("x509", "-req", "-in", `${name}.csr`, ...signed, "-extfile", "extensions", "-out", `${name}.crt`);
  }

  async function reload(): Promise<void> {
    await admin.query("SELECT pg_reload_conf()");
    // The postmaster reads its settings after it receives the signal.
    await vi.waitFor(async () => expect((await admin.query("SHOW ssl")).rows[0].ssl).toBe("on"), 20_000);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "asi-tls-"));
    chmodSync(folder, 0o755);
    makeRoot("root");
    makeRoot("another");
    makeCertificate("server", "root", "IP:127.0.0.1");
    makeCertificate("client", "root", "DNS:client");
    chmodSync(at("server.key"), 0o600);
    if (process.getuid?.() === 0) chownSync(at("server.key"), NOBODY, NOBODY);
    admin = new pg.Client(`${inject("postgresUrl")}postgres`);
    await admin.connect();
    for (const [name, file] of [
      ["ssl_cert_file", "server.crt"],
      ["ssl_key_file", "server.key"],
      ["ssl_ca_file", "root.crt"],
    ] as const)
      await admin.query(`ALTER SYSTEM SET ${name} = '${at(file)}'`);
    await admin.query("ALTER SYSTEM SET ssl = on");
    await reload();
  });

  afterAll(async () => {
    for (const name of ["ssl", "ssl_cert_file", "ssl_key_file", "ssl_ca_file"])
      await admin?.query(`ALTER SYSTEM RESET ${name}`);
    await admin?.query("SELECT pg_reload_conf()");
    await admin?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const url = (parameters: Record<string, string>, host = "127.0.0.1") =>
    `${inject("postgresUrl").replace("127.0.0.1", host)}postgres?${new URLSearchParams(parameters)}`;

  /** Returns the encryption of a connection as the server reports it. */
  async function seen(address: string, tls?: Parameters<typeof tlsConnection>[1]) {
    const database = await openDatabase({ url: address, poolSize: 2, ...(tls === undefined ? {} : { tls }) });
    try {
      const { rows } = await database.pool.query(
        "SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
      );
      return rows[0];
    } finally {
      await database.close();
    }
  }

  it.each([
    ["disable", {}, false],
    ["require", {}, true],
    ["require", { sslrootcert: "root.crt" }, true],
    ["verify-ca", { sslrootcert: "root.crt" }, true],
    ["verify-full", { sslrootcert: "root.crt" }, true],
  ])("connects with sslmode=%s and %j; encrypted: %s", async (sslmode, files, encrypted) => {
    const paths = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, at(file)]));
    expect((await seen(url({ sslmode, ...paths }))).ssl).toBe(encrypted);
  });

  it("can take the mode and the root certificate from PGSSLMODE and PGSSLROOTCERT; the URL has precedence", async () => {
    const tls = { mode: "verify-full", rootCert: at("root.crt") } as const;
    expect((await seen(url({}), tls)).ssl).toBe(true);
    expect((await seen(url({ sslmode: "disable" }), tls)).ssl).toBe(false);
    expect(
      (await seen(url({ sslrootcert: at("root.crt") }), { ...tls, rootCert: at("another.crt") })).ssl,
    ).toBe(true);
  });

  it("accepts with verify-ca a host name that is not in the certificate", async () => {
    const root = { sslrootcert: at("root.crt") };
    expect((await seen(url({ sslmode: "verify-ca", ...root }, "localhost"))).ssl).toBe(true);
    await expect(seen(url({ sslmode: "verify-full", ...root }, "localhost"))).rejects.toThrow("localhost");
  });

  it("sends the client certificate to the server", async () => {
    const files = { sslcert: at("client.crt"), sslkey: at("client.key"), sslrootcert: at("root.crt") };
    expect((await seen(url({ sslmode: "verify-full", ...files }))).client_dn).toBe("/CN=client");
  });

  const started = (databaseUrl: string) => openStore(testConfig({ databaseUrl }));

  it.each<[string, { sslmode: string; sslrootcert?: string }]>([
    ["of another authority", { sslmode: "verify-full", sslrootcert: "another.crt" }],
    ["of another authority, with verify-ca", { sslmode: "verify-ca", sslrootcert: "another.crt" }],
    ["of another authority, with require", { sslmode: "require", sslrootcert: "another.crt" }],
    ["of an authority that Node.js does not know", { sslmode: "verify-full" }],
  ])("refuses a certificate %s with a one-sentence message", async (_, { sslmode, sslrootcert }) => {
    const root = sslrootcert === undefined ? {} : { sslrootcert: at(sslrootcert) };
    await expect(started(url({ sslmode, ...root }))).rejects.toThrow(
      /^The certificate of the database server is refused: .*\. Check the host name of DATABASE_URL, and the root certificates/,
    );
  });

  it("refuses a server without TLS with a message", async () => {
    await admin.query("ALTER SYSTEM SET ssl = off");
    await admin.query("SELECT pg_reload_conf()");
    await expect.poll(async () => (await admin.query("SHOW ssl")).rows[0].ssl).toBe("off");
    try {
      await expect(started(url({ sslmode: "require" }))).rejects.toThrow(
        "The database server of DATABASE_URL does not support TLS.",
      );
    } finally {
      await admin.query("ALTER SYSTEM SET ssl = on");
      await reload();
    }
  });

  it("refuses an unknown mode and a missing file with a message", async () => {
    await expect(started(url({ sslmode: "prefer" }))).rejects.toThrow(
      "sslmode=prefer, which is not one of disable",
    );
    await expect(started(url({ sslmode: "verify-full", sslrootcert: at("none") }))).rejects.toThrow(
      /^The file .*none of sslrootcert cannot be read/,
    );
  });
});
