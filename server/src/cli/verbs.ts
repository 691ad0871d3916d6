import type { Command } from "commander";
import { accountVerbs, applicationVerbs, personalDataVerbs } from "./account-verbs.js";
import { deviceVerbs, sampleVerbs } from "./device-verbs.js";
import { lines, list, verb } from "./verb.js";

/**
 * Adds the commands for data of the service: accounts, applications, devices, samples, jobs, webhooks, personal data,
 * keys and the audit log.
 */
export function addVerbs(root: Command): void {
  accountVerbs(root);
  applicationVerbs(root);
  deviceVerbs(root);
  sampleVerbs(root);
  work(root);
  personalDataVerbs(root);
  keys(root);
  audit(root);
}

function work(root: Command): void {
  const job = root.command("job").description("jobs: emails, bulk loads, computations, webhook calls");
  list(job, {
    signature: "job list",
    about: "list jobs, the newest first",
    example: "--state FAILURE --kind bulk-load",
  })
    .option("--state <state>", "PENDING, STARTED, RETRY, SUCCESS, FAILURE or REVOKED")
    .option("--kind <kind>", "mail, bulk-load, compute, webhook or webhook-fan-out")
    .option("--account <username>", "only jobs that are charged to this account");
  verb(job, {
    signature: "job retry <job-id>",
    about: "run a waiting job now, or a failed computation again",
    example: "job-0f3c6a52-6c0e-4d34-9a3e-0a8f6f4f2b1d",
  });
  verb(job, {
    signature: "job revoke <job-id>",
    about: "end a waiting or running job, and erase its content",
    example: "job-0f3c6a52-6c0e-4d34-9a3e-0a8f6f4f2b1d --yes",
    question: (id) => `End the job ${id} and erase its content?`,
  });

  const webhook = root.command("webhook").description("webhooks");
  list(webhook, {
    signature: "webhook list",
    about: "list webhooks, without their secrets",
    example: "--account ann",
  })
    .option("--account <username>", "only webhooks of this account and its activities")
    .option("--activity <id>", "only webhooks of this activity")
    .option("--disabled", "only disabled webhooks");
  verb(webhook, {
    signature: "webhook disable <id>",
    about: "disable a webhook and cancel its waiting calls; an update by its owner enables it again",
    example: "7",
  });
}

function keys(root: Command): void {
  const key = root.command("key").description("the server key, which encrypts secrets in the database");
  verb(key, {
    signature: "key rotate",
    about: "encrypt all secrets with a new key while the service runs; after an interruption, run it again",
    example: "--new-key new.key",
  }).option(
    "--new-key <file>",
    "file with the new SERVER_KEY, 32 bytes in base64; needed if SERVER_KEY is set",
  );
  verb(key, {
    signature: "key finish",
    about: "make only the current SERVER_KEY valid for the secrets; run it when all processes have this key",
    example: "--yes",
    question: () => "Make only the SERVER_KEY of this process valid for the secrets?",
  }).option(
    "--server-key <id>",
    "keep the server key of this process, which has this id, because the newer key is lost",
  );
  verb(key, {
    signature: "key reset",
    about: "if the server key is lost, remove the secrets that it encrypts, and disable their webhooks",
    example: "--yes",
    yes: "remove the secrets; this cannot be undone",
  });
}

const AUDIT_COLUMNS = [
  "id",
  "at",
  "account",
  "operator",
  "operation",
  "entity",
  "entity_id",
  "before",
  "after",
  "request_id",
];

function audit(root: Command): void {
  const audited = root.command("audit").description("the audit log");
  lines(
    audited,
    {
      signature: "audit export",
      about:
        "write the audit log to standard output from the oldest entry to the newest, as JSON lines or CSV",
      example: "--from 2026-05-01T00:00:00Z --account ann > may.jsonl",
    },
    AUDIT_COLUMNS,
  )
    .option("--from <time>", "entries at or after this time")
    .option("--to <time>", "entries before this time")
    .option("--account <username>", "entries by or about this account")
    .option("--account-id <id>", "entries by or about the account with this id, which may be deleted");
}
