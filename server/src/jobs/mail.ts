import { eq } from "drizzle-orm";
import { createTransport } from "nodemailer";
import { eraseMails, writeMail } from "../domain/accounts/mail-folder.js";
import { answerResetRequest, type ResetRequest } from "../domain/accounts/password-reset.js";
import { RESET_LIFETIME_MS } from "../domain/accounts/reset-mail-limit.js";
import type { Context } from "../domain/change/context.js";
import { decryptSecret } from "../domain/secrets/secrets.js";
import type { Job } from "../store/queue/job-queue.js";
import { accounts } from "../store/schema.js";
import { JobFailed, type JobHandler } from "./handler.js";
import {
  addressChangedMail,
  credentialsMail,
  type Letter,
  passwordChangedMail,
  resetMail,
  usernameChangedMail,
} from "./mail-texts.js";

/** Payload of an email job. Encrypted values are erased with the payload when the job ends. */
type Mail = { to: string; username: string } & (
  | { template: "credentials"; account: number; sealedPassword: string | null }
  | { template: "password-reset"; account: number; page: string; sealedToken: string; expiresAt: string }
  | { template: "password-changed" | "address-changed" | "username-changed"; account: number }
);

type MailJob = Mail | ({ template: "password-reset-request" } & ResetRequest);

const HOUR_MS = 3_600_000;
const SMTP_TIMEOUT_MS = 20_000;

/** Returns the time at which the link, or the request for a link, expires. */
function linkEndsAt({ payload, createdAt }: Job): Date | undefined {
  const mail = payload as unknown as MailJob;
  if (mail.template === "password-reset") return new Date(mail.expiresAt);
  if (mail.template === "password-reset-request") return new Date(createdAt.getTime() + RESET_LIFETIME_MS);
  return undefined;
}

/** Retries for seven days: after 1, 2, 4 ... minutes, at most six hours. Links are retried for an hour. */
export const mailHandler: JobHandler = {
  maxFailures: 36,
  delayMs: (failure) => Math.min(60_000 * 2 ** (failure - 1), 6 * HOUR_MS),
  endsAt: linkEndsAt,
  async run(ctx, job) {
    const mail = job.payload as unknown as MailJob;
    const endsAt = linkEndsAt(job);
    if (endsAt !== undefined && endsAt <= ctx.clock.now()) {
      throw new JobFailed("expired", "The link expired before the email could be sent.");
    }
    if (mail.template === "password-reset-request") {
      await answerResetRequest(ctx, mail);
      return {};
    }
    await send(ctx, job.jobId, mail.account, {
      from: ctx.config.mailFrom,
      to: mail.to,
      ...(await letterOf(ctx, mail)),
    });
    return {};
  },
};

async function letterOf(ctx: Context, mail: Mail): Promise<Letter> {
  const reveal = (sealed: string) => decryptSecret(ctx, ctx.queries, sealed);
  switch (mail.template) {
    case "password-reset":
      return resetMail(mail.username, `${mail.page}/#/new-password?token=${await reveal(mail.sealedToken)}`);
    case "password-changed":
      return passwordChangedMail(mail.username);
    case "address-changed":
      return addressChangedMail(mail.username);
    case "username-changed":
      return usernameChangedMail(mail.username);
    default:
      return credentialsMail(mail.username, mail.sealedPassword && (await reveal(mail.sealedPassword)));
  }
}

interface Message extends Letter {
  from: string;
  to: string;
}

/**
 * Sends the email by SMTP. Without a mail server, writes it to the data folder in the format of RFC
 * 5322.
 */
async function send(
  { config, queries }: Context,
  jobId: string,
  account: number,
  message: Message,
): Promise<void> {
  // Every attempt uses the same message id, so that mail servers can drop duplicates.
  const mail = { ...message, messageId: `<${jobId}@asi-server>` };
  if (config.smtpUrl !== null) {
    const transport = createTransport(config.smtpUrl, {
      connectionTimeout: SMTP_TIMEOUT_MS,
      greetingTimeout: SMTP_TIMEOUT_MS,
      socketTimeout: SMTP_TIMEOUT_MS,
    } as object);
    try {
      await transport.sendMail(mail);
    } finally {
      transport.close();
    }
    return;
  }
  const { message: bytes } = await createTransport({ streamTransport: true, buffer: true }).sendMail(mail);
  await writeMail(config.dataDir, account, jobId, bytes as Buffer);
  // The deletion of an account removes its emails after the commit. Either the deletion finds this email, or this query
  // does not find the account.
  const isDeleted = (await queries.$count(accounts, eq(accounts.id, account))) === 0;
  if (isDeleted) await eraseMails(config.dataDir, account);
}
