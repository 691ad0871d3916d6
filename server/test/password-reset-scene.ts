/** Requests password reset links, reads their emails, and uses them. */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { and, eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import { jobs } from "../src/store/schema.js";
import { withSharedService } from "./file-service.js";
import type { TestAccount, TestService } from "./service.js";

export interface Mail {
  to: string | undefined;
  subject: string | undefined;
  text: string;
}

/** Decodes an email as an email program does: lines that end with "=" continue (RFC 2045 section 6.7). */
export function readMail(raw: string): Mail {
  const [head = "", ...parts] = raw.replaceAll("\r\n", "\n").split("\n\n");
  const quoted = /^Content-Transfer-Encoding: quoted-printable$/im.test(head);
  const text = parts.join("\n\n");
  return {
    to: /^To: (.*)$/m.exec(head)?.[1],
    subject: /^Subject: (.*)$/m.exec(head)?.[1],
    text: quoted
      ? text
          .replace(/=\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : text,
  };
}

export const LINK = /^(http\S+)\/#\/new-password\?token=([\w-]{43})$/m;

export const newPassword = () => `new ${randomUUID()}`;

function passwordResetsOn(s: TestService) {
  const ask = (username: string, at = s) => at.post("/api/v1/account/request-password-reset/", { username });
  const reset = (token: string, password: string, at = s) =>
    at.post("/api/v1/account/reset-password/", { token, password });

  /** Runs the jobs and returns the emails to an account. */
  async function mailsTo({ id }: Pick<TestAccount, "id">, at = s): Promise<Mail[]> {
    await at.runJobs();
    const folder = join(at.config.dataDir, "mail");
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.startsWith(`account-${id}-`))
      .map((name) => readMail(readFileSync(join(folder, name), "utf8")));
  }

  /** Returns the links emailed to an account, in any order. */
  const linksTo = async (account: Pick<TestAccount, "id">, at = s) =>
    (await mailsTo(account, at)).flatMap(({ text }) => {
      const [, page = "", token = ""] = LINK.exec(text) ?? [];
      return token === "" ? [] : [{ page, token }];
    });

  /** Requests a link and reads the email. @returns the token in the link */
  async function linked(account: TestAccount, at = s): Promise<string> {
    const before = (await linksTo(account, at)).map(({ token }) => token);
    expect((await ask(account.username, at)).status).toBe(204);
    const [token = ""] = (await linksTo(account, at))
      .map((link) => link.token)
      .filter((t) => !before.includes(t));
    expect(token).not.toBe("");
    return token;
  }

  const logsIn = async ({ username }: TestAccount, password: string) =>
    (await s.token({ grant_type: "password", username, password })).status === 200;
  const isOpen = async (token: string) => (await s.get("/api/v1/account/", token)).status === 200;

  /** Expects that a token is refused without a reason. */
  async function expectRefused(token: string, at = s): Promise<void> {
    const { status, headers, body } = await reset(token, newPassword(), at);
    expect([status, headers.get("x-error-code"), body]).toEqual([
      400,
      "invalid_reset_token",
      { token: ["The link is invalid, has expired or has already been used. Request another link."] },
    ]);
  }

  /** Returns the details of jobs that ended because the link had expired. */
  const expired = (at = s) =>
    at.store.database.queries
      .select({ details: jobs.details, payload: jobs.payload, failures: jobs.failures })
      .from(jobs)
      .where(and(eq(jobs.kind, "mail"), sql`${jobs.details}->>'code' = 'expired'`));

  return { s, ask, reset, mailsTo, linksTo, linked, logsIn, isOpen, expectRefused, expired };
}

/** Creates an `it` for a file with a service and functions that request and use links. */
export const withPasswordResets = () =>
  withSharedService().extend("passwords", { scope: "file" }, ({ service }) => passwordResetsOn(service));
