import type { Command } from "commander";
import { SCOPE_NAMES } from "../domain/change/scopes.js";
import { lines, list, verb } from "./verb.js";

/**
 * Adds the commands for data of the service: accounts, applications, devices, samples, jobs, webhooks, personal data,
 * keys and the audit log.
 */
export function addVerbs(root: Command): void {
  accounts(root);
  applications(root);
  devices(root);
  work(root);
  personalData(root);
  keys(root);
  audit(root);
}

function accounts(root: Command): void {
  const account = root.command("account").description("accounts of managers and athletes");
  list(account, {
    signature: "account list",
    about: "list accounts",
    example: "--role manager --search ash",
  })
    .option("--role <role>", "manager or athlete")
    .option("--disabled", "only disabled accounts")
    .option("--search <terms>", "text in the username, email address or name");
  verb(account, {
    signature: "account show <username>",
    about: "show an account, and the amount of its data",
    example: "ann",
  });
  verb(account, {
    signature: "account disable <username>",
    about: "refuse the tokens, the sessions and the password of an account, but keep its data",
    example: "ann",
  });
  verb(account, {
    signature: "account enable <username>",
    about: "enable a disabled account and its sessions",
    example: "ann",
  });
  verb(account, {
    signature: "account reset-password <username>",
    about: "send a link for a new password by email",
    example: "ann",
  });
  verb(account, {
    signature: "account link <username>",
    about: "let a user of the OpenID provider sign in to an account",
    example: "ann --subject 248289761001",
  }).requiredOption("--subject <sub>", "the user's claim sub, as the provider shows it");
  verb(account, {
    signature: "account unlink <username>",
    about: "remove the link of an account to the OpenID provider, and the roles that its groups gave",
    example: "ann",
  }).option("--issuer <url>", "the issuer of the link, for that of an earlier provider");
  verb(account, {
    signature: "account delete <username>",
    about: "delete an account, everything that belongs to it and all personal data",
    example: "ann --yes",
    question: (username) => `Delete the account ${username} and everything that belongs to it?`,
  });

  const session = root.command("session").description("sessions of users");
  verb(session, {
    signature: "session list <username>",
    about: "list the sessions of a user, without their tokens",
    example: "ann",
  });
  verb(session, {
    signature: "session revoke <username>",
    about: "end every session of a user, who can log in again",
    example: "ann --id 7",
  }).option("--id <n>", "end only the session with this id from session list");

  const manager = root.command("manager").description("managers");
  verb(manager, {
    signature: "manager grant <username>",
    about: "let a manager create managed athletes",
    example: "ann",
  });
}

function applications(root: Command): void {
  const app = root.command("app").description("OAuth applications");
  list(app, {
    signature: "app list",
    about: "list applications, without their secrets",
  });
  verb(app, {
    signature: "app create",
    about: "create an application; its secret is printed once",
    example: '--name "Coach"',
  })
    .requiredOption("--name <name>", "name shown at login")
    .option("--redirect-uri <uri...>", "allow the deprecated authorization code flow to these addresses")
    .option("--device", "allow only the flow for devices without a browser; the application has no secret")
    .option("--user <username>", "allow only client credentials: the application acts for this user")
    .option("--scope <scope...>", `with --user: what it may do (${SCOPE_NAMES.join(", ")})`);
  verb(app, {
    signature: "app rotate-secret <client-id>",
    about: "replace the secret of an application, and print the new secret once; existing sessions continue",
    example: "5p1T0rWcZ --yes",
    question: (clientId) =>
      `Replace the secret of the application ${clientId}? The current secret becomes invalid immediately.`,
  });
  verb(app, {
    signature: "app revoke <client-id>",
    about: "revoke an application and all its sessions",
    example: "5p1T0rWcZ --yes",
    question: (clientId) => `Revoke the application ${clientId} and all its sessions?`,
  });
}

function devices(root: Command): void {
  const device = root.command("device").description("devices");
  list(device, {
    signature: "device list",
    about: "list devices with their owners",
    example: "--owner ann",
  })
    .option("--owner <username>", "only devices that this manager owns now")
    .option("--retired", "only retired devices")
    .option("--search <terms>", "text in the names, the serial number or the model");
  verb(device, {
    signature: "device add",
    about: "add a device",
    example: "--serial-number A1B2 --device-name tracker-7 --device-type T1",
  })
    .requiredOption("--serial-number <serial>", "serial number, as in the device's recordings")
    .requiredOption("--device-name <name>", "device identifier")
    .requiredOption("--device-type <type>", "model name");
  verb(device, {
    signature: "device import <file>",
    about: "add devices from a CSV file: serial_number,device_name,device_type",
    example: "devices.csv",
  });
  verb(device, {
    signature: "device rename <serial-number>",
    about: "change the names of a device",
    example: "A1B2 --device-name tracker-8",
  })
    .option("--device-name <name>", "device identifier, which managers use to take the device")
    .option("--custom-name <name>", 'the name that its owner gave; "" for none');
  verb(device, {
    signature: "device retire <serial-number>",
    about: "end the ownership of a device, which can no longer be taken; its samples are kept",
    example: "A1B2 --yes",
    question: (serial) => `Retire the device ${serial} and end its ownership?`,
  }).option("--undo", "let managers take a retired device again; its ownership is not restored");
  verb(device, {
    signature: "device report-start <serial-number>",
    about: "record that a device has started",
    example: "A1B2 --firmware-version 2.1",
  })
    .option("--config-version <n>", "Bluetooth configuration that the device received (default: the newest)")
    .option("--firmware-version <version>", "its firmware version");

  const ownership = root.command("ownership").description("device ownerships");
  verb(ownership, {
    signature: "ownership backdate <serial-number>",
    about: "move the start of an ownership back into a period in which the device had no owner",
    example: "A1B2 --start 2024-01-01T00:00:00Z",
  }).requiredOption("--start <date-time>", "the new start");

  const samples = root.command("samples").description("samples of devices");
  verb(samples, {
    signature: "samples delete <serial-number>",
    about:
      "delete the samples of a device in an interval; computed data are updated, and pages of raw data within two minutes",
    example: "A1B2 --start 2024-05-04T09:00:00Z --stop 2024-05-04T11:00:00Z --yes",
    question: (serial) => `Delete the samples of the device ${serial} in this time?`,
  })
    .requiredOption("--start <date-time>", "start of the interval (inclusive)")
    .requiredOption("--stop <date-time>", "end of the interval (exclusive)");
  verb(samples, {
    signature: "samples distribute",
    about:
      "move all samples to other PostgreSQL servers while the service runs; after an interruption, run it again",
    example: "--servers servers.txt --dry-run",
  })
    .option("--servers <file>", "file with one server URL per line")
    .option(
      "--citus",
      "distribute the samples over the workers of Citus instead; writes of samples wait meanwhile",
    )
    .option("--dry-run", "print the plan without changing anything");
  verb(samples, {
    signature: "samples gather",
    about: "move all samples back into the database of the service while it runs",
  }).option("--dry-run", "print the plan without changing anything");
  verb(samples, {
    signature: "samples cancel-move",
    about: "cancel an interrupted move; the samples stay in place",
  });
  verb(samples, {
    signature: "samples servers",
    about: "list the servers with samples, whether they are reachable, and unfinished moves",
  });
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

/** Without `--yes`, commands that erase or reset only print what they would remove. */
function personalData(root: Command): void {
  const athlete = root.command("athlete").description("personal data of athletes");
  verb(athlete, {
    signature: "athlete export <id>",
    about: "write everything about an athlete to a zip archive, with samples",
    example: "12 -o ann.zip",
  }).requiredOption("-o, --output <file>", "the new file");
  verb(athlete, {
    signature: "athlete erase <id>",
    about: "erase an athlete and every trace of the person; without --yes, only count the rows to remove",
    example: "12 --samples --yes",
    yes: "erase; this cannot be undone",
  }).option("--samples", "also remove the samples of the athlete's time frames");

  const erasures = root.command("erasures").description("the list of erased accounts");
  verb(erasures, {
    signature: "erasures apply",
    about: "repeat the erasure of accounts in a restored backup, as every start does",
    example: "--list /backup/erasures.jsonl",
  }).option("--list <file>", "the list of another machine, or a copy (default: ERASURE_LIST)");
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
  const audited = root.command("audit").description("who has changed what");
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
    .option(
      "--account <account>",
      "entries by or about this account; its username, or its id if it is deleted",
    );
}
